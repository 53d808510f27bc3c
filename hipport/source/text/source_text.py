"""A source text with its comments and literals blanked out, offset for offset.

Text is decoded as latin-1, so that an index into it is a byte offset whatever the encoding.
Blanking follows the lexical rules of [lex.phases], [lex.comment], [lex.string] and [lex.ppnumber]
of the C++ standard; it needs no parser and cannot be misled by code that does not parse.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from hipport.lazy_regex import regex
from hipport.model import Position, Span
from hipport.source.text.directives import Branch, Directive, directives_of
from hipport.source.text.quick_search import matches
from hipport.source.text.required_texts import longest_word, required
from hipport.source.text.spelling import in_one_spelling

_LETTERS = (*filter(str.isalpha, map(chr, range(128))), "_", *map(chr, range(128, 256)))
IDENTIFIER_PARTS = frozenset((*_LETTERS, *map(str, range(10))))
"""Of what identifiers consist. Every byte of an encoding beyond ASCII counts as a letter."""
_WORDS = bytes(each if chr(each) in IDENTIFIER_PARTS else ord(" ") for each in range(256))

# Each alternative begins with a literal character: that lets the engine skip ahead quickly.
# Runs of ordinary characters are one repeat each, possessive: nothing in them can be given back.
_OPAQUE = regex(
    r"//[^\n\\]*+(?:\\(?:\r?\n|.|\Z)[^\n\\]*+)*+"
    r"|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)"
    r'|R"([^()\\\s]{0,16})\(.*?\)\1"'
    r'|"[^"\\\n]*+(?:\\(?:\r\n|.)[^"\\\n]*+)*+"'
    r"|'[^'\\\n]*+(?:\\(?:\r\n|.)[^'\\\n]*+)*+'",
    re.DOTALL,
)
_NUMBER_BEFORE_SEPARATOR = regex(r"(?<![0-9A-Za-z_.])\.?[0-9][0-9A-Za-z_.']*\Z")
_BOM = "\xef\xbb\xbf"
_END_OF_FUNCTION = "\n}\n"
_WINDOW = 20_000
_MOST_REMEMBERED = 1000
_LONGEST_REMEMBERED = 16 << 10
FEW = 30  # texts are looked for one by one: to list all words takes longer.
_vocabularies: dict[int, str] = {}
"""Those of the latest texts, by the hashes of their bytes: a tree's plan asks for a file's words,
and its conversion asks again. Two texts have the same 64 bits as rarely as the same digest."""
_NONE: Mapping[str, list[str]] = {}
_Asked = TypeVar("_Asked")
_Place = TypeVar("_Place", bound=Hashable)
_Found = TypeVar("_Found")


class Code:
    """One file's bytes, and the code in them, outside comments and literals."""

    def __init__(self, data: bytes, constants: Mapping[str, list[str]] = _NONE) -> None:
        self.data = data
        self.text = data.decode("latin-1")
        self.constants = constants
        """Name -> the texts that headers of the tree give it, as far as they are known."""
        self._has_word: dict[str, bool] = {}
        self._mentioned: dict[str, bool] = {}
        self._may_have_folded: dict[str, bool] = {}
        self._found: dict[tuple[object, Hashable], Any] = {}
        self._of_parts: dict[str, dict[Hashable, Any]] = {}
        self._of_earlier_parts: dict[str, dict[Hashable, Any]] = {}

    def follow(self, earlier: Code) -> None:
        """Take over what was found in parts of an earlier version of the text."""
        self._of_earlier_parts = earlier._of_parts

    def of_part(self, find: Callable[..., _Found], part: Span, *asked: Hashable) -> _Found:
        """What a function finds in the code of a part alone, with offsets in it; it looks once."""
        text = self.code[part.start : part.end]
        known = self._of_parts.get(text)
        if known is None:
            known = self._of_parts[text] = self._of_earlier_parts.get(text, {})
        if (find, asked) not in known:
            known[find, asked] = find(text, *asked)
        found: _Found = known[find, asked]
        return found

    def once(self, find: Callable[[_Asked, _Place], _Found], asked: _Asked, at: _Place) -> _Found:
        """What a function finds of a name, or at an offset, in this text alone; it looks once."""
        if (find, at) not in self._found:
            self._found[find, at] = find(asked, at)
        found: _Found = self._found[find, at]
        return found

    def knowing(self, constants: Mapping[str, list[str]]) -> Code:
        """The same text, with what headers of the tree give to names."""
        if constants == self.constants:
            return self
        other = Code.__new__(Code)
        vars(other).update(vars(self))
        other.constants = constants
        return other

    @classmethod
    def of_lines(cls, data: bytes, code: str) -> Code:
        """A text in another language, with `code` as what is left without its comments."""
        self = cls(b"")
        self.data, self.text = data, data.decode("latin-1")
        self._blanked = code, [], []
        self.code = code
        return self

    @cached_property
    def words(self) -> frozenset[str]:
        """The identifiers and numbers of the text, comments and literals included."""
        return frozenset(self.vocabulary.split(" "))

    @cached_property
    def vocabulary(self) -> str:
        """Its words, each once: a tenth of the text, where others are found the faster."""
        known = _vocabularies.pop(hash(self.data), None)
        if known is not None:
            return known
        found = b" ".join(words_of(self.data)).decode("latin-1")
        if len(found) <= _LONGEST_REMEMBERED:
            if len(_vocabularies) == _MOST_REMEMBERED:
                del _vocabularies[next(iter(_vocabularies))]
            _vocabularies[hash(self.data)] = found
        return found

    @cached_property
    def _lowered_vocabulary(self) -> str:
        return self.vocabulary.lower()

    def mentions(self, wanted: Iterable[str]) -> bool:
        """Whether it contains any of the wanted texts, comments and literals included."""
        # A loop, as a generator for `any` takes three times as long.
        for each in wanted:
            known = self._mentioned.get(each)
            if known or (known is None and self._mentions(each)):
                return True
        return False

    def may_have(self, wanted: str, is_folded: bool = False) -> bool:
        """Whether it has the words of a text: a tenth of the time of a search for it.

        `is_folded` asks for a text in lower case that may be in any.
        """
        if not is_folded:
            return self.mentions((longest_word(wanted),))
        if wanted not in self._may_have_folded:
            self._may_have_folded[wanted] = longest_word(wanted) in self._lowered_vocabulary
        return self._may_have_folded[wanted]

    def _mentions(self, wanted: str) -> bool:
        """Looks for a word of it first; among all words, where many texts are asked for."""
        word = longest_word(wanted)
        is_listed = len(self._mentioned) >= FEW or "vocabulary" in self.__dict__
        found = word in (self.vocabulary if is_listed else self.text)
        self._mentioned[wanted] = found = found and (word == wanted or wanted in self.text)
        return found

    def finditer(self, pattern: str, flags: re.RegexFlag = re.MULTILINE) -> Iterator[re.Match[str]]:
        """What re.finditer finds in its code."""
        return matches(pattern, self.code, flags, self.may_have)

    def has(self, wanted: Iterable[str]) -> bool:
        """Whether its code contains any of the wanted texts."""
        return any(self.mentions((each,)) and each in self.code for each in wanted)

    def may_match(self, pattern: str) -> bool:
        """Whether it has what any match of a regular expression has; never False for a match."""
        return all(map(self.mentions, required(pattern)))

    def matches(self, pattern: str) -> bool:
        """Whether a regular expression matches anywhere in the code; `^` and `$` match at lines."""
        return self.may_match(pattern) and any(self.finditer(pattern))

    def has_word(self, pattern: str) -> bool:
        """Whether a regular expression matches one of its words, in comments and literals too."""
        if pattern not in self._has_word:
            found = matches(pattern, self.vocabulary, re.NOFLAG) if self.may_match(pattern) else ()
            self._has_word[pattern] = any(found)
        return self._has_word[pattern]

    def words_with(self, pattern: str) -> set[str]:
        """The words in which an expression matches in lower case, in comments and literals too."""
        text = f" {self.vocabulary} "
        return {
            text[text.rindex(" ", 0, each.start()) + 1 : text.index(" ", each.end())]
            for each in matches(pattern, text.lower())
        }

    @cached_property
    def code(self) -> str:
        """The text with its comments and literals blank, in one spelling."""
        return in_one_spelling(self._blanked[0])

    @cached_property
    def parts(self) -> list[Span]:
        """The code, cut behind each line that is a `}` alone, as most functions end."""
        ends = [0]
        while at := self.code.find(_END_OF_FUNCTION, ends[-1]) + 1:
            ends.append(at + len(_END_OF_FUNCTION) - 1)
        return [Span(*each) for each in pairwise((*ends, len(self.code)))]

    @cached_property
    def comments(self) -> list[Span]:
        return list(map(Span._make, self._blanked[1]))

    @cached_property
    def literals(self) -> list[Span]:
        return list(map(Span._make, self._blanked[2]))

    @cached_property
    def _blanked(self) -> tuple[str, list[tuple[int, int]], list[tuple[int, int]]]:
        text = self.text
        comments: list[tuple[int, int]] = []
        literals: list[tuple[int, int]] = []
        bom = text.startswith(_BOM)
        pieces = [" " * len(_BOM)] if bom else []
        done = at = len(_BOM) if bom else 0
        search = _OPAQUE.search
        while match := search(text, at):
            start, at = match.span()
            first = text[start]
            if first == "/":
                comments.append((start, at))
                # A line comment ends before its newline; a block comment is one space
                # ([lex.phases] 3), so the lines it spans are one.
                pieces += text[done:start], " " * (at - start)
                done = at
                continue
            before = text[start - 1] if start else ""
            if first == "'" and before.isalnum() and _is_digit_separator(text, start):
                at = start + 1
                continue
            if first == "R" and (before.isalnum() or before == "_") and not _is_prefix(text, start):
                at = start + 1
                continue
            literals.append((start, at))
            quote = text[at - 1]
            pieces += text[done:start], quote, " " * (at - start - 2), quote
            done = at
        pieces.append(text[done:])
        return "".join(pieces), comments, literals

    @cached_property
    def uncommented(self) -> str:
        """The text without its comments, literals left as they are, offset for offset."""
        pieces: list[str] = []
        done = 0
        for start, end in self.comments:
            pieces += self.text[done:start], " " * (end - start)
            done = end
        return "".join((*pieces, self.text[done:]))

    @cached_property
    def directives(self) -> list[Directive]:
        """All preprocessor lines, in order."""
        return directives_of(self._blanked[0])

    @cached_property
    def _directive_starts(self) -> list[int]:
        return [directive.span.start for directive in self.directives]

    def directive_at(self, offset: int) -> Directive | None:
        """The preprocessor line that contains the offset, if any."""
        index = bisect_right(self._directive_starts, offset) - 1
        if index < 0:
            return None
        directive = self.directives[index]
        return directive if offset < directive.span.end else None

    def directives_within(self, span: Span) -> Iterator[Directive]:
        """The preprocessor lines that begin inside the span."""
        index = bisect_right(self._directive_starts, span.start)
        while index < len(self.directives) and self.directives[index].span.start < span.end:
            yield self.directives[index]
            index += 1

    def is_in(self, branches: Set[tuple[int, int]], offset: int) -> bool:
        """Whether an offset is in one of the branches, as `branch_at` names them."""
        return bool(branches) and not branches.isdisjoint(self.branch_at(offset))

    def branch_at(self, offset: int) -> Branch:
        """The conditional branches around an offset, outermost first."""
        index = bisect_right(self._directive_starts, offset) - 1
        if index < 0:
            return ()
        directive = self.directives[index]
        own = ((directive.span.start, 0),) if directive.opens else ()
        return directive.branch + own

    def resolved(self, offset: int) -> str:
        """The blanked code as one preprocessing would see it from `offset` on.

        Preprocessor lines and branches that contradict the offset's own are blanked too, and of
        a conditional that begins later only the first branch stays. Reaches _WINDOW characters.
        """
        own = dict(self.branch_at(offset))
        text = self.code
        pieces = [text[:offset]]
        done = offset
        hidden = False
        for directive in self.directives_within(Span(offset, offset + _WINDOW)):
            piece = text[done : directive.span.start]
            pieces += (
                " " * len(piece) if hidden else piece,
                " " * (directive.span.end - directive.span.start),
            )
            done = directive.span.end
            branch = self.branch_at(directive.span.start)
            hidden = any(number != own.get(opened, 0) for opened, number in branch)
        pieces.append(text[done:])
        return "".join(pieces)

    def literals_within(self, span: Span) -> list[Span]:
        """The literals that begin inside the span."""
        first = bisect_left(self.literals, (span.start,))
        return self.literals[first : bisect_left(self.literals, (span.end,))]

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]

    @cached_property
    def newline(self) -> str:
        """What a line ends with that is written into the text."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *accumulate(map((1).__add__, map(len, self.text.split("\n"))))][:-1]

    @cached_property
    def _is_ascii(self) -> bool:
        return self.data.isascii()

    @cached_property
    def _encoding(self) -> str:
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError:
            return "latin-1"
        return "utf-8"

    def line_start(self, line: int) -> int:
        """The offset at which a line begins; lines count from 1."""
        return self._lines[line - 1]

    def line_of(self, position: Position) -> int:
        """The offset at which the line of a position begins."""
        return self.line_start(position.line)

    def position(self, offset: int) -> Position:
        """The line and column of a byte offset; columns count characters, a BOM counts none."""
        line = bisect_right(self._lines, offset)
        start = self._lines[line - 1]
        if self._is_ascii:
            return Position(line, offset - start + 1)
        prefix = self.data[start:offset].decode(self._encoding, "replace")
        return Position(line, len(prefix.removeprefix("\ufeff")) + 1)

    def offset(self, position: Position) -> int:
        """The byte offset of a line and column that `position` gave."""
        start = self._lines[position.line - 1]
        if self._is_ascii:
            return start + position.column - 1
        end = self._lines[position.line] if position.line < len(self._lines) else len(self.data)
        line = self.data[start:end].decode(self._encoding, "replace")
        before = line.removeprefix("\ufeff")[: position.column - 1]
        mark = len(line) - len(line.removeprefix("\ufeff"))
        return start + len((line[:mark] + before).encode(self._encoding))


def words_of(data: bytes) -> set[bytes]:
    """The identifiers and numbers of a text, comments and literals included."""
    return set(data.removeprefix(_BOM.encode("latin-1")).translate(_WORDS).split())


def _is_digit_separator(text: str, quote: int) -> bool:
    """Whether the quote is inside a number such as 1'000 ([lex.icon])."""
    window = text[max(0, quote - 64) : quote]
    return _NUMBER_BEFORE_SEPARATOR.search(window) is not None


def _is_prefix(text: str, start: int) -> bool:
    """Whether the R at `start` belongs to an encoding prefix: u8R, uR, UR or LR."""
    match = re.search(r"(?<![0-9A-Za-z_])(?:u8|u|U|L)\Z", text[max(0, start - 3) : start])
    return match is not None
