"""What short functions of a file return: `int lane() { return threadIdx.x % 32; }`.

Others may give each thread what a block or a warp agreed on, whatever it was made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.flow.body_text import WORD
from hipport.source.flow.device_functions import Function

_SHORT = regex(r"\{(?P<before>[^{}]{0,200}?)\breturn\b(?P<value>[^;{}]{1,100});\s*\}")
_CHOOSING = regex(r"\b(?:if|for|while|do|switch|return)\b")
_LONGEST = 400
_DEEPEST = 4

Kinds = frozenset[str]
NOTHING: Kinds = frozenset()


class Returned(NamedTuple):
    function: int
    """Its number among those of the file."""
    value: Span


class ReturnedValues:
    """Answers for the calls in one file; of functions with one name, for all of them."""

    def __init__(
        self, text: str, functions: Iterable[Function], kinds: Callable[[Returned], Kinds]
    ) -> None:
        self._ask = kinds
        self._kinds: dict[str, Kinds] = {}
        self._depth = 0
        self._by_name: dict[str, list[Returned]] = {}
        self.words: dict[str, set[str]] = {}
        """Function -> the names that what it returns may be made of."""
        for number, each in enumerate(functions):
            start, end = each.body
            match = _SHORT.match(text, start, end + 1) if end - start < _LONGEST else None
            if match and not _CHOOSING.search(match["before"]):
                self.words.setdefault(each.name, set()).update(WORD.findall(match[0]))
                found = Returned(number, Span(*match.span("value")))
                self._by_name.setdefault(each.name, []).append(found)

    def made_of(self, words: frozenset[str]) -> list[str]:
        """The functions that may return what some names stand for."""
        return [name for name, inside in self.words.items() if not words.isdisjoint(inside)]

    def kinds(self, name: str) -> Kinds:
        """What a function's value depends on."""
        if name not in self._by_name or self._depth == _DEEPEST:
            return NOTHING
        if name not in self._kinds:
            self._kinds[name] = NOTHING
            self._depth += 1
            self._kinds[name] = NOTHING.union(*map(self._ask, self._by_name[name]))
            self._depth -= 1
        return self._kinds[name]
