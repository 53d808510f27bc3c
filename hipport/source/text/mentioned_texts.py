"""Which of many texts are in files: each word is looked into once, as most files share theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import chain

from hipport.lazy_regex import regex
from hipport.source.text.source_text import FEW, Code

_WORD = regex(r"\w+", re.ASCII)
_MOST_WORDS = 100_000
"""Words to remember."""
_FIRST = 4
_SMALL = 16_384
"""Of how many files, up to which size, the texts are sought one by one, which takes less time
than to sort them for the words of others."""


class MentionedTexts:
    """Finds those of the texts that a file has, comments included."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = frozenset(texts)
        self._seen: set[str] = set()
        self._held: dict[str, list[str]] = {}
        """Word -> the texts in it, and the words of texts with several."""
        self._files = 0

    def of(self, code: Code) -> frozenset[str]:
        """The texts in a file."""
        return code.once(self._found_in, code, "")

    def _found_in(self, code: Code, _: str) -> frozenset[str]:
        if len(self._texts) <= FEW:
            return frozenset(each for each in self._texts if code.mentions((each,)))
        self._files += 1
        if self._files <= _FIRST and len(code.text) <= _SMALL:
            text = code.text
            return frozenset([each for each in self._texts if each in text])
        self._look_into(code.words)
        held: set[str] = set()
        for word in self._held.keys() & code.words:
            held.update(self._held[word])
        found = held & self._texts
        several = (each for word in held for each in self._of_several.get(word, ()))
        possible = (each for each, words in several if held.issuperset(words))
        found.update(each for each in possible if each in code.text)
        text = code.text
        found.update(each for each, search in self._signs if each[0] in text and search(text))
        return frozenset(found)

    def _look_into(self, words: frozenset[str]) -> None:
        if len(self._seen) > _MOST_WORDS:
            self._seen, self._held = set(), {}
        new = words - self._seen
        self._seen |= new
        text = f" {' '.join(new)} "
        beginnings = {(), *zip(text, text[1:], text[2:], strict=False)}
        possible = (self._parts[each] for each in self._parts.keys() & beginnings)
        for each in chain.from_iterable(possible):
            at = text.find(each)
            while at >= 0:
                start, end = text.rindex(" ", 0, at + 1) + 1, text.index(" ", at + 1)
                self._held.setdefault(text[start:end], []).append(each)
                at = text.find(each, end)

    @cached_property
    def _parts(self) -> dict[tuple[str, ...], list[str]]:
        """The texts of one word, and the words of each other one, by their first three characters;
        by none those that have fewer."""
        words = {word for _, words in self._several for word in words}
        found: dict[tuple[str, ...], list[str]] = {}
        for each in sorted(words.union(filter(_is_word, self._texts))):
            found.setdefault(tuple(each[:3]) if len(each) > 2 else (), []).append(each)
        return found

    @cached_property
    def _several(self) -> list[tuple[str, tuple[str, ...]]]:
        """Those with more than a word, and their words or parts of such, with blanks where these
        begin or end; the longest is enough where the others are letters, which most files have."""
        found = []
        for each in sorted(self._texts):
            words = sorted(_WORD.finditer(each), key=lambda word: len(word[0]))
            kept = [word for word in words if len(word[0]) > 1 or word is words[-1]]
            if kept and not _is_word(each):
                found.append((each, tuple(map(_with_edges, kept))))
        return found

    @cached_property
    def _of_several(self) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
        """The same by their longest word."""
        found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for each, words in self._several:
            found.setdefault(words[-1], []).append((each, words))
        return found

    @cached_property
    def _signs(self) -> list[tuple[str, Callable[[str], object]]]:
        """Those without words, and how to find them.

        `in` looks for their last character, such as the line break behind a backslash, which each
        line has; `re` for their first.
        """
        signs = sorted(each for each in self._texts if not _WORD.search(each))
        return [(each, re.compile(re.escape(each)).search) for each in signs]


def _with_edges(word: re.Match[str]) -> str:
    """A word of a text, with a blank where the text has another character beside it."""
    return " " * (word.start() > 0) + word[0] + " " * (word.end() < len(word.string))


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None
