"""Which definition in the sources a kernel was compiled from, according to its debug
information."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from hipport.fatbin.object.declared_lines import Declared
from hipport.lazy_regex import regex
from hipport.source.text.source_text import Code
from hipport.trace.binary_kernels import has_identifier
from hipport.trace.model import BinaryKernel, Definition, LineRange

_LINE = regex(r'\s*(\d{1,9})(?:\s+"((?:[^"\\]|\\.)*)")?')


def compiled_lines(code: Code, start: int, end: int) -> LineRange:
    """The lines between two offsets as the compiler counts them, behind `#line` ([cpp.line])."""
    first, last = code.position(start).line, code.position(end).line
    file = ""
    shift = 0
    for at, line, number, name in _line_directives(code):
        if at > start:
            break
        shift, file = number - line - 1, name or file
    return LineRange(file, first + shift, last + shift)


@lru_cache(maxsize=2)
def _line_directives(code: Code) -> list[tuple[int, int, int, str]]:
    """Offset and line of each `#line`, and the line and the file that it names."""
    found: list[tuple[int, int, int, str]] = []
    for directive in code.directives:
        if directive.keyword == "line":
            match = _LINE.match(code.text, *directive.body)
            if match:
                line = code.position(directive.span.end - 1).line
                found.append((directive.span.start, line, int(match[1]), match[2] or ""))
    return found


def compiled_from(
    definitions: Iterable[Definition], kernels: Mapping[str, Iterable[BinaryKernel]]
) -> dict[int, Definition]:
    """The id() of a kernel -> its definition, where debug information names it: the one
    with its name on its line, in the file with the most similar path."""
    by_file: dict[str, list[Definition]] = defaultdict(list)
    for each in definitions:
        by_file[posixpath.basename(_file(each))].append(each)
    found: dict[int, Definition] = {}
    for every in kernels.values():
        for kernel in every:
            place = kernel.declared
            if place is not None:
                own = by_file.get(posixpath.basename(place.path), ())
                definition = _definition(kernel, place, own)
                if definition is not None:
                    found[id(kernel)] = definition
    return found


def definitions_by_name(
    kernels: Mapping[str, Iterable[BinaryKernel]], sources: Mapping[int, Definition]
) -> dict[str, list[Definition]]:
    """Mangled name -> the definitions that kernels of that name are from, by `compiled_from`."""
    found: dict[str, dict[int, Definition]] = defaultdict(dict)
    for name, every in kernels.items() if sources else ():
        for each in every:
            if id(each) in sources:
                found[name][id(sources[id(each)])] = sources[id(each)]
    return {name: list(definitions.values()) for name, definitions in found.items()}


def _definition(
    kernel: BinaryKernel, place: Declared, definitions: Iterable[Definition]
) -> Definition | None:
    found: dict[int, list[Definition]] = defaultdict(list)
    for each in definitions:
        is_there = each.lines.first <= place.line <= each.lines.last
        if is_there and has_identifier(kernel.name, frozenset((each.name.last,))):
            found[_common(_file(each), place.path)].append(each)
    nearest = found[max(found)] if found else []
    return nearest[0] if len(nearest) == 1 else None


def _file(definition: Definition) -> str:
    return definition.lines.file or definition.path


def _common(one: str, two: str) -> int:
    """How many parts at the end two paths have in common."""
    pairs = zip(reversed(one.split("/")), reversed(two.split("/")), strict=False)
    number = 0
    for own, other in pairs:
        if own != other:
            break
        number += 1
    return number
