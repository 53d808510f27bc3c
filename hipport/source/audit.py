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
from hipport.source.pipeline import Result, convert_source
from hipport.source.project import Outcome, Task
from hipport.source.readable import why_in_part, why_unreadable
from hipport.source.rules import load
from hipport.source.settle import settle, specific
from hipport.source.suppress import kept
from hipport.source.unit import Options

_LARGEST = 16 << 20


def kind_of(name: str) -> str:
    """The kind of a file that is not source, by its path; "" for none that the audit reads."""
    kinds: dict[str, str] = load().vocabulary["audit_kinds"]
    parts = PurePosixPath(name).parts
    for shape, kind in kinds.items():
        # A shape with a folder in it is compared with as many of the path's last parts.
        if fnmatchcase("/".join(parts[-1 - shape.count("/") :]), shape):
            return kind
    return ""


def audit(tasks: list[Task], options: Options, jobs: int = 1) -> Iterator[Outcome]:
    """What the audit finds in each file, in the order of the tasks. Nothing is written."""
    if jobs <= 1:
        rules = load(is_audit=True, extend=options.extend_rules)
        decisions = Decisions(rules, options)
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
            outcome.file.reason = outcome.error.removeprefix(f"{task.source}: ")
        except Exception as error:
            outcome = Outcome(FileReport(task.name, kind, "skipped"))
            fault = f"internal error ({type(error).__name__}: {error})"
            outcome.file.reason = fault
            outcome.error = f"{task.source}: {fault}, skipped (please report this)"
    return outcome


def _audit_file(task: Task, kind: str, decisions: Decisions, outcome: Outcome) -> None:
    data = read(task.source, _LARGEST)
    if reason := why_unreadable(data):
        outcome.file.reason = reason
        outcome.error = f"{task.source}: {reason}, skipped"
        return
    result = findings_in(data, task.name, kind, task.language, decisions)
    outcome.findings = kept(data, result.findings, task.name, kind, decisions.rules)
    outcome.counts, outcome.declared = result.counts, result.declared
    reason = why_in_part(data, kind)
    outcome.file.reason, outcome.file.status = reason, "partial" if reason else "audited"
    outcome.error = f"{task.source}: {reason}" if reason else ""


def findings_in(data: bytes, name: str, kind: str, language: str, decisions: Decisions) -> Result:
    """What the audit finds in one file, before comments hide any; `language` is "" for no source.

    Of findings at one place the specific ones stay; the user's targets and ROCm judge them.
    """
    if language:
        result = convert_source(data, name, language, decisions)
    else:
        result = Result(data, findings=line_findings(data, name, kind, decisions.rules))
    result.findings = specific(result.findings, decisions.rules, result.wholes)
    result.findings = settle(result.findings, decisions.rules, decisions.options)
    return result
