"""Writes what `hipport fatbin slim` did."""

from __future__ import annotations

import sys
from pathlib import Path

from hipport.fatbin.target_id import TargetId
from hipport.fatbin.writing.slim import Slimmed
from hipport.report.fatbin.text import safe


def write(
    done: list[Slimmed], path: Path, size_before: int, devices: list[TargetId], form: str
) -> None:
    """What each file lost, and what the new one has on disk."""
    size = path.stat().st_size
    if form == "json":
        from hipport.report.fatbin.json import write as write_json

        files = [each._asdict() for each in done]
        content = {"output": str(path), "size_before": size_before, "size": size, "files": files}
        write_json("slim", content)
        return
    rows = [(safe(each.path), each.how, _change(each.size_before, each.size)) for each in done]
    if form == "rich":
        from hipport.report.fatbin.rich import write_table

        write_table("", ("how", "bytes", "file"), [(how, size, path) for path, how, size in rows])
    else:
        for path_of, how, change in rows:
            sys.stdout.write(f"{path_of}: {how}, {change}\n")
    for line in _notes(done, devices):
        sys.stdout.write(f"note: {line}\n")
    sys.stdout.write(f"{safe(str(path))}: {_change(size_before, size)}\n")


def _notes(done: list[Slimmed], devices: list[TargetId]) -> list[str]:
    notes = []
    left: dict[str, list[Slimmed]] = {}
    for each in done:
        if each.note:
            left.setdefault(each.note, []).append(each)
        if each.unserved:
            plural = "s have" if each.unserved > 1 else " has"
            names = ", ".join(map(str, devices))
            notes.append(
                f"{safe(each.path)}: {each.unserved} bundle{plural} no code for {names}, and had "
                "none before"
            )
    for reason, files in left.items():
        first = safe(files[0].path)
        others = f" and {len(files) - 1} others" if len(files) > 1 else ""
        size = sum(each.size for each in files)
        notes.append(f"{first}{others} left as they are, {size} bytes: {safe(reason)}")
    return notes


def _change(before: int, after: int) -> str:
    saved = before - after
    return f"{before} bytes before, {after} now, {saved} saved"
