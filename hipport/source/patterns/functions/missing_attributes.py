"""Functions that are defined without the `__host__` or `__device__` that they are declared with.

nvcc takes a definition to have what its declaration has. To clang it is another function, for the
host alone, which may not overload one for both, and which nothing on the device finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.words import DeviceCode
from hipport.source.names.declared_functions import DeclaredFunction, Signature, functions_named
from hipport.source.names.scanned_declarations import (
    defined_in,
    device_functions_declared,
    device_keyword,
)
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit

_RULE = "missing-attributes"
_FINDING = "HP-SEM-004"


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write the attributes before each definition that lacks those of all its declarations."""
    words, text = unit.rules.device_code, unit.code.code
    names = defined_in(text, device_functions_declared(text, words))
    functions = [
        each for name in sorted(names) for each in functions_named(unit.declarations, name)
    ]
    wanted: dict[Signature, set[frozenset[str]]] = {}
    for each in functions:
        if not each.is_definition:
            wanted.setdefault(each.signature, set()).add(attributes(text, each, words))
    for each in functions:
        if each.is_definition:
            found = attributes(text, each, words)
            _write(
                unit, each.name, each.start, lacking(found, wanted.get(each.signature, ()), words)
            )


def fix_those_of_headers(unit: Unit) -> None:
    """Write the attributes that headers of the tree declare functions of this file with."""
    for each in unit.attributeless:
        if each.words:
            _write(unit, each.name, each.start, each.words)
        else:
            symbol = unit.code.slice(each.name)
            unit.report(_FINDING, each.name, symbol, {"header": each.header})


def _write(unit: Unit, name: Span, start: int, new: str) -> None:
    if new:
        rewrite(unit, _RULE, [(Span(start, start), f"{new} ")], [name])


def attributes(
    text: str,
    function: DeclaredFunction,
    words: DeviceCode,
    macros: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """The attributes, of the host's and the device's, that a declaration is written with."""
    # A macro may be before what the parser takes for the beginning.
    start = function.start
    if macros:
        start = max(text.rfind(each, 0, start) for each in ";{}") + 1
    before = re.findall(r"\w+", text[start : function.name.start])
    return frozenset((words.host_keyword, device_keyword(words), *macros)).intersection(before)


def lacking(
    found: frozenset[str],
    wanted: Iterable[frozenset[str]],
    words: DeviceCode,
    macros: frozenset[str] = frozenset(),
) -> str:
    """What a definition lacks of the attributes of its declarations, which must all be the same."""
    every = set(wanted)
    if len(every) != 1:
        return ""
    (declared,) = every
    if declared.isdisjoint((device_keyword(words), *macros)) or not found < declared:
        return ""
    order = (words.host_keyword, device_keyword(words), *sorted(macros))
    return " ".join(each for each in order if each in declared - found)
