"""Looks at the files that the audit does not read as text: they may be binaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from hipport.model import Records
from hipport.prebuilt.binary_facts import examine, looks_binary
from hipport.rulebook.rules import RuleSet
from hipport.source.tree.file_task import Outcome, Task


def with_binaries(
    tasks: Records[Task], outcomes: Iterable[Outcome], rules: RuleSet
) -> Iterator[Outcome]:
    """The outcomes in their order, each binary's filled in."""
    sources: dict[str, str] | None = None
    for task, outcome in zip(tasks, outcomes, strict=True):
        is_copied = task.copied is not None and not task.copied.has_own_binaries
        is_other = not (outcome.file.language or task.is_link or task.is_left_alone or is_copied)
        if is_other and looks_binary(task.source_path):
            sources = _sources(tasks, rules) if sources is None else sources
            _look_into(task, outcome, rules, sources)
        yield outcome


def _sources(tasks: Records[Task], rules: RuleSet) -> dict[str, str]:
    """A source of CUDA for each name that its binary may have: that of the file, or its folder.

    Also for a folder below the tree's, with `/` behind it, whose only source of CUDA that is.
    """
    from hipport.prebuilt.binary_findings import own_name

    found: dict[str, str] = {}
    in_folders: dict[str, list[str]] = {}
    for task in tasks:
        if task.language == "cuda" and task.name.endswith(rules.file_kinds.translation_units):
            path = PurePosixPath(task.name)
            for name in (path.name, path.parent.name):
                found.setdefault(own_name(name), task.name)
            if len(path.parts) > 1:
                in_folders.setdefault(f"{path.parent}/", []).append(task.name)
    return found | {folder: only for folder, (only, *more) in in_folders.items() if not more}


def _look_into(task: Task, outcome: Outcome, rules: RuleSet, sources: Mapping[str, str]) -> None:
    from hipport.prebuilt.binary_findings import finding_of

    outcome.file.language = "binary"
    found = examine(task.source, str(task.source), rules)
    outcome.error = found.fault
    outcome.file.reason = found.fault.removeprefix(f"{task.source}: ")
    finding = finding_of(found, task.name, rules, sources)
    if finding:
        outcome.findings = [finding]
        outcome.file.status = "partial" if found.fault else "audited"
