"""Names that headers of a tree give types, for functions of HIP's that a file defines for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.source.text.include_graph import include_graph
from hipport.source.text.tree_texts import TreeTexts

_CHECK = "own_atomic"
_MOST_HEADERS = 100
_DEVICE = b"__device__"


def defines_atomics(data: bytes, _: RuleSet) -> bool:
    """Whether a file may define such functions: a question about each file of a tree."""
    return _DEVICE in data and (shape := _definition()) is not None and bool(shape.search(data))


@cache
def _rule() -> FindingRule | None:
    """The rule that asks for the types of such definitions."""
    rules = load(is_audit=True).findings.checked_by(_CHECK)
    return next((each for each in rules if each.keys.get("signed")), None)


@cache
def _definition() -> re.Pattern[bytes] | None:
    rule = _rule()
    names = "|".join(sorted(rule.names)) if rule else ""
    shape = rf"__device__[^;{{}}()\n]{{0,100}}\s(?:{names})\s*\(\s*\w+\s*\*"
    return re.compile(shape.encode()) if rule else None


def header_types(trees: Mapping[str, list[str]], texts: TreeTexts) -> dict[str, frozenset[str]]:
    """File that defines such functions -> names that headers it includes give signed numbers."""
    # Loads the rule's keys, which few trees need here.
    from hipport.source.names.aliased_types import aliases_of
    from hipport.source.patterns.api_names.own_atomic import Keys

    found: dict[str, frozenset[str]] = {}
    rule = _rule()
    for paths in trees.values() if rule else ():
        asking = [each for each in paths if texts.answer(defines_atomics, each)]
        if not asking or rule is None:
            continue
        graph, shape = include_graph(paths, texts), rule.read(Keys).signed
        for path in asking:
            headers = graph.with_headers((path,)) - {path}
            if headers and len(headers) <= _MOST_HEADERS:
                names = (aliases_of(texts.code(each), shape) for each in sorted(headers))
                found[path] = frozenset[str]().union(*names)
    return found
