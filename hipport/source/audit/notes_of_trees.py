"""What makes notes of findings that ask nothing, by all files of a tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hipport.model import Finding, Records
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.absent_sources import without_absent
from hipport.source.audit.copied_parts import without_copied_parts
from hipport.source.audit.unset_macros import without_unset
from hipport.source.audit.unused_code import without_unused
from hipport.source.audit.unused_python import without_unused_python
from hipport.source.tree.file_task import Task

_NOTING = (
    without_copied_parts,
    without_absent,
    without_unused,
    without_unused_python,
    without_unset,
)


def with_notes(
    findings: Records[Finding], tasks: Iterable[Task], folders: Collection[str], rules: RuleSet
) -> Records[Finding]:
    """The findings, as notes where they ask nothing; `folders` are the trees, all of them here."""
    for without in _NOTING:
        findings = without(findings, tasks, folders, rules)
    return findings
