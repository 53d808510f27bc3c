"""Looks at the files that the audit does not read as text: they may be binaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.prebuilt.binary_facts import examine, looks_binary
from hipport.prebuilt.binary_findings import finding_of
from hipport.rulebook.rules import RuleSet
from hipport.source.tree.file_task import Outcome, Task


def with_binaries(
    tasks: Iterable[Task], outcomes: Iterable[Outcome], rules: RuleSet
) -> Iterator[Outcome]:
    """The outcomes in their order, each binary's filled in."""
    for task, outcome in zip(tasks, outcomes, strict=True):
        is_other = not (outcome.file.language or task.is_link or task.is_left_alone or task.copied)
        if is_other and looks_binary(task.source):
            _look_into(task, outcome, rules)
        yield outcome


def _look_into(task: Task, outcome: Outcome, rules: RuleSet) -> None:
    outcome.file.language = "binary"
    found = examine(task.source, str(task.source), rules)
    outcome.error = found.fault
    outcome.file.reason = found.fault.removeprefix(f"{task.source}: ")
    finding = finding_of(found, task.name, rules)
    if finding:
        outcome.findings = [finding]
        outcome.file.status = "partial" if found.fault else "audited"
