"""Macros of lane masks: those that stand for all lanes, and those that pass what they are given."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from hipport.model import Span
from hipport.semantic.expressions import KnownSets, callers_expression, items_of
from hipport.semantic.program import Source

_WORD = re.compile(r"[A-Za-z_]\w*")
_TAKEN = re.compile(r"\(([\w\s,\\]*)\)")


class AllLanes(NamedTuple):
    """The only definition of a macro that stands for all lanes."""

    source: Source
    name: int
    value: Span


class Passing(NamedTuple):
    """The only definition of a macro; index of an argument -> the masks that it alone is."""

    source: Source
    masks: dict[int, list[Span]]


class Macros:
    """The macros of a program that are defined once, by name."""

    def __init__(
        self, sources: Collection[Source], full: str, masks: Callable[[Source], list[Span]]
    ) -> None:
        self.sources, self._full, self._masks = sources, re.compile(full), masks
        self.all_lanes: dict[str, AllLanes] = {}
        self.passing: dict[str, Passing] = {}
        defined: set[str] = set()
        for source in sources:
            for line in source.code.directives:
                name = _WORD.search(source.code.code, line.body.start, line.body.end)
                if line.keyword not in ("define", "undef") or name is None:
                    continue
                self.all_lanes.pop(name[0], None)
                self.passing.pop(name[0], None)
                if line.keyword == "define" and name[0] not in defined:
                    self._define(source, name, line.body.end)
                defined.add(name[0])

    def _define(self, source: Source, name: re.Match[str], end: int) -> None:
        text = source.code.code[name.end() : end]
        value = text.strip()
        taken = _TAKEN.match(source.code.code, name.end(), end)
        if text[:1].isspace() and self._full.fullmatch("".join(value.split())):
            start = name.end() + len(text) - len(text.lstrip())
            span = Span(start, start + len(value))
            self.all_lanes[name[0]] = AllLanes(source, name.start(), span)
        elif taken:
            found = {}
            for index, each in enumerate(word.strip() for word in taken[1].split(",")):
                words = _WORD.finditer(source.code.code, taken.end(), end)
                spans = [Span(*match.span()) for match in words if match[0] == each]
                if spans and set(spans) <= set(self._masks(source)):
                    found[index] = spans
            self.passing[name[0]] = Passing(source, found)

    def uses(self, name: str) -> Iterator[tuple[Source, int]]:
        """Where a macro that stands for all lanes is named."""
        macro = self.all_lanes[name]
        for source in self.sources:
            for at in source.words.get(name, ()):
                if source is not macro.source or at != macro.name:
                    yield source, at

    def masks_of_sets(self, sets: Mapping[str, KnownSets]) -> Iterator[tuple[str, Span]]:
        """The masks in the texts of macros, with their files, that have 64 bits in every use."""
        for name, (owner, masks) in self.passing.items():
            uses = [
                (source, source.node(at, len(name)))
                for source in self.sources
                for at in source.words.get(name, ())
                if source is not owner or source.code.directive_at(at) is None
            ]
            calls = [(each, callers_expression(node)) for each, node in uses if node is not None]
            for index, spans in masks.items():
                given = [
                    sets[source.path].value(items_of(call)[index])
                    for source, call in calls
                    if call is not None and index < len(items_of(call))
                ]
                is_every = given and len(given) == len(uses)
                if is_every and all(each and not each.edits for each in given):
                    yield from ((owner.path, span) for span in spans)


def is_parameter(source: Source, at: int, name: str) -> bool:
    """Whether a name in the definition of a macro is that of one of its parameters."""
    line = source.code.directive_at(at)
    if line is None or line.keyword != "define":
        return False
    macro = _WORD.search(source.code.code, line.body.start, line.body.end)
    taken = macro and _TAKEN.match(source.code.code, macro.end(), line.body.end)
    return bool(taken) and name in _WORD.findall(taken[1] if taken else "")
