"""Writes `hipport fatbin list --summary`: what each target costs, by file and in total."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from msgspec.structs import asdict, astuple

from hipport.fatbin.binary import Binary
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.target_costs import Cost, costs
from hipport.report.fatbin.text import safe

_COLUMNS = ("entries", "bytes", "in file", "kernels", "target")
_LINE = "%9s %14s %14s %9s  %s\n"


def write(binaries: Iterable[Binary], limits: Limits, form: str) -> None:
    """Write a table for each file with device code, and one for all where there are several."""
    total: dict[str, Cost] = {}
    files = []
    for binary in binaries:
        found = costs(binary, limits)
        for target, cost in found.items():
            total.setdefault(target, Cost()).add(cost)
        files.append((binary.path, binary.size, found))
        if form != "json":
            _table(binary.path, binary.size, found, form)
    total = dict(sorted(total.items(), key=lambda item: -item[1].stored))
    size = sum(each for _, each, _ in files)
    if form == "json":
        from hipport.report.fatbin.json import write as write_json

        rows = [{"path": p, "size": s, "targets": _objects(f)} for p, s, f in files]
        write_json("list", {"files": rows, "total": {"size": size, "targets": _objects(total)}})
    elif len(files) > 1:
        _table(f"all {len(files)} files", size, total, form)


def _objects(found: dict[str, Cost]) -> list[dict[str, object]]:
    return [{"target": target, **asdict(cost)} for target, cost in found.items()]


def _table(title: str, size: int, found: dict[str, Cost], form: str) -> None:
    rows = [(*map(str, astuple(cost)), target) for target, cost in found.items()]
    title = f"{title}: {size} bytes"
    if form == "rich":
        from hipport.report.fatbin.rich import write_table

        write_table(title, _COLUMNS, rows, right=(0, 1, 2, 3))
        return
    sys.stdout.write(f"{safe(title)}{'' if rows else ', no device code'}\n")
    if rows:
        sys.stdout.write(_LINE % _COLUMNS)
    sys.stdout.writelines(_LINE % (*row[:-1], safe(row[-1])) for row in rows)
