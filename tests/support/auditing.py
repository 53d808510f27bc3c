"""Audits a folder as `hipport audit` does, without the command line."""

from __future__ import annotations

from pathlib import Path

from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.source.audit.run_audit import audit
from hipport.source.convert.pipeline import default_options
from hipport.source.tree.task_list import Wishes, plan
from hipport.source.tree.tree_report import report_of


def audited(folder: Path) -> list[Finding]:
    """What the audit finds in the files of a folder, each place by itself, notes included."""
    tasks = plan([str(folder)], Wishes(writes=False), lambda _: None)
    return list(report_of(audit(tasks, default_options(load(is_audit=True)))).findings)
