"""What Python code has for NVIDIA's GPUs beside the same for AMD's: items, rows, arguments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import tree_sitter

from hipport.source.languages.python_syntax import Module, plain_text, text_of
from hipport.source.text.ported_names import ported_names

_LONGEST = 80
"""A longer text is a message, or code."""
_Parts = Mapping[str, tuple[str, ...]]
_Places = dict[str | int, tree_sitter.Node]
"""The texts of a row, or of a call's arguments, by their numbers or names."""


def beside_ports(module: Module, parts: _Parts) -> Iterator[tree_sitter.Node]:
    """The items for NVIDIA's GPUs of lists that have one for AMD's: `"nvcc"` by `"hipcc"`.

    So is a row by another that has the name for AMD in its column, and an argument by that of
    another call of the function.
    """
    groups: list[list[tuple[tree_sitter.Node, _Places]]] = []
    for node in module.nodes("items"):
        groups.append([(each, {0: each}) for each in node.named_children if _text(each)])
        groups.append([(each, has) for each in node.named_children if (has := _items(each))])
    calls: dict[str, list[tuple[tree_sitter.Node, _Places]]] = defaultdict(list)
    for name, node in module.calls:
        calls[name] += [(each, {at: each}) for at, each in _arguments(node)]
    for group in (*groups, *calls.values()):
        yield from _ported(group, parts)


def _ported(
    rows: list[tuple[tree_sitter.Node, _Places]], parts: _Parts
) -> Iterator[tree_sitter.Node]:
    """The rows that have a text for NVIDIA where another has that for AMD."""
    columns: dict[str | int, set[str]] = defaultdict(set)
    for _, places in rows:
        for place, each in places.items():
            columns[place].add(_text(each))
    for row, places in rows:
        for place, each in places.items():
            others = columns[place]
            if len(others) > 1 and any(port in others for port in ported_names(_text(each), parts)):
                yield row


def _text(node: tree_sitter.Node) -> str:
    text = plain_text(node)
    return text if len(text) <= _LONGEST else ""


def _items(row: tree_sitter.Node) -> _Places:
    """The texts of a list or tuple."""
    items = row.named_children if row.type in ("list", "tuple") else ()
    return {at: each for at, each in enumerate(items) if _text(each)}


def _arguments(call: tree_sitter.Node) -> Iterator[tuple[str | int, tree_sitter.Node]]:
    """The texts that a function is given, each with its number or name."""
    given = call.child_by_field_name("arguments")
    for at, each in enumerate(given.named_children if given else ()):
        named = each.child_by_field_name("name") if each.type == "keyword_argument" else None
        value = each.child_by_field_name("value") if named else each
        if value and _text(value):
            yield (text_of(named) if named else at), value
