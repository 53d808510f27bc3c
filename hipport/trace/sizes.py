"""Grids, blocks, and bytes of LDS that are constant at a launch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.names.constants import definitions_in_file, number
from hipport.source.text.brackets import closing_bracket, occurrences, skip, skip_back
from hipport.source.text.source_text import Code
from hipport.trace.model import Size
from hipport.trace.scopes import blocks_of
from hipport.trace.trace_rules import trace_rules
from hipport.trace.written_names import split_list

_NAME = regex(r"(?<![\w.])(?!\d)[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*")
_SIZEOF = regex(r"\bsizeof\s*\(\s*([\w\s]*?)\s*(\*?)\s*\)")
_CAST = regex(
    r"\b(?:static_cast\s*<\s*[\w\s:]+>\s*(?=\()|(?:unsigned|int|size_t|uint32_t)\s*(?=\())"
    r"|\(\s*(?:unsigned(?:\s+int)?|int|size_t|uint32_t|unsigned\s+long)\s*\)"
)
_BEHIND = regex(
    r"\s*(?:(?P<assigned>=(?!=))|(?P<bracket>[({])|\.\s*(?P<member>[xyz])\s*=(?!=)"
    r"|(?P<changed>(?:\.\s*[xyz]\s*)?(?:(?:[-+*/%&|^]|<<|>>)=|\+\+|--)))"
)
"""How a mention of a variable uses it."""
_NO_TYPES = (*([each] for each in "return else case throw delete new goto".split()), [])
_DEPTH = 6
_LONGEST = 200
_POINTER = 8


class Constants:
    """The constants known at places in one file."""

    def __init__(self, code: Code, rules: RuleSet) -> None:
        self.code = code
        self.rules = rules
        self._offset = -1
        self._known: dict[str, str | None] = {}
        dimension = rules.spellings.dimension_type
        self._dimension = re.compile(rf"\s*(?:{dimension}\s*)?([({{])(.*)[)}}]\s*\Z", re.DOTALL)

    def size(self, text: str, offset: int) -> Size:
        """The value of an expression at an offset along each axis."""
        return Size(" ".join(text.split()), self._axes(text, offset, 0))

    def _axes(self, text: str, offset: int, depth: int) -> tuple[int, ...] | None:
        text = text.strip()
        if text == "0":
            return (0,)
        if depth > _DEPTH or len(text) > _LONGEST:
            return None
        if text.isidentifier():
            given = self._variable(text, offset)
            if given is not None:
                return self._axes(given, offset, depth + 1) if given else None
        is_made = text.startswith(self.rules.spellings.dimension_type)
        value = None if is_made else self.number(text, offset, depth)
        if value is not None:
            return (value,)
        if match := self._dimension.match(text):
            parts = split_list(match[2])
            if len(parts) == 1:
                return self._axes(parts[0], offset, depth + 1)
            values = [self.number(each, offset, depth) for each in parts]
            known = tuple(each for each in values if each is not None)
            return known if len(known) == len(values) <= 3 else None
        return None

    def number(self, text: str, offset: int, depth: int = 0) -> int | None:
        """The value of an integer expression at an offset; None if it is not known."""
        if text.isdecimal() and text.isascii() and not text.startswith("0") and len(text) < 19:
            return int(text)
        if depth > _DEPTH or len(text) > _LONGEST:
            return None
        if "(" in text:
            text = _CAST.sub("", _SIZEOF.sub(_size_of, text))
        pieces: list[str] = []
        done = 0
        for match in _NAME.finditer(text):
            value = self._named(match[0], offset, depth + 1)
            if value is None:
                return None
            pieces += text[done : match.start()], f"({value})" if value < 0 else str(value)
            done = match.end()
        pieces.append(text[done:])
        found = number(self.code, self.rules, "".join(pieces))
        return found if found is None or abs(found) < 1 << 62 else None

    def _named(self, name: str, offset: int, depth: int) -> int | None:
        *scope, last = (each.strip() for each in name.split("::"))
        if name in trace_rules().sizes or name in trace_rules().types:
            return None
        dependent = blocks_of(self.code).place(offset).dependent
        if dependent and not dependent.isdisjoint((*scope, last)):
            return None
        if not scope:
            given = self._variable(last, offset)
            if given is not None:
                return self.number(given, offset, depth) if given else None
        texts = self._shared(tuple(scope), last, offset)
        values = {self.number(each, offset, depth) for each in texts}
        return values.pop() if len(values) == 1 else None

    def _shared(self, scope: tuple[str, ...], name: str, offset: int) -> list[str]:
        """The texts that macros, and constants that the place sees, give a name."""
        blocks = blocks_of(self.code)
        here = blocks.place(offset).scope
        found: list[str] = []
        own = definitions_in_file(self.code, name)
        for each in own:
            if self.code.directive_at(each.offset) is not None:
                found.append(each.text)
                continue
            place = blocks.place(each.offset)
            around = place.scope
            is_seen = around[-len(scope) :] == scope if scope else around == here[: len(around)]
            if is_seen and place.function is None:
                found.append(each.text)
        return found if own else self.code.constants.get(name, [])

    def _variable(self, name: str, offset: int) -> str | None:
        """The same as `_local`, looked for once at a launch."""
        if offset != self._offset:
            self._offset, self._known = offset, {}
        if name not in self._known:
            self._known[name] = self._local(name, offset)
        return self._known[name]

    def _local(self, name: str, offset: int) -> str | None:
        """What a variable of the function around an offset is given, once and for all; "" where
        that is not known, None where the function has no such variable."""
        place = blocks_of(self.code).place(offset)
        if place.function is None:
            return None
        text = self.code.code
        if any(_mentions(text, name, place.function.head)):
            return ""  # A parameter: its value comes from outside.
        # Statements after the place in a loop run before it in the next iteration.
        end = max((each.closed for each in place.blocks if each.kind == "loop"), default=offset)
        values: list[str] = []
        members: dict[str, str] = {}
        is_declared = is_dimension = False
        for at in _mentions(text, name, Span(place.function.opened, end)):
            if self.code.directive_at(at) is not None:
                continue
            behind = _BEHIND.match(text, at + len(name))
            what = behind.lastgroup if behind else None
            if behind is not None and what == "member":
                if behind["member"] in members or not self._is_sure(at, offset):
                    return ""
                members[behind["member"]] = _initializer(text, at)
            elif what == "changed" or _is_referred(text, at):
                return ""
            elif what == "assigned":
                values.append(_initializer(text, at))
            elif what == "bracket" and self._is_dimension(_words_before(text, at)):
                values.append(self._made(text, at + len(name)))
            elif _is_typed(text, at) and (words := _words_before(text, at))[-1:] not in _NO_TYPES:
                is_declared, is_dimension = True, self._is_dimension(words)
        if members:
            return self._assembled(members) if is_dimension and not values else ""
        if len(values) == 1:
            return values[0]
        return "" if values or is_declared else None

    def _is_sure(self, at: int, offset: int) -> bool:
        """Whether the statement that begins at a place runs whenever the one at the offset does."""
        blocks = blocks_of(self.code)
        around = blocks.place(at).blocks
        is_before = at < offset and around[0] in blocks.place(offset).blocks
        return is_before and not _words_before(self.code.code, at)

    def _assembled(self, members: dict[str, str]) -> str:
        """A variable whose members are assigned; the others are 1."""
        values = ", ".join(members.get(each) or "1" for each in "xyz")
        return f"{self.rules.spellings.dimension_type}({values})"

    def _is_dimension(self, words: list[str]) -> bool:
        """Whether these words begin a declaration of dimensions."""
        return self.rules.spellings.dimension_type in words[:3]

    def _made(self, text: str, end: int) -> str:
        opened = skip(text, end)
        closed = closing_bracket(text, opened)
        inside = text[opened + 1 : closed] if closed is not None else ""
        return f"{self.rules.spellings.dimension_type}({inside})"


def _mentions(text: str, name: str, span: Span) -> Iterator[int]:
    """Where a variable may be mentioned: members and qualified names of its name are others."""
    return (at for at in occurrences(text, name, *span) if text[at - 1] not in ".>:")


def _words_before(text: str, at: int) -> list[str]:
    """The words of the statement before a place in it."""
    start = max(0, at - _LONGEST)
    return text[max(start, *(text.rfind(mark, start, at) + 1 for mark in ";{}")) : at].split()


def _is_referred(text: str, at: int) -> bool:
    """Whether the operator before a name may change it: `&`, `++`, `--`, or `>>`."""
    before = skip_back(text, at)
    last = text[max(0, before - 2) : before]
    return last in ("++", "--", ">>") or (last.endswith("&") and last != "&&")


def _is_typed(text: str, at: int) -> bool:
    """Whether the text before a name may be its type."""
    before = skip_back(text, at)
    if text[before - 1 : before] in ("*", "&"):
        before = skip_back(text, before - 1)
    last = text[before - 1 : before]
    return before < at and (last.isalnum() or last in ("_", ">"))


def _initializer(text: str, end: int) -> str:
    """The expression behind a `=`, up to the comma or semicolon that ends it."""
    start = text.index("=", end) + 1
    stop = text.find(";", start, start + _LONGEST)
    pieces = split_list(text[start:stop]) if stop >= 0 else []
    return pieces[0] if pieces else ""


def _size_of(match: re.Match[str]) -> str:
    if match[2]:
        return str(_POINTER)
    rules = trace_rules()
    name = " ".join(match[1].split())
    size = rules.sizes.get(rules.types.get(name, name))
    return match[0] if size is None else str(size)
