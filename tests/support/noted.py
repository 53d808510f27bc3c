"""Findings of a whole tree, for tests of the notes that an audit makes by all of its files."""

from __future__ import annotations

from pathlib import Path

from hipport.runs.audit import audit
from hipport.runs.audit_request import AuditRequest
from tests.support.command import make_tree


def noted(folder: Path, files: dict[str, str], wanted: tuple[str, ...]) -> list[str]:
    """The codes that begin so, each with its symbol, that an audit finds in these files."""
    make_tree(folder, files)
    report = audit(AuditRequest((str(folder),), jobs=1, isolated=True)).report
    return [
        f"{each.code} {each.symbol}" for each in report.findings if each.code.startswith(wanted)
    ]
