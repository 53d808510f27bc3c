"""Macros that define or launch kernels, and a file with their uses replaced."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Position
from hipport.named_tuples import NamedTuple
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.source_text import Code

_HEAD = regex(r"\s*(\w+)\(([\w\s,.\\]*)\)")
_CONTINUATION = regex(r"\\\r?\n")
_WORD = regex(r"[A-Za-z_]\w*")
_PASTE = regex(r"\s*##\s*")
_STRINGIZE = regex(r"#\s*(?=[A-Za-z_])")
_VARIADIC = "__VA_ARGS__"
_DEEPEST = 4
_LONGEST = 1 << 20
"""Characters that the uses of macros may add to a file."""


class Macro(NamedTuple):
    """A macro with parameters, comments in its body left out."""

    name: str
    parameters: tuple[str, ...]
    body: str


class Expanded(NamedTuple):
    """A file as its macros leave it."""

    code: Code
    starts: list[int]
    shifts: list[tuple[int, bool]]
    """For the offsets in `starts`: what to subtract from an offset, and whether it is in a macro's
    text, which belongs where the macro is used."""
    source: Code
    used: frozenset[str]
    """The macros that were replaced somewhere."""

    def position(self, offset: int) -> Position:
        """The line and column in the source; for a macro's text, those of its use."""
        return self.source.position(self.source_offset(offset))

    def source_offset(self, offset: int) -> int:
        index = bisect_right(self.starts, offset) - 1
        shift, is_macro = self.shifts[index]
        return shift if is_macro else offset - shift


def macros_in(code: Code) -> Iterator[Macro]:
    """The macros with parameters that a file defines."""
    for directive in code.directives:
        if directive.keyword != "define":
            continue
        head = _HEAD.match(code.code, *directive.body)
        # A macro's parameters follow its name without a blank.
        if head is not None:
            body = code.uncommented[head.end() : directive.body.end]
            names = tuple(each.strip(" \\\r\n") for each in head[2].split(","))
            yield Macro(head[1], names, _CONTINUATION.sub(" ", body).strip())


def that_reach(macros: Mapping[str, Macro], texts: Iterable[str]) -> dict[str, Macro]:
    """The macros that have one of the texts in their body, or use another that has."""
    found: dict[str, Macro] = {}
    wanted = tuple(texts)
    while wanted:
        new = {
            name: macro
            for name, macro in macros.items()
            if name not in found and any(_has(macro.body, each) for each in wanted)
        }
        found.update(new)
        wanted = tuple(new)
    return found


def _has(body: str, text: str) -> bool:
    if not text.isidentifier():
        return text in body
    return text in body and next(occurrences(body, text), None) is not None


def expand(code: Code, macros: Mapping[str, Macro]) -> Expanded:
    """The file with the uses of these macros outside directives expanded."""
    uses = sorted(_uses(code, macros))
    pieces: list[str] = []
    starts, shifts = [0], [(0, False)]
    used: set[str] = set()
    length = done = added = 0
    for start, end, name, arguments in uses:
        if start < done or added > _LONGEST:
            continue
        text = _expansion(macros[name], arguments, macros, 0)
        pieces += code.text[done:start], text
        length += start - done
        starts.append(length)
        shifts.append((start, True))
        length += len(text)
        added += len(text)
        starts.append(length)
        shifts.append((length - end, False))
        used.add(name)
        done = end
    if not used:
        return Expanded(code, starts, shifts, code, frozenset())
    pieces.append(code.text[done:])
    whole = Code("".join(pieces).encode("latin-1"), code.constants)
    return Expanded(whole, starts, shifts, code, frozenset(used))


def _uses(code: Code, macros: Mapping[str, Macro]) -> Iterator[tuple[int, int, str, list[str]]]:
    for name in macros:
        if not code.mentions((name,)):
            continue
        for at in occurrences(code.code, name):
            opened = skip(code.code, at + len(name))
            if not code.code.startswith("(", opened) or code.directive_at(at) is not None:
                continue
            closed = closing_bracket(code.code, opened)
            if closed is not None:
                text = code.uncommented[opened + 1 : closed]
                yield at, closed + 1, name, _arguments(text)


def _arguments(text: str) -> list[str]:
    """The arguments of a macro: only commas inside parentheses do not separate them."""
    pieces: list[str] = []
    depth = start = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            pieces.append(text[start:at].strip())
            start = at + 1
    return [*pieces, text[start:].strip()]


def _expansion(macro: Macro, arguments: list[str], macros: Mapping[str, Macro], depth: int) -> str:
    """What a use of a macro becomes, uses of others in it replaced too."""
    values: dict[str, str] = {}
    for index, parameter in enumerate(macro.parameters):
        if parameter.endswith("..."):
            values[parameter.removesuffix("...") or _VARIADIC] = ", ".join(arguments[index:])
        else:
            values[parameter] = arguments[index] if index < len(arguments) else ""
    body = _STRINGIZE.sub(" ", _PASTE.sub("\x01", macro.body))
    text = _WORD.sub(lambda match: values.get(match[0], match[0]), body).replace("\x01", "")
    if depth < _DEEPEST and len(text) < _LONGEST:
        others = {name: each for name, each in macros.items() if name != macro.name}
        inner = Code(text.encode("latin-1", "replace"))
        pieces: list[str] = []
        done = 0
        added = 0
        for start, end, name, given in sorted(_uses(inner, others)):
            if start >= done and added < _LONGEST:
                new = _expansion(others[name], given, others, depth + 1)
                pieces += text[done:start], new
                added += len(new)
                done = end
        text = "".join((*pieces, text[done:]))
    return text[:_LONGEST]
