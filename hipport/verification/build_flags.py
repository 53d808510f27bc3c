"""How build files compile a source: the types for it, and the arguments that a parser needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hipport.named_tuples import NamedTuple
from hipport.verification.compiler_facts import knowledge

_PATHS = ("-I", "-isystem", "-iquote", "-idirafter", "-include")
HIP, CXX, C = "HIP", "CXX", "C"
EVERY = frozenset((HIP, CXX, C))


class Words(NamedTuple):
    """Words of a command line for files of these languages; relative paths begin in `folder`."""

    words: tuple[str, ...]
    folder: Path
    languages: frozenset[str] = EVERY


class LeftOut(NamedTuple):
    """An argument that was left out, as what it refers to is unknown."""

    path: Path
    line: int
    text: str


def kept(words: Sequence[str], folder: Path, moved: Callable[[Path], Path]) -> list[str]:
    """The arguments that a parser needs, their paths absolute and passed through `moved`."""
    made: list[str] = []
    flags: list[str] = knowledge()["flags"]
    waiting = ""
    for word in words:
        if waiting:
            made += [waiting, str(moved(plain(folder / word)))]
            waiting = ""
        elif word in _PATHS:
            waiting = word
        elif word in ("-D", "-U"):
            made.append(word)
        elif made and made[-1] in ("-D", "-U"):
            made[-1] += word
        elif word.startswith("-I"):
            made.append(f"-I{moved(plain(folder / word.removeprefix('-I')))}")
        elif any(word.startswith(flag) for flag in flags):
            made.append(word)
    return made


def plain(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def without_contradictions(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """(words, what was left out): each once, of several standards the last, no macro that has
    several values."""
    words = list(words)
    values: dict[str, set[str]] = {}
    for word in words:
        if word.startswith("-D"):
            name, _, value = word.removeprefix("-D").partition("=")
            values.setdefault(name, set()).add(value)
    torn = {name for name, found in values.items() if len(found) > 1}
    standards = [word for word in words if word.startswith("-std=")]
    made: list[str] = []
    left: list[str] = []
    at = 0
    while at < len(words):
        size = 2 if words[at] in _PATHS else 1
        each = words[at : at + size]
        at += size
        name = each[0].removeprefix("-D").partition("=")[0]
        if each[0].startswith("-D") and name in torn:
            left += [word for word in each if word not in left]
        elif each[0].startswith("-std=") and each[0] != standards[-1]:
            continue
        elif size == 2 or each[0] not in made:
            made += each
    return made, left
