"""Functions that are defined without the `__host__ __device__` that they are declared with.

nvcc takes a definition to have what its declaration has. To clang it is another function, for the
host alone, which may not overload the declared one.
"""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.source.names.declared_functions import Signature, functions_named
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit

_RULE = "missing-attributes"


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write the attributes before each definition that lacks those of all its declarations."""
    words, text = unit.rules.device_code, unit.code.code
    device = next(each for each in words.function_keywords if "device" in each)
    both = frozenset((words.host_keyword, device))
    # Few files declare a function for the device and define it apart.
    declared = rf"{device}[^;{{}}()=]*?(\w+)\s*\([^;{{}}]*\)[^;{{}}()]*;"
    names = sorted(set(re.findall(declared, text)))
    functions = [each for name in names for each in functions_named(unit.declarations, name)]
    found = [
        (each, both.intersection(text[each.start : each.name.start].split())) for each in functions
    ]
    wanted: dict[Signature, set[frozenset[str]]] = {}
    for each, attributes in found:
        if not each.is_definition:
            wanted.setdefault(each.signature, set()).add(attributes)
    for each, attributes in found:
        if each.is_definition and not attributes and wanted.get(each.signature) == {both}:
            new = f"{words.host_keyword} {device} "
            rewrite(unit, _RULE, [(Span(each.start, each.start), new)], [each.name])
