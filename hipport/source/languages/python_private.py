"""Which functions of a Python file are called only from code that does not run."""

from __future__ import annotations

from collections.abc import Iterable

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.languages.python_syntax import Module, span_of, text_of
from hipport.source.text.span_set import SpanSet

_PRIVATE = regex(rb"\b_(?!_)\w+")
_ROUNDS = 3


def only_called_there(module: Module, dead: Iterable[Span]) -> list[Span]:
    """The private functions that nothing but such code names, and what only those call."""
    spans = SpanSet(dead)
    functions = (
        (text_of(each.child_by_field_name("name")), span_of(each))
        for each in module.nodes("definition")
        if each.type == "function_definition"
    )
    private = [(name, span) for name, span in functions if _PRIVATE.fullmatch(name.encode())]
    named: dict[str, list[Span]] = {}
    for match in _PRIVATE.finditer(module.data if private else b""):
        named.setdefault(match[0].decode("utf-8", "replace"), []).append(Span(*match.span()))
    found: dict[Span, None] = {}
    for _ in range(_ROUNDS):
        new = [
            span
            for name, span in private
            if span not in found and _is_named_only_in(spans, span, named.get(name, []))
        ]
        found |= dict.fromkeys(new)
        spans.add(new)
        if not new:
            break
    return [*found]


def _is_named_only_in(spans: SpanSet, function: Span, places: list[Span]) -> bool:
    others = [each for each in places if not function.start <= each.start < function.end]
    return bool(others) and all(map(spans.overlap, others))
