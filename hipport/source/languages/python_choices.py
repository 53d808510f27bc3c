"""What Python code has for NVIDIA's GPUs beside the same for AMD's: items, rows, arguments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import tree_sitter

from hipport.source.languages.python_syntax import Module, plain_text, text_of
from hipport.source.text.ported_names import ported_names

_LONGEST = 80
"""A longer text is a message, or code."""
_Row = tuple[tree_sitter.Node, dict[str | int, str]]
"""A row, an item, or an argument, and its texts by their numbers or names."""


def beside_ports(
    module: Module, parts: Mapping[str, tuple[str, ...]]
) -> Iterator[tree_sitter.Node]:
    """The items for NVIDIA's GPUs of lists that have one for AMD's: `"nvcc"` by `"hipcc"`.

    So is a row by another that has the name for AMD in its column, and an argument by that of
    another call of the function.
    """
    groups: list[list[_Row]] = []
    for node in module.nodes("items"):
        items = node.named_children
        groups.append([(each, {0: text}) for each in items if (text := _text(each))])
        groups.append([(each, texts) for each in items if (texts := _texts(each))])
    calls: dict[str, list[_Row]] = defaultdict(list)
    for name, node in module.calls:
        calls[name] += _arguments(node)
    for group in (*groups, *calls.values()):
        yield from _ported(group, parts)


def _ported(rows: list[_Row], parts: Mapping[str, tuple[str, ...]]) -> Iterator[tree_sitter.Node]:
    """The rows that have a text for NVIDIA where another has that for AMD."""
    columns: dict[str | int, set[str]] = defaultdict(set)
    for _, texts in rows:
        for place, text in texts.items():
            columns[place].add(text)
    for row, texts in rows:
        ports = ((at, port) for at, text in texts.items() for port in ported_names(text, parts))
        if any(port in columns[at] for at, port in ports):
            yield row


def _text(node: tree_sitter.Node) -> str:
    if node.end_byte - node.start_byte > _LONGEST:
        return ""
    return plain_text(node)


def _texts(row: tree_sitter.Node) -> dict[str | int, str]:
    """The texts of a list or tuple."""
    items = row.named_children if row.type in ("list", "tuple") else ()
    return {at: text for at, each in enumerate(items) if (text := _text(each))}


def _arguments(call: tree_sitter.Node) -> Iterator[_Row]:
    """The texts that a function is given."""
    given = call.child_by_field_name("arguments")
    for at, each in enumerate(given.named_children if given else ()):
        named = each.child_by_field_name("name") if each.type == "keyword_argument" else None
        value = each.child_by_field_name("value") if named else each
        if value and (text := _text(value)):
            yield value, {text_of(named) if named else at: text}
