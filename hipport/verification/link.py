"""Which libraries converted code needs, and which its build files link: no linker runs.

The rulebook knows which library has a function; `-l`, `target_link_libraries`, and lists of
libraries in Python, from all build files of the tree together, say which are linked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import flag_rules
from hipport.source.buildfiles.build_kinds import build_kind
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import LARGEST_SOURCE
from hipport.verification.compiler_facts import knowledge

_KINDS = ("cmake", "make", "python")
_WORD = regex(r"[A-Za-z_]\w*", re.ASCII)
_CALLED = regex(r"\s*\(")
_COMMENT = regex(r"#[^\n]*")
_FLAG = regex(r"(?<![\w-])-l\s*([A-Za-z][\w+.-]*)")
_FILE = regex(r"\blib(\w[\w+-]*)\.(?:so|a)\b")
_LINKED = regex(r"\b(?:target_)?link_libraries\s*\(([^()]*)\)", re.IGNORECASE)
_SET = regex(r"\b(?:set|list)\s*\(\s*(?:APPEND\s+|PREPEND\s+)?(\w+)([^()]*)\)", re.IGNORECASE)
_VARIABLE = regex(r"\$\{(\w+)\}")
_LIST = regex(r"\blibraries\s*=\s*\[([^\]]*)\]")
_QUOTED = regex(r"[\"']([\w+.-]+)[\"']")


class Needed(NamedTuple):
    """The first call of a library's function, how many there are, and what would give it."""

    symbol: str
    path: Path
    line: int
    calls: int
    libraries: tuple[str, ...]
    """Names as `-l` takes them; any one of them is enough."""


class Linked(NamedTuple):
    """What the build files of a tree link."""

    files: int
    names: frozenset[str]
    unknown: tuple[str, ...]
    """Variables of CMake that are linked, and that no build file sets."""


def needed(sources: Iterable[Path]) -> Iterator[Needed]:
    """The libraries that sources call, each once."""
    found: dict[tuple[str, ...], Needed] = {}
    for path in sources:
        for symbol, line in _calls(path):
            libraries = _libraries()[symbol]
            known = found.get(libraries, Needed(symbol, path, line, 0, libraries))
            found[libraries] = known._replace(calls=known.calls + 1)
    yield from found.values()


def linked(files: Iterable[Path]) -> Linked:
    """What the build files among the files link."""
    texts = [text for path in files if (text := _text(path)) is not None]
    names: set[str] = set()
    variables: dict[str, str] = {}
    words: list[str] = []
    for text in texts:
        names.update(_FLAG.findall(text), _FILE.findall(text))
        for name, values in _SET.findall(text):
            variables[name] = f"{variables.get(name, '')} {values}"
        words += [word for inside in _LINKED.findall(text) for word in inside.split()]
        names.update(name for inside in _LIST.findall(text) for name in _QUOTED.findall(inside))
    unknown: dict[str, None] = {}
    for word in _expanded(words, variables, unknown):
        names.add(word.rpartition("::")[2].removeprefix("-l"))
    return Linked(len(texts), frozenset(names), tuple(unknown))


def _expanded(
    words: Iterable[str], variables: Mapping[str, str], unknown: dict[str, None]
) -> Iterator[str]:
    """The words with variables replaced; those that no build file sets go to `unknown`."""
    pending, seen = list(words), set()
    while pending:
        word = pending.pop().strip("\"'")
        names = _VARIABLE.findall(word)
        if not names:
            yield word
        for name in names:
            if name in variables and name not in seen:
                pending += variables[name].split()
            elif name not in variables:
                unknown[name] = None
            seen.add(name)


def _text(path: Path) -> str | None:
    """A build file without its comments; None for another file."""
    if not build_kind(path.name, _KINDS):
        return None
    try:
        return _COMMENT.sub("", read(path, LARGEST_SOURCE).decode("utf-8", "replace"))
    except HipportError:
        return None


def _calls(path: Path) -> Iterator[tuple[str, int]]:
    """Functions of libraries that a source calls, with their lines."""
    try:
        data = read(path, LARGEST_SOURCE)
    except HipportError:
        return
    if not any(start in data for start in _beginnings()):
        return
    text = Code(data).code
    for match in _WORD.finditer(text):
        if match[0] in _libraries() and _CALLED.match(text, match.end()):
            yield match[0], text.count("\n", 0, match.start()) + 1


@cache
def _libraries() -> dict[str, tuple[str, ...]]:
    """Function of HIP's or ROCm's -> the libraries that have it."""
    rules, found = load(), {}
    flags = flag_rules(rules)
    for rule in rules.every_api():
        flag = knowledge()["link"].get(rule.library)
        if flag and rule.kind == "function":
            row = flags[flag][0]
            for name, words in ((rule.hip, row.hip), (rule.roc, row.roc)):
                if name and words:
                    found[name] = tuple(word.removeprefix("-l") for word in words.split())
    return found


@cache
def _beginnings() -> frozenset[bytes]:
    """The beginnings of such functions' names: files without one need no closer look."""
    return frozenset(name[:5].encode() for name in _libraries())
