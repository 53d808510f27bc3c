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
_DEEPEST = 4

Kinds = frozenset[str]
NOTHING: Kinds = frozenset()


class Returned(NamedTuple):
    function: int
    """Its number among those of the file."""
    value: Span
    words: frozenset[str]
    """The names in its body."""


class ReturnedValues:
    """Answers for the calls in one file; of functions with one name, for all of them."""

    def __init__(
        self, text: str, functions: Iterable[Function], kinds: Callable[[Returned], Kinds]
    ) -> None:
        self._ask = kinds
        self._kinds: dict[str, Kinds] = {}
        self._depth = 0
        self._by_name: dict[str, list[Returned]] = {}
        for number, each in enumerate(functions):
            match = _SHORT.match(text, each.body.start, each.body.end + 1)
            if match and not _CHOOSING.search(match["before"]):
                words = frozenset(WORD.findall(match[0]))
                found = Returned(number, Span(*match.span("value")), words)
                self._by_name.setdefault(each.name, []).append(found)

    def words(self, name: str) -> frozenset[str]:
        """The names that what a function returns may be made of."""
        return NOTHING.union(*(each.words for each in self._by_name.get(name, ())))

    def kinds(self, name: str) -> Kinds:
        """What that depends on."""
        if name not in self._by_name or self._depth == _DEEPEST:
            return NOTHING
        if name not in self._kinds:
            self._kinds[name] = NOTHING
            self._depth += 1
            self._kinds[name] = NOTHING.union(*map(self._ask, self._by_name[name]))
            self._depth -= 1
        return self._kinds[name]
