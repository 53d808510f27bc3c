"""Which backends things of a Python file are compared with: `backend == "rocm"`."""

from __future__ import annotations

import re

import tree_sitter

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_syntax import Module, plain_text, text_of

_SAME = {"==": True, "is": True, "in": True, "!=": False, "is not": False, "not in": False}
_SIDES = 2
_SEVERAL = ("tuple", "list", "set")
_NAME = regex(r"(?:.*[.\[])?[\"']?_*(\w+)[\"']?\]?(?:\(\))?")
_CHANGED = regex(r"\.(?:lower|strip|casefold)\(\)")


class Compared(NamedTuple):
    """What a condition compares, and with what: `same` says whether it is to be one of them."""

    what: str
    values: tuple[str, ...]
    same: bool


def backends_compared(module: Module, words: PythonBranches) -> frozenset[str]:
    """The things that the file compares with a value of AMD's somewhere: those have no other there.

    A tensor's device is called `cuda` on AMD's GPUs, too.
    """
    found = (_compared(each) for each in module.nodes("comparison"))
    return frozenset(
        each.what
        for each in found
        if each
        and not re.fullmatch(words.neutral, each.what)
        and any(re.fullmatch(words.amd_value, value) for value in each.values)
    )


def is_for_amd(
    node: tree_sitter.Node, things: frozenset[str], words: PythonBranches
) -> bool | None:
    """Whether a comparison of one of these things is true on AMD's GPUs; None for any other."""
    compared = _compared(node) if things else None
    if compared is None or compared.what not in things:
        return None
    if any(re.fullmatch(words.amd_value, each) for each in compared.values):
        return compared.same
    if all(re.fullmatch(words.nvidia_value, each) for each in compared.values):
        return not compared.same
    return None


def _compared(node: tree_sitter.Node) -> Compared | None:
    same = _SAME.get(text_of(node.child_by_field_name("operators")))
    if same is None or len(node.named_children) != _SIDES:
        return None
    left, right = node.named_children
    given = right.named_children if right.type in _SEVERAL else [right]
    values = tuple(plain_text(each) or text_of(each) for each in given)
    is_known = all(each.type in ("string", "attribute") for each in given)
    name = _NAME.fullmatch(_CHANGED.sub("", text_of(left)))
    return Compared(name[1], values, same) if name and values and is_known else None
