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
from hipport.source.suppress import kept
from hipport.source.unit import Options

_LARGEST = 16 << 20


def kind_of(name: str) -> str:
    """The kind of a file that is not source, by its name; "" for none that the audit reads."""
    kinds: dict[str, str] = load().vocabulary["audit_kinds"]
    plain = PurePosixPath(name).name
    return next((kind for shape, kind in kinds.items() if fnmatchcase(plain, shape)), "")


def audit(tasks: list[Task], options: Options, jobs: int = 1) -> Iterator[Outcome]:
    """What the audit finds in each file, in the order of the tasks. Nothing is written."""
    if jobs <= 1:
        decisions = Decisions(load(is_audit=True), options)
        yield from (handle(task, decisions) for task in tasks)
        return
    from hipport.source.auditpool import audit_in_processes

    yield from audit_in_processes(tasks, options, jobs)


def handle(task: Task, decisions: Decisions) -> Outcome:
    """What the audit finds in one file; a file that cannot be read is skipped, and told why."""
    kind = task.language or kind_of(task.name)
    outcome = Outcome(FileReport(task.name, kind, "skipped"))
    if kind and not task.is_link and not task.is_left_alone:
        try:
            _audit_file(task, kind, decisions, outcome)
        except HipportError as error:
            outcome.error = str(error)
        except Exception as error:
            outcome = Outcome(FileReport(task.name, kind, "skipped"))
            fault = f"internal error ({type(error).__name__}: {error})"
            outcome.error = f"{task.source}: {fault}, skipped (please report this)"
    return outcome


def _audit_file(task: Task, kind: str, decisions: Decisions, outcome: Outcome) -> None:
    data = read(task.source, _LARGEST)
    if b"\0" in data:
        raise HipportError(f"{task.source}: binary data in a text file", remedy="leave it out")
    if task.language:
        result = convert_source(data, task.name, task.language, decisions)
        outcome.findings, outcome.counts = result.findings, result.counts
        outcome.declared = result.declared
    else:
        outcome.findings = line_findings(data, task.name, kind, decisions.rules)
    outcome.findings = kept(data, outcome.findings, task.name, kind, decisions.rules)
    outcome.file.status = "audited"
