"""Audits a tree: every finding, in every kind of file, with nothing changed."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import FileReport
from hipport.source.decide import Decisions
from hipport.source.lines import line_findings
from hipport.source.pipeline import convert_source
from hipport.source.project import Outcome, Task
from hipport.source.rules import load
from hipport.source.unit import Options

_LARGEST = 16 << 20


def kind_of(name: str) -> str:
    """The kind of a file that is not source, by its name; "" for none that the audit reads."""
    kinds: dict[str, str] = load().vocabulary["audit_kinds"]
    plain = PurePosixPath(name).name
    return next((kind for shape, kind in kinds.items() if fnmatchcase(plain, shape)), "")


def audit(tasks: list[Task], options: Options) -> Iterator[Outcome]:
    """What the audit finds in each file, in the order of the tasks. Nothing is written."""
    decisions = Decisions(load(is_audit=True), options)
    for task in tasks:
        kind = task.language or kind_of(task.name)
        outcome = Outcome(FileReport(task.name, kind, "skipped"))
        if kind and not task.is_link:
            try:
                _audit_file(task, kind, decisions, outcome)
            except HipportError as error:
                outcome.error = str(error)
        yield outcome


def _audit_file(task: Task, kind: str, decisions: Decisions, outcome: Outcome) -> None:
    data = read(task.source, _LARGEST)
    if b"\0" in data:
        raise HipportError(f"{task.source}: binary data in a text file", remedy="leave it out")
    outcome.file.status = "audited"
    if task.language:
        result = convert_source(data, task.name, task.language, decisions)
        outcome.findings, outcome.counts = result.findings, result.counts
        outcome.declared = result.declared
    else:
        outcome.findings = line_findings(data, task.name, kind, decisions.rules)
