"""Code for HIP whose lanes work together in groups of 32, however many a wavefront has."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.names.constants import number
from hipport.source.names.scanned_declarations import function_bodies
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.source_text import Code


@lru_cache(maxsize=1)
def groups_of(code: Code, rules: RuleSet, shuffle: str, together: str) -> Groups:
    """The groups of a file, found once."""
    return Groups(code, rules, shuffle, together)


_INNERMOST = regex(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[\w\s:,*&]*>")


class Groups:
    """What is left of a file's functions without what works in groups of so many lanes at most.

    `shuffle` finds functions that take the size of a group behind their other arguments, with a
    group `sync` where a mask is the first of them; `together` all that lanes do together.
    """

    def __init__(self, code: Code, rules: RuleSet, shuffle: str, together: str) -> None:
        self._code, self._rules = code, rules
        self._shuffle, self._together = re.compile(shuffle), re.compile(together)
        self._known: set[str] = set()
        for each in function_bodies(code):
            body = code.code[each.inside.start : each.inside.end]
            if self._together.search(body) and self.are_all(body):
                self._known.add(each.name)

    def are_all(self, text: str) -> bool:
        """Whether lanes do nothing together in a text but in such groups."""
        rest = self._without_shuffles(text)
        for match in self._together.finditer(rest):
            word = re.search(r"\w+\Z", match[0].rstrip("( \n\t"))
            if word is None or word[0] not in self._known:
                return False
        return True

    def has_small_block(self, text: str, blocks: str) -> bool:
        """Whether a function's attribute says that a block has no more threads than that."""
        found = re.search(blocks, text)
        return found is not None and self._is_small(found["threads"])

    def _without_shuffles(self, text: str) -> str:
        pieces, done = [], 0
        for match in self._shuffle.finditer(text):
            opened = match.end() - 1
            closed = closing_bracket(text, opened)
            if closed is None or match.start() < done:
                continue
            inside = text[opened + 1 : closed]
            number_of, last = _arguments(inside)
            if number_of == (4 if match["sync"] else 3) and self._is_small(last):
                pieces += [text[done : match.start()], inside]
                done = closed + 1
        return "".join((*pieces, text[done:]))

    def _is_small(self, size: str) -> bool:
        lanes = number(self._code, self._rules, size)
        return lanes is not None and 0 < lanes <= self._rules.lanes.lanes


def _arguments(text: str) -> tuple[int, str]:
    """How many arguments a call has, and the last one."""
    flat = text
    while (inner := _INNERMOST.sub("", flat)) != flat:
        flat = inner
    last = text.rpartition(",")[2]
    return flat.count(",") + 1, last if flat.endswith(last) else ""
