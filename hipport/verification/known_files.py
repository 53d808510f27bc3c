"""What is known about the files of a project: their text, their original, their findings."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import Finding, Severity
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.source.text.directives import Directive
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import LARGEST_SOURCE
from hipport.verification.original_lines import original_lines

_LONGEST_STATEMENT = 60
_ENDS = (";", "{", "}", ":")


class Origin(NamedTuple):
    """Where a file came from: its path in reports, its language, and its text before."""

    name: str
    language: str
    data: Callable[[], bytes] | None = None
    """None where the file was not converted, or its original is not known."""


class UserFile:
    """A file of the project as it is compiled."""

    def __init__(self, path: Path, origin: Origin, reported: Iterable[Finding]) -> None:
        self.origin = origin
        try:
            self.data = read(path, LARGEST_SOURCE)
        except HipportError:
            self.data = b""
        self._original = origin.data() if origin.data else self.data
        self.findings = list(reported)

    @property
    def original(self) -> bytes:
        return self._original

    @cached_property
    def code(self) -> Code:
        return Code(self.data)

    @cached_property
    def lines(self) -> list[str]:
        return _lines(self.code)

    @cached_property
    def _origins(self) -> list[int]:
        return original_lines(self._original, self.data)

    def original_line(self, line: int) -> int:
        """The line of the original that a line comes from; the line itself if that is unknown."""
        return self._origins[line - 1] if 0 < line <= len(self._origins) else line

    def original_statement(self, line: int) -> set[int]:
        """The lines of the original that a line's statement takes, before and after conversion.

        With an #error goes the condition that it is under.
        """
        lines = {self.original_line(each) for each in statement(self.lines, line)}
        for directive in self._directives.get(line, ()):
            if directive.keyword == "error" and directive.branch:
                lines.add(self.original_line(self._line_at(directive.branch[-1][0])))
        return lines | set(statement(self._original_code, self.original_line(line)))

    @cached_property
    def _original_code(self) -> list[str]:
        if self._original is self.data:
            return self.lines
        return _lines(Code(self._original))

    def still_holds(self, finding: Finding, left: Collection[tuple[str, str]]) -> bool:
        """Whether the conversion has left what a finding on the original is about.

        `left` has the codes and symbols of what is reported in the converted text.
        """
        if not finding.symbol or (finding.code, finding.symbol) in left:
            return True
        lines = range(finding.start.line, max(finding.start.line, finding.end.line) + 1)
        # Work for a person stays, even if the name is HIP's by now.
        api = load().api(finding.symbol) if finding.severity >= Severity.MANUAL else None
        names = "|".join(map(re.escape, filter(None, (finding.symbol, api and api.hip))))
        symbol = re.compile(rf"(?<!\w)(?:{names})(?!\w)")
        return any(
            symbol.search(text)
            for number, text in enumerate(self.code.text.split("\n"), 1)
            if self.original_line(number) in lines
        )

    def conditions(self, line: int) -> set[int]:
        """The lines of the original that decide whether the code after a directive is compiled."""
        found = set()
        for directive in self._directives.get(line, ()):
            found.add(self.original_line(line))
            if directive.divides and directive.branch:
                found.add(self.original_line(self._line_at(directive.branch[-1][0])))
        return found

    @cached_property
    def _directives(self) -> dict[int, list[Directive]]:
        """Line -> the directives that begin there."""
        found: dict[int, list[Directive]] = {}
        for directive in self.code.directives:
            found.setdefault(self._line_at(directive.span.start), []).append(directive)
        return found

    def _line_at(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.code.text))]


def _lines(code: Code) -> list[str]:
    """The lines of the text, comments and literals blanked: a comment may span some."""
    found, start = [], 0
    for line in code.text.split("\n"):
        found.append(code.code[start : start + len(line)])
        start += len(line) + 1
    return found


def statement(lines: list[str], line: int) -> range:
    """The lines of the statement around a line, of a text whose comments are blanked."""
    if not 0 < line <= len(lines):
        return range(line, line + 1)
    first = last = line
    while first > 1 and line - first < _LONGEST_STATEMENT and not _is_end(lines, first - 2):
        first -= 1
    while last < len(lines) and last - line < _LONGEST_STATEMENT and not _is_end(lines, last - 1):
        last += 1
    return range(first, last + 1)


def _is_end(lines: list[str], index: int) -> bool:
    """Whether a statement ends with the line: a directive does, unless it is continued."""
    text = lines[index].strip()
    if not text.endswith("\\"):
        is_continued = index > 0 and lines[index - 1].rstrip().endswith("\\")
        return is_continued or text.startswith("#") or _ends(text)
    return _ends(text.removesuffix("\\").rstrip())


def _ends(text: str) -> bool:
    """Whether a line ends a statement; a line with only a colon separates operands of an asm."""
    return text.endswith(_ENDS) and text != ":"


class UserFiles:
    """The files below the given paths, read when an error names one."""

    def __init__(
        self,
        origins: Mapping[Path, Origin],
        reported: Callable[[Origin, bytes], Iterable[Finding]],
    ) -> None:
        self._origins = {Path(os.path.normpath(p.absolute())): o for p, o in origins.items()}
        self._reported = reported
        self._files: dict[str, UserFile] = {}

    def of(self, path: str) -> UserFile | None:
        """The file with that absolute path; None if it is not part of the project."""
        if path not in self._files:
            plain = Path(os.path.normpath(path))
            origin = self._origins.get(plain)
            if origin is None:
                return None
            file = UserFile(plain, origin, ())
            file.findings = list(self._reported(origin, file.original))
            if file.original != file.data:
                left = {(each.code, each.symbol) for each in self._reported(origin, file.data)}
                file.findings = [each for each in file.findings if file.still_holds(each, left)]
            self._files[path] = file
        return self._files[path]
