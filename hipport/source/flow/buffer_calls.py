"""Calls of MPI, and of what copies for it: the buffers that they are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.quick_search import matches

_ARGUMENT_END = regex(r"[(){}\[\],]")
_BUFFER = regex(r"(?:\([^()]*\)\s*)?&?\s*(?P<name>[A-Za-z_]\w*(?:(?:\.|->)(?!data\b)\w+)*)")


class BufferUse(NamedTuple):
    """A buffer in a call: where the call is, and the argument."""

    call: Span
    name: str


def messages(
    text: str, prefix: str, in_place: str, functions: Mapping[str, int]
) -> Iterator[BufferUse]:
    """The calls of functions that are given a buffer, each with its name."""
    for match in matches(rf"\b{prefix}(\w+)(?=\s*\()", text):
        if (index := functions.get(match[1])) is not None:
            arguments = arguments_of(text, match.end())
            if index + 1 < len(arguments) and text[slice(*arguments[index])].strip() == in_place:
                index += 1
            if index < len(arguments):
                call = Span(match.start(), arguments[-1].end)
                yield BufferUse(call, buffer_named(text, arguments[index]))


def arguments_of(text: str, end: int) -> list[Span]:
    """The arguments of the call whose name ends at an offset."""
    opened = skip(text, end)
    closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
    if closed is None:
        return []
    found, start, depth = [], opened + 1, 0
    for match in _ARGUMENT_END.finditer(text, opened + 1, closed):
        if match[0] == "," and not depth:
            found.append(Span(start, match.start()))
            start = match.end()
        elif match[0] != ",":
            depth += 1 if match[0] in "({[" else -1
    return [*found, Span(start, closed)]


def buffer_named(text: str, argument: Span) -> str:
    """The variable or member that an argument is, or points into; "" for another."""
    match = _BUFFER.match(text[argument.start : argument.end].strip())
    return match["name"] if match else ""
