"""Files named like CUDA's headers: copies of them, and the project's own."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.source_file import Unit

_HEAD = 8_000


class Keys(RuleKeys, frozen=True):
    theirs: Regex
    ports: Regex
    named: Regex
    copied: str
    own: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report such a file at its first line; of a copy of NVIDIA's nothing else is reported.

    The project's own is a note: where its includes are in quotes, they stay.
    """
    keys = rule.read(Keys)
    path = PurePosixPath(unit.path)
    is_named, is_renamed = (name in unit.rules.headers for name in (path.name, f"{path.stem}.h"))
    if not (is_named or is_renamed) or re.search(keys.ports, unit.path):
        return
    is_copy = re.search(keys.theirs, unit.code.text[:_HEAD]) is not None
    if not (is_copy or (is_named and re.search(keys.named, path.name))):
        return
    unit.is_copy = is_copy
    if is_copy:
        unit.findings.clear()
    reason = keys.copied if is_copy else keys.own
    severity = None if is_copy else Severity.INFO
    unit.report(rule.id, Span(0, 0), path.name, {"reason": reason}, severity=severity)
