"""Small files on both sides of what a pattern looks for: every finding, and every changed line.

`fixtures/patterns` has a file for each pattern. A case begins with `=== FILE OPTIONS: what it
shows`; behind its code are the findings of the audit, of the conversion, or of both, each with its
place, severity, code, symbol and message, and the lines that the conversion changes.
`python -m tests.source.patterns.test_cases` writes all that again: read what changes, since it is
what people get to see.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.source.audit.audit_file import findings_in, kind_of
from hipport.source.convert.pipeline import convert_source
from hipport.source.names.counterparts import Decisions
from hipport.source.tree.file_task import language_of
from tests.support.converting import decisions_for
from tests.support.folders import FIXTURES

FOLDER = FIXTURES / "patterns"
_HEAD, _FOUND = "=== ", "--- "


class Case(NamedTuple):
    head: str
    code: str
    found: list[str]

    @property
    def name(self) -> str:
        return self.head.partition(": ")[0].split()[0]

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(self.head.partition(": ")[0].split()[1:])

    @property
    def text(self) -> str:
        return f"{_HEAD}{self.head}\n{self.code}" + "".join(f"{each}\n" for each in self.found)


def cases(path: Path) -> Iterator[Case]:
    """The cases of a file; a line of code that is empty before the findings ends the code."""
    for text in path.read_text("utf-8").split(f"\n{_HEAD}"):
        head, _, rest = text.removeprefix(_HEAD).partition("\n")
        lines = rest.rstrip("\n").split("\n")
        code = [each for each in lines if not each.startswith(_FOUND)]
        found = [each for each in lines if each.startswith(_FOUND)]
        yield Case(head, "".join(f"{each}\n" for each in code), found)


@cache
def _audit(options: tuple[str, ...]) -> Decisions:
    return Decisions(load(is_audit=True), decisions_for(options).options)


def found(case: Case) -> list[str]:
    """What is found in a case, and what the conversion changes."""
    data, language = case.code.encode(), language_of(case.name)
    kind = language or kind_of(case.name)
    audited = findings_in(data, case.name, kind, language, _audit(case.options)).findings
    here = list(dict.fromkeys(_line(each) for each in audited))
    there, changes = [], []
    if language:
        result = convert_source(data, case.name, language, decisions_for(case.options))
        there = list(dict.fromkeys(_line(each) for each in result.findings))
        changes = _changes(case.code, result.data.decode())
    lines = [f"{'both' if each in there else 'audit'} {each}" for each in here]
    lines += [f"convert {each}" for each in there if each not in here]
    return [f"{_FOUND}{each}" for each in [*lines, *changes]]


def _line(finding: Finding) -> str:
    (line, column), end = finding.start, finding.end
    until = f"{end.column}" if end.line == line else f"{end.line}:{end.column}"
    fixes = [f"{each.text!r}" for each in finding.fix.replacements] if finding.fix else []
    fix = f" => {', '.join(fixes)}" if fixes else ""
    text = f"{line}:{column}-{until} {finding.severity.word} {finding.code} {finding.symbol!r}"
    return f"{text} | {finding.message}{fix}".replace("\n", "\\n")


def _changes(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm="")
    return [each for each in list(lines)[2:] if not each.startswith("@@")]


def _every() -> Iterator[tuple[Path, int, Case]]:
    for path in sorted(FOLDER.glob("*.txt")):
        for number, case in enumerate(cases(path)):
            yield path, number, case


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=f"{path.stem}-{number}") for path, number, case in _every()],
)
def test_what_is_found_and_changed(case: Case) -> None:
    assert found(case) == case.found


def test_no_case_is_there_twice() -> None:
    every = [case[:2] for _, _, case in _every()]
    assert [each for each in every if every.count(each) > 1] == []


if __name__ == "__main__":
    for each in sys.argv[1:] or [path.stem for path in FOLDER.glob("*.txt")]:
        file = FOLDER / f"{each}.txt"
        written = [case._replace(found=found(case)) for case in cases(file)]
        file.write_text("\n".join(case.text for case in written), "utf-8")
