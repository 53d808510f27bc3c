"""Files named like CUDA's headers: copies of them, and the user's own."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.source_file import Unit

_HEAD = 8_000


def check(unit: Unit, rule: FindingRule) -> None:
    """Report such a file at its first line; of a copy of NVIDIA's nothing else is told."""
    path = PurePosixPath(unit.path)
    is_copy = re.search(rule.data["theirs"], unit.code.text[:_HEAD]) is not None
    names = {path.name, f"{path.stem}.h"} if is_copy else {path.name}
    is_for_hip = re.search(rule.data["ports"], unit.path) is not None
    if names.isdisjoint(unit.rules.headers) or is_for_hip:
        return
    if not (is_copy or re.search(rule.data["named"], path.name)):
        return
    unit.is_copy = is_copy
    if is_copy:
        unit.findings.clear()
    reason = rule.data["copied" if is_copy else "own"]
    unit.report(rule.id, Span(0, 0), path.name, {"reason": reason})
