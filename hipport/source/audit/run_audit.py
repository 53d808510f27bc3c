"""Audits a tree: file after file, or in several processes. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.rulebook.load import load
from hipport.source.audit.audit_file import handle
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options
from hipport.source.tree.file_task import Outcome, Task


def audit(tasks: Iterable[Task], options: Options, jobs: int = 1) -> Iterator[Outcome]:
    """What the audit finds in each file, in the order of the tasks. Nothing is written."""
    if jobs <= 1:
        rules = load(is_audit=True, extend=options.extend_rules)
        decisions = Decisions(rules, options)
        yield from (handle(task, decisions) for task in tasks)
        return
    from hipport.processes import in_processes

    # What is loaded before the processes fork, none of them has to load.
    from hipport.source.buildfiles.build_conversion import read_tables

    rules = load(is_audit=True, extend=options.extend_rules)
    rules.read_all()
    read_tables(rules)
    yield from in_processes(_handle, tasks, jobs, _start, (options,), "audited")


_decisions: Decisions | None = None


def _start(options: Options) -> None:
    global _decisions
    _decisions = Decisions(load(is_audit=True, extend=options.extend_rules), options)


def _handle(task: Task) -> Outcome:
    assert _decisions is not None
    return handle(task, _decisions)
