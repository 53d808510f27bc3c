"""Audits files in several processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.processes import in_processes
from hipport.rulebook.load import load
from hipport.source.audit.run_audit import handle
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options
from hipport.source.tree.run_tasks import Outcome, Task

_decisions: Decisions | None = None


def audit_in_processes(tasks: Iterable[Task], options: Options, jobs: int) -> Iterator[Outcome]:
    """The outcomes in the order of the tasks."""
    return in_processes(_handle, tasks, jobs, _start, (options,), "audited")


def _start(options: Options) -> None:
    global _decisions
    _decisions = Decisions(load(is_audit=True, extend=options.extend_rules), options)


def _handle(task: Task) -> Outcome:
    assert _decisions is not None
    return handle(task, _decisions)
