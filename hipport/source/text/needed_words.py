"""Which texts have a word that an expression needs: each word is looked at once.

Most files of a tree share theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from hipport.lazy_regex import regex
from hipport.source.text.quick_search import matches
from hipport.source.text.word_parts import word_part

_FEW = 8  # texts are searched for an expression itself before its words are worth a look.
_LONG = regex("[^ ]{200,}")


class NeededWords:
    """Remembers in which words the parts match that expressions have within words."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._long: set[str] = set()
        """Words that no expression is tried at: trying may take as long as they are, squared."""
        self._texts: list[str] = []
        """The other words, in the order in which they were added."""
        self._found: dict[str, tuple[int, set[str]]] = {}
        """Expression -> in how many of the texts it was looked for, and the words it matches in."""

    def add(self, words: Iterable[str]) -> None:
        """Take up words that no text had before."""
        text = " ".join(words)
        self._long.update(_LONG.findall(text))
        self._texts.append(_LONG.sub("", text))

    def may_match(self, pattern: str, words: frozenset[str]) -> bool:
        """Whether an expression may match in a text with such words, all of which were added."""
        self._asked[pattern] += 1
        if self._asked[pattern] <= _FEW or not (part := word_part(pattern)):
            return True
        return not (self._matching(part).isdisjoint(words) and self._long.isdisjoint(words))

    def _matching(self, part: str) -> set[str]:
        done, found = self._found.get(part, (0, set()))
        if done < len(self._texts):
            text = f" {' '.join(self._texts[done:])} "
            found.update(
                text[text.rindex(" ", 0, each.start()) + 1 : text.index(" ", each.end())]
                for each in matches(part, text, re.NOFLAG)
            )
            self._found[part] = len(self._texts), found
        return found
