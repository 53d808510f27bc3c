"""Structures of a tree with a member that is called as CUDA's warp size is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.text.brackets import closing_brace
from hipport.source.text.include_graph import include_graph
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.warps.ported_warps import is_hip

_HEAD = regex(r"(?<!enum )\b(?:struct|class)\s+(?:\w+\s+)*?(\w+)\s*(?:final\s*)?(?::[^;{}()]*)?\{")


def names_size(data: bytes, rules: RuleSet) -> bool:
    """Whether a file has the name: a question about each file of a tree."""
    return rules.warps.variable.encode() in data


def sized_structures(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[str]]:
    """File -> those structures that it or a header which it includes has, through others too.

    The device's own are among them where one of these names them. None in a tree whose code for
    HIP sets such a member: it may have set the wavefront's size.
    """
    found: dict[str, frozenset[str]] = {}
    shape = _declaration(rules).encode()
    for paths in trees.values():
        naming = [each for each in paths if texts.answer(names_size, each)]
        asked = [each for each in naming if re.search(shape, texts.read(each))]
        own = {each: frozenset(_structures(texts.code(each), rules)) for each in asked}
        own = {path: names for path, names in own.items() if names}
        if own and not any(_is_set_for_hip(texts.code(each), rules) for each in naming):
            found |= include_graph(paths, texts).handed_on(_with_devices(own, paths, texts, rules))
    return found


def _declaration(rules: RuleSet) -> str:
    """A pattern of what ends a declaration of such a member, and may end others."""
    return rf"\w[\s&*]+{rules.warps.variable}\s*(?:=[^;=]*|\{{[^;]*\}}\s*)?;"


def _structures(code: Code, rules: RuleSet) -> Iterable[str]:
    member = re.compile(_declaration(rules))
    for head in _HEAD.finditer(code.code):
        end = closing_brace(code.code, head.end() - 1) or head.end()
        within = code.code[head.end() : end]
        while (outer := re.sub(r"\{[^{}]*\}", ";", within)) != within:
            within = outer  # Without the bodies of functions and of structures inside.
        if member.search(within):
            yield head[1]


def _with_devices(
    own: Mapping[str, frozenset[str]], paths: Iterable[str], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[str]]:
    device = rules.warps.device
    facts = dict(own)
    for path in paths:
        if texts.has(path, (*device.structures, *device.returning)):
            facts[path] = facts.get(path, frozenset()) | {device.structures[0]}
    return facts


@lru_cache(maxsize=2)
def _is_set_for_hip(code: Code, rules: RuleSet) -> bool:
    set_here = rf"(?:\.|->)\s*{rules.warps.variable}\s*=(?!=)"
    return is_hip(code, rules) and re.search(set_here, code.code) is not None
