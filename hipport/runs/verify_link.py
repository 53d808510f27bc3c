"""Reports the libraries that converted code calls and that its build files do not link."""

from __future__ import annotations

from collections.abc import Iterable

from hipport.errors import HipportError
from hipport.model import Finding, Position, Severity
from hipport.rulebook.load import load
from hipport.runs.watch import Faults
from hipport.source.tree.file_task import Task
from hipport.verification.link import linked, needed

_CODE = "HP-VER-008"
_C_LIKE = ("cuda", "cpp", "c")


def link_findings(tasks: Iterable[Task], faults: Faults) -> list[Finding]:
    """A finding for each library, at its first call; a fault where nothing says what is linked."""
    tasks = [each for each in tasks if not (each.is_link or each.is_left_alone)]
    names = {each.source: each.name for each in tasks}
    links = linked(names)
    wanted = list(needed(each.source for each in tasks if each.language in _C_LIKE))
    if wanted and not links.files:
        error = HipportError(
            "no build file: what is linked is not known", remedy="verify the tree that has them"
        )
        faults.add(error)
        return []
    rule = load().findings[_CODE]
    found = []
    for each in wanted:
        if not links.names.isdisjoint(each.libraries):
            continue
        # A variable that nothing sets comes from find_package(): it may hold any library.
        doubt = f"; ${{{links.unknown[0]}}} is not known" if links.unknown else ""
        words = {
            "library": each.libraries[0],
            "count": "1 call" if each.calls == 1 else f"{each.calls:,} calls",
            "doubt": doubt,
            "flag": f"-l{each.libraries[0]}",
            "target": each.libraries[0],
        }
        place = Position(each.line, 1)
        severity = Severity.REVIEW if doubt else rule.severity
        path = names[each.path]
        found.append(rule.finding(path, each.symbol, place, place, words, severity=severity))
    return found
