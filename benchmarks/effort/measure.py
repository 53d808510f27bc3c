"""One port measured: what a person wrote for HIP, and how much of it is where the audit points."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import hipport
from benchmarks.effort.human_part import Change, changes, statements
from benchmarks.effort.pairs import lay_out, pairs
from benchmarks.effort.ports import Port, unpacked
from hipport.model import Finding, Report
from hipport.report.effort import effort_of

_NEAR = 2
"""Lines around a change in which a finding is taken for its reason."""


class File(NamedTuple):
    """One file of a port: its size, and what a person changed in it."""

    path: str
    statements: int
    changes: list[Change]


def measure(port: Port) -> dict[str, Any]:
    """The port as a row of results.json."""
    found = list(pairs(port, unpacked(port)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trees = lay_out(found, folder)
        converted = [_converted(tree, folder / f"{tree.name}-converted") for tree in trees]
        report = hipport.audit(hipport.AuditRequest((trees[0],), isolated=True, jobs=1)).report
        files = []
        for pair in found:
            texts = [(tree / pair.path).read_bytes() for tree in converted]
            files.append(File(pair.path, len(statements(pair.cuda)), changes(pair.cuda, *texts)))
        return row(files, report, f"{trees[0].name}/")


def _converted(tree: Path, output: Path) -> Path:
    hipport.convert(hipport.ConvertRequest((tree,), output=output, isolated=True, jobs=1))
    return output


def row(files: list[File], report: Report, prefix: str) -> dict[str, Any]:
    """What a port comes to; `prefix` is what the findings' paths have before those of the files."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for each in report.findings:
        if each.needs_person:
            by_path[each.path.removeprefix(prefix)].append(each)
    codes = {each.code: [0, 0, 0.0] for found in by_path.values() for each in found}
    written = at_findings = 0
    for file in files:
        here = by_path[file.path]
        changed = set()
        for change in file.changes:
            near = [each for each in here if _is_near(each, change)]
            written += change.written
            at_findings += change.written if near else 0
            for each in near:
                codes[each.code][2] += change.written / len(near)
                changed.add(id(each))
        for each in here:
            codes[each.code][0] += 1
            codes[each.code][1] += id(each) in changed
    effort = effort_of(report)
    return {
        "files": len(files),
        "statements": sum(file.statements for file in files),
        "uses": sum(mapped for mapped, _ in report.uses.values()),
        "findings": _severities(each for found in by_path.values() for each in found),
        "minutes": [a + b for a, b in zip(effort.work, effort.apart, strict=True)],
        "changes": sum(len(file.changes) for file in files),
        "written": written,
        "at_findings": at_findings,
        "codes": {code: [a, b, round(c, 1)] for code, (a, b, c) in sorted(codes.items())},
    }


def _is_near(finding: Finding, change: Change) -> bool:
    return change.first - _NEAR <= finding.start.line <= change.last + _NEAR


def _severities(findings: Iterable[Finding]) -> dict[str, int]:
    numbers = Counter(each.severity.word for each in findings)
    return {word: numbers[word] for word in ("blocker", "manual", "review")}
