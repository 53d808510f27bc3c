"""Patterns as in .gitignore: gitignore(5), "PATTERN FORMAT". Not supported: [:alpha:] etc.

Matching takes time linear in the path for each pattern, whatever the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple

_CLASS = regex(r"\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]", re.DOTALL)
_IN_CLASS = regex(r"\\(.)|([\[\]^&~|])", re.DOTALL)
_ANY_FOLDERS = None
"""Stands for `**` in a pattern: any number of folders, none included."""


class Pattern(NamedTuple):
    """One line. Each part matches one component of a path, or any number of them."""

    parts: tuple[Callable[[str], object] | None, ...]
    is_negated: bool
    only_folders: bool
    name: str
    """The expression for its last component where nothing above matters, else ""."""

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Whether the pattern means this path itself, not just a folder above it."""
        if self.only_folders and not is_folder:
            return False
        if self.name and self.parts[-1]:
            return bool(self.parts[-1](path.rpartition("/")[2]))
        return _matches(self.parts, path.split("/"))


class Patterns:
    """Patterns in their order, which rules out most paths by one look at the name."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = list(patterns)
        names = "|".join(f"(?:{each.name})" for each in self._patterns if each.name)
        self._has_name = re.compile(names or r"(?!)", re.DOTALL).fullmatch
        self._others = [each for each in self._patterns if not each.name]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches leaves the path out; None if none matches."""
        named = self._has_name(path.rpartition("/")[2])
        for pattern in reversed(self._patterns if named else self._others):
            if pattern.matches(path, is_folder=is_folder):
                return not pattern.is_negated
        return None


def parse(lines: Iterable[str]) -> Patterns:
    """The patterns of a file's lines; as in git, a malformed one is passed over."""
    found = []
    for line in lines:
        try:
            pattern = parse_line(line)
        except ValueError:
            continue
        if pattern:
            found.append(pattern)
    return Patterns(found)


def excluder(lines: Iterable[str]) -> Callable[[str], bool]:
    """A test for patterns in the syntax of .gitignore; raises ValueError for a malformed one."""
    patterns = Patterns(pattern for pattern in map(parse_line, lines) if pattern)
    if not patterns:
        return lambda _: False

    def is_excluded(path: str) -> bool:
        found = patterns.verdict(path, is_folder=False)
        # Unlike in .gitignore, a pattern that matches a folder also matches everything in it.
        while found is None and (path := path.rpartition("/")[0]):
            found = patterns.verdict(path, is_folder=True) or None
        return bool(found)

    return is_excluded


def parse_line(line: str) -> Pattern | None:
    """The pattern of a line, None for a blank line or comment; ValueError if it is malformed."""
    text = re.sub(r"(?<!\\) +\Z", "", line.rstrip("\r\n"))
    if not text or text.startswith("#"):
        return None
    is_negated, text = text.startswith("!"), text.removeprefix("!")
    only_folders, text = text.endswith("/"), text.removesuffix("/")
    is_anchored, text = "/" in text, text.removeprefix("/")
    if not text:
        raise ValueError(f"{line!r} names nothing")
    parts = text.split("/") if is_anchored else ["**", text]
    if parts[-1] == "**":
        parts.append("*")
    tests = [_ANY_FOLDERS if part == "**" else _component(part) for part in parts]
    last = tests[-1]
    is_name = len(parts) == 2 and parts[0] == "**"
    return Pattern(
        tuple(test and test.fullmatch for test in tests),
        is_negated,
        only_folders,
        last.pattern if last and is_name else "",
    )


def _matches(pattern: tuple[Callable[[str], object] | None, ...], parts: list[str]) -> bool:
    at = position = begun = 0
    last_any = -1
    while position < len(parts):
        part = pattern[at] if at < len(pattern) else None
        if at < len(pattern) and part is _ANY_FOLDERS:
            last_any, begun = at, position
            at += 1
        elif part and part(parts[position]):
            at += 1
            position += 1
        elif last_any >= 0:
            begun += 1
            at, position = last_any + 1, begun
        else:
            return False
    return at == len(pattern)


def _component(text: str) -> re.Pattern[str]:
    """The expression for a component of a path; ValueError for what git would never match."""
    chunks = [""]
    at = 0
    while at < len(text):
        match = _CLASS.match(text, at) if text[at] == "[" else None
        if match:
            # Python warns of two hyphens, which may mean a difference of sets one day.
            inside = _IN_CLASS.sub(_escaped, match[2]).replace("--", r"-\-")
            chunks[-1] += f"[{'^' if match[1] else ''}{inside}]"
            at = match.end()
            continue
        if text[at] == "*":
            if chunks[-1] or len(chunks) == 1:
                chunks.append("")
        elif text[at] == "?":
            chunks[-1] += "."
        elif text[at] == "\\":
            at += 1
            if at == len(text):
                raise ValueError(f"{text!r} ends in a backslash")
            chunks[-1] += re.escape(text[at])
        else:
            chunks[-1] += re.escape(text[at])
        at += 1
    try:
        return re.compile(_expression(chunks), re.DOTALL)
    except re.error as error:
        raise ValueError(f"{text!r}: {error}") from error


def _escaped(match: re.Match[str]) -> str:
    return re.escape(match[1] or match[2])


def _expression(chunks: list[str]) -> str:
    """Chunks with anything between them. What a chunk before the last has found is kept."""
    first, *rest = chunks
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(f"(?>.*?{chunk})" for chunk in middle) + ".*" + last
