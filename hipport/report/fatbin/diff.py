"""Writers for `hipport fatbin diff`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from hipport.fatbin.object.demangle import demangle
from hipport.fatbin.questions.differences import Difference
from hipport.report.fatbin.text import safe


def write(found: Difference, form: str) -> None:
    """The difference in the form asked for; text says so when there is none."""
    if form == "json":
        _write_json(found)
        return
    rows = list(_rows(found))
    if form == "rich":
        from hipport.report.fatbin.rich import write_table

        write_table("differences", ("", "target", "what"), rows)
        return
    for sign, target, what in rows:
        sys.stdout.write(f"{sign} {target:<16} {what}\n")
    if not rows:
        sys.stdout.write("no differences\n")


def _rows(found: Difference) -> Iterator[tuple[str, str, str]]:
    names = {name for _, name in (*found.gained, *found.lost)}
    names |= {changed.name for changed in found.changed}
    readable = demangle(names)
    shown = {name: safe(readable.get(name, name)) for name in names}
    for target in found.targets_gained:
        yield "+", target, "target"
    for target in found.targets_lost:
        yield "-", target, "target"
    for target, name in found.gained:
        yield "+", target, shown[name]
    for target, name in found.lost:
        yield "-", target, shown[name]
    for changed in found.changed:
        parts = [f"{what} {old} -> {new}" for what, (old, new) in changed.changes().items()]
        yield "~", changed.target, f"{', '.join(parts)}: {shown[changed.name]}"
    for target, (old, new) in found.sizes.items():
        yield "~", target, f"code objects: {old} -> {new} bytes ({new - old:+})"


def _write_json(found: Difference) -> None:
    from hipport.report.fatbin.json import write as write_json

    write_json(
        "diff",
        {
            "targets_gained": found.targets_gained,
            "targets_lost": found.targets_lost,
            "kernels_gained": [{"target": t, "name": n} for t, n in found.gained],
            "kernels_lost": [{"target": t, "name": n} for t, n in found.lost],
            "kernels_changed": [
                {"target": c.target, "name": c.name, "changes": c.changes()} for c in found.changed
            ],
            "sizes": found.sizes,
        },
    )
