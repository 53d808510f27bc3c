"""What searches ask of the rules' expressions, for a wheel: working it out takes longer than all
else of a short run that has to do with rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from hipport.rulebook.rules import RuleSet
from hipport.rulebook.typed import expressions, read_toml
from hipport.source.text.anchored_search import Anchor
from hipport.source.text.expression_parts import ways_of
from hipport.source.text.known_expressions import Known, KnownAnchor
from hipport.source.text.quick_search import search_of
from hipport.source.text.required_texts import required

_SPECIAL = frozenset("\\[(|*+?^$")


def known_expressions(folder: Path) -> dict[str, Known]:
    """Expression -> what is known of it: those that are looked for in C++, of a rules folder."""
    found: dict[str, Known] = {}
    for text in _texts_of_rules(folder):
        for way in (text, *ways_of(text)):
            known = _known(way)
            found[way] = known
            if known.tail:
                found[known.tail] = _known(known.tail)
    return found


def _known(pattern: str) -> Known:
    search = search_of(pattern)
    return Known(
        required(pattern),
        search.is_at_start,
        search.beginnings,
        _known_anchor(search.anchor) if search.anchor else None,
        search.tail,
    )


def _known_anchor(anchor: Anchor) -> KnownAnchor:
    return KnownAnchor(anchor.texts, anchor.is_folded, anchor.before, anchor.starts)


def _texts_of_rules(folder: Path) -> Iterator[str]:
    for rule in RuleSet(folder, is_audit=True).findings.values():
        if "cuda" in rule.languages:
            yield from (text for _, text in expressions(rule) if text)
            yield from _expressions_in(rule.keys)
    for path in sorted((*folder.glob("*.toml"), *folder.glob("rewrites/**/*.toml"))):
        yield from _expressions_in(read_toml(path, path.name))


def _expressions_in(value: object) -> Iterator[str]:
    """The texts in a table that may be expressions: others need no work."""
    if isinstance(value, str):
        if not _SPECIAL.isdisjoint(value) and "\n" not in value:
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _expressions_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _expressions_in(each)
