"""The files of a tree, each read and blanked once for all passes over the tree."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from hipport.errors import HipportError
from hipport.files import read
from hipport.rulebook.rules import RuleSet
from hipport.source.text.source_text import Code

_LARGEST = 4 << 20
_MOST = 6 << 20
_BLANKED = 4
"""How many times its size a text takes once it has been blanked."""
_LATEST = 2
"""How many codes are kept, whatever the room: a definition is compared with its declaration."""
_kept: dict[bytes, Code] = {}
"""What the passes over the last tree have blanked, for the conversion of each file."""
_last: deque[Code] = deque(maxlen=0)


def keep(number: int) -> None:
    """Keep so many of the last texts from now on: a language server audits and converts each."""
    global _last
    _last = deque(maxlen=number)


Question = Callable[[bytes, RuleSet], Hashable]
"""What a pass over a tree asks about the bytes of each file."""


class TreeTexts:
    """Remembers texts up to a bound of memory; those beyond it are read again each time.

    All questions are asked about a file when it is first read, and their answers are kept.
    """

    def __init__(
        self, rules: RuleSet, questions: Iterable[Question] = (), most: int = _MOST
    ) -> None:
        self._rules = rules
        self._questions = tuple(questions)
        self._answers: dict[str, tuple[Hashable, ...]] = {}
        self._equal: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}
        """Most files have the same answers: they share them."""
        self._left = most
        _kept.clear()
        self._bytes: dict[str, bytes] = {}
        self._codes: dict[str, Code] = {}
        self._latest: deque[tuple[str, Code]] = deque(maxlen=_LATEST)
        self.graphs: dict[tuple[str, ...], Any] = {}
        """The include graph of these paths, once it was asked for."""
        self._last_read = ("", b"")

    def read(self, name: str) -> bytes:
        """The bytes of a file; none where it is too large, or its conversion reports it."""
        if name in self._bytes:
            return self._bytes[name]
        if self._last_read[0] == name:
            return self._last_read[1]
        try:
            data = read(name, _LARGEST)
        except HipportError:
            data = b""
        if name not in self._answers:
            answers = tuple(question(data, self._rules) for question in self._questions)
            self._answers[name] = self._equal.setdefault(answers, answers)
        if self._has_room(len(data)):
            self._bytes[name] = data
        else:
            self._last_read = (name, data)
        return data

    def answer(self, question: Question, name: str) -> Any:
        """What a question gives for the bytes of a file."""
        if question not in self._questions:
            return question(self.read(name), self._rules)
        if name not in self._answers:
            self.read(name)
        return self._answers[name][self._questions.index(question)]

    def has(self, name: str, wanted: Iterable[str]) -> bool:
        """Whether a file contains any of the texts, in comments and literals too."""
        data = self.read(name)
        return any(each.encode() in data for each in wanted)

    def code(self, name: str) -> Code:
        """A file's code, outside comments and literals."""
        if name in self._codes:
            return self._codes[name]
        for other, code in self._latest:
            if other == name:
                return code
        code = Code(self.read(name))
        self._latest.append((name, code))
        if self._has_room(_BLANKED * len(code.data)):
            self._codes[name] = _kept[code.data] = code
        return code

    def _has_room(self, size: int) -> bool:
        has_room = size <= self._left
        self._left -= size if has_room else 0
        return has_room


def code_of(data: bytes, constants: Mapping[str, list[str]]) -> Code:
    """The code of a file's bytes; what was blanked to plan its tree is not blanked again."""
    known = next((each for each in _last if each.data == data), None)
    code = known or _kept.pop(data, None) or Code(data)
    if not known:
        if _last:
            code.follow(_last[-1])
        _last.append(code)
    return code.knowing(constants)
