"""The golden cases of the source converter: one file a case, read by people and by the tests.

A case file in `fixtures/source/<topic>/` holds, in this order:

    //! convert --launch keep       options of `hipport convert` (optional, first line only)
    ...the input...
    //! output                      without this section the file must come back byte for byte
    ...the expected text...
    //! findings                    without this section there must be no finding
    //! 3:5 manual HP-API-001 cudaFoo

A finding is `line:column severity code symbol`, 1-based, the column in characters of the input.
Python cases use `#!` where the others use `//!`.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.support.folders import FIXTURES

CASES = FIXTURES / "source"
LANGUAGES = frozenset({".cu", ".cuh", ".cpp", ".h", ".c", ".py"})
SEVERITIES = ("info", "review", "manual", "blocker")

_FINDING = re.compile(r"(\d+):(\d+) (\w+) (HP-[A-Z]+-\d{3}) (\S.*)")


class Expected(NamedTuple):
    """A finding as a case writes it."""

    line: int
    column: int
    severity: str
    code: str
    symbol: str


@dataclass(frozen=True, slots=True)
class Case:
    """One golden case. `output` equals `input` where the file must not be touched."""

    path: str
    options: tuple[str, ...]
    input: str
    output: str
    findings: tuple[Expected, ...]

    @property
    def changes(self) -> bool:
        return self.output != self.input


def marker(path: str) -> str:
    """What begins a line of the case format in a file of that name."""
    return "#!" if path.endswith(".py") else "//!"


def parse(path: str, text: str) -> Case:
    """The case in `text`; raises ValueError naming the line that breaks the format."""
    mark = marker(path)
    options: tuple[str, ...] = ()
    sections: dict[str, list[str]] = {"input": []}
    section = "input"
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        word = line.strip()
        if word in (f"{mark} output", f"{mark} findings"):
            section = word.removeprefix(mark).strip()
            if section in sections or (section == "output" and "findings" in sections):
                raise ValueError(f"{path}:{number}: section {section!r} stands twice or too late")
            sections[section] = []
        elif number == 1 and line.startswith(f"{mark} convert"):
            options = tuple(shlex.split(line.removeprefix(f"{mark} convert")))
        elif line.startswith(mark + " ") and section != "findings":
            raise ValueError(f"{path}:{number}: not a line of the case format: {word}")
        else:
            sections[section].append(line)
    source = "".join(sections["input"])
    output = "".join(sections.get("output", sections["input"]))
    if "output" in sections and output == source:
        raise ValueError(f"{path}: the output section repeats the input")
    findings = tuple(_finding(path, mark, line) for line in sections.get("findings", []))
    if "findings" in sections and not findings:
        raise ValueError(f"{path}: the findings section is empty")
    if list(findings) != sorted(findings, key=lambda each: (each.line, each.column)):
        raise ValueError(f"{path}: findings are not sorted by position")
    return Case(path, options, source, output, findings)


def load(path: Path) -> Case:
    return parse(path.relative_to(CASES).as_posix(), path.read_text(encoding="utf-8"))


def case_files() -> list[Path]:
    """Every file below `fixtures/source`, sorted."""
    return sorted(path for path in CASES.rglob("*") if path.is_file())


def _finding(path: str, mark: str, line: str) -> Expected:
    match = _FINDING.fullmatch(line.removeprefix(mark).strip())
    if match is None or match[3] not in SEVERITIES:
        raise ValueError(f"{path}: not a finding: {line.strip()}")
    return Expected(int(match[1]), int(match[2]), match[3], match[4], match[5])
