"""Searches for expressions of which every match begins with one of a few texts, sought first.

A lookbehind or `\\b` before a text keeps `re` from looking for the text itself, which takes
a hundredth of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, cached_property, lru_cache
from itertools import accumulate, product

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.anchored_search import Anchor, anchor_of, anchored_matches
from hipport.source.text.expression_parts import (
    Characters,
    Group,
    Part,
    Repeat,
    WordEdge,
    parts_of,
    starts_of_parts,
)
from hipport.source.text.known_expressions import known

_SHORTEST = 2
_MOST = 64
_FEW = 16
_OF_LINES = frozenset(" ,(")
_LETTERS = regex(r"\[([^\\^-]+)\]")

_Starts = tuple[list[str], bool]
"""Texts of which a match begins with one, and whether it is one of them as a whole."""


def symbol_span(match: re.Match[str]) -> Span:
    """What the expression of a match names `symbol`; the whole match where it names nothing so."""
    return Span(*match.span("symbol" if "symbol" in match.re.groupindex else 0))


def matches(
    pattern: str,
    text: str,
    flags: re.RegexFlag = re.MULTILINE,
    may_have: Callable[[str, bool], bool] | None = None,
) -> Iterator[re.Match[str]]:
    """What re.finditer gives.

    `may_have` says quickly whether a text is worth looking for, or one in lower case in any case.
    """
    search = search_of(pattern, flags)
    if search.is_at_start:
        if match := search.expression_for(text).match(text):
            yield match
    elif search.beginnings:
        done = 0
        expression = search.expression_for(text)
        for at in places(_possible(search.beginnings, may_have), text):
            if at >= done and (match := expression.match(text, at)):
                yield match
                done = match.end()
    elif search.anchor and _is_latin_1(text):
        is_folded = search.anchor.is_folded
        wanted = _possible(search.anchor.texts, may_have, is_folded=is_folded)
        found = places(wanted, _lowered(text) if is_folded and wanted else text)
        # Where much has the anchor's texts, little has what an expression ends with from there on.
        is_rare = len(found) < _FEW or not search.tail
        if found and (is_rare or any(matches(search.tail, text, flags, may_have))):
            yield from anchored_matches(search.expression_for(text), search.anchor, found, text)
    else:
        yield from search.expression_for(text).finditer(text)


def _possible(
    texts: tuple[str, ...],
    may_have: Callable[[str, bool], bool] | None,
    *,
    is_folded: bool = False,
) -> Collection[str]:
    """Those of the texts that are worth looking for."""
    return [each for each in texts if may_have(each, is_folded)] if may_have else texts


def places(wanted: Iterable[str], text: str) -> list[int]:
    """Where any of the wanted texts is, in order."""
    found: set[int] = set()
    for each in wanted:
        if _overlaps_itself(each):
            at = text.find(each)
            while at >= 0:
                found.add(at)
                at = text.find(each, at + 1)
        elif len(between := text.split(each)) > 1:
            # Loops of C take a third of the time where a text has many.
            ends = accumulate(map(len(each).__add__, map(len, between[:-1])))
            found.update(map((-len(each)).__add__, ends))
    return sorted(found)


@cache
def _overlaps_itself(text: str) -> bool:
    """Whether it may begin where it has not ended, as `__` in three of the character."""
    return any(text.endswith(text[:number]) for number in range(1, len(text)))


class Search:
    """How to search for an expression, which is compiled when a text may match."""

    def __init__(self, pattern: str, flags: re.RegexFlag) -> None:
        self._pattern, self._flags = pattern, flags
        self.is_at_start: bool
        """Whether a match can only be at the start of a text."""
        self.beginnings: tuple[str, ...]
        """Texts of which every match begins with one; none if that is unknown."""
        self.anchor: Anchor | None
        """Of an expression without beginnings: texts further on."""
        of_wheel = known(pattern) if _is_known_with(flags, pattern) else None
        if of_wheel:
            self.is_at_start, self.beginnings = of_wheel.is_at_start, of_wheel.beginnings
            self.anchor = Anchor.known(of_wheel.anchor) if of_wheel.anchor else None
            self.tail = of_wheel.tail
        else:
            self.is_at_start = _is_at_start(pattern, flags)
            self.beginnings = _beginnings(pattern, flags)
            self.anchor = None if self.beginnings else anchor_of(pattern, flags)

    def expression_for(self, text: str) -> re.Pattern[str]:
        """The expression, without the tables of Unicode where the text is ASCII."""
        return self.of_ascii if text.isascii() else self.expression

    @cached_property
    def expression(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    @cached_property
    def of_ascii(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags | re.ASCII)

    @cached_property
    def tail(self) -> str:
        """What an expression ends with, from the part with its anchor on; "" if that is all.

        Nor is it worth a look where only words are before the anchor, which end soon.
        """
        if self.anchor is None or not _OF_LINES.intersection(self.anchor.before):
            return ""
        for start in reversed(starts_of_parts(self._pattern)):
            anchor = anchor_of(self._pattern[start:], self._flags)
            if anchor and anchor.texts == self.anchor.texts:
                return self._pattern[start:] if start else ""
        return ""


@lru_cache(maxsize=2048)
def search_of(pattern: str, flags: re.RegexFlag = re.MULTILINE) -> Search:
    """How to search for an expression; `re` itself remembers only the last 512."""
    return Search(pattern, flags)


@lru_cache(maxsize=2)
def _lowered(text: str) -> str:
    return text.lower()


def _is_latin_1(text: str) -> bool:
    try:
        # A copy takes a hundredth of the time of a look at each character.
        return text.isascii() or bool(text.encode("latin-1"))
    except UnicodeEncodeError:
        return False


def _is_known_with(flags: re.RegexFlag, pattern: str) -> bool:
    """Whether what is known of an expression holds with these flags."""
    return flags == re.MULTILINE or (flags == re.NOFLAG and not pattern.startswith("^"))


def _is_at_start(pattern: str, flags: re.RegexFlag) -> bool:
    whole = parts_of(pattern, flags) if pattern.startswith(r"\A") else None
    return whole is not None and len(whole.ways) == 1


def _beginnings(pattern: str, flags: re.RegexFlag) -> tuple[str, ...]:
    whole = parts_of(pattern, flags)
    texts = _of_part(whole)[0] if whole else []
    return tuple(dict.fromkeys(texts)) if min(map(len, texts), default=0) >= _SHORTEST else ()


def _of_sequence(parts: Iterable[Part]) -> _Starts:
    texts = [""]
    for part in parts:
        if isinstance(part, WordEdge):
            continue
        more, is_whole = _of_part(part)
        if not more or len(texts) * len(more) > _MOST:
            return texts, False
        texts = [first + second for first, second in product(texts, more)]
        if not is_whole:
            return texts, False
    return texts, True


def _of_part(part: Part) -> _Starts:
    if isinstance(part, str):
        return [part], True
    if isinstance(part, Characters):
        letters = _LETTERS.fullmatch(part.written)
        return (list(letters[1]), True) if letters else ([], False)
    if isinstance(part, Group) and not part.is_folded:
        ways = [_of_sequence(each) for each in part.ways]
        return [text for texts, _ in ways for text in texts], all(whole for _, whole in ways)
    if isinstance(part, Repeat) and part.least:
        return _of_part(part.part)[0], False
    return [], False
