"""Writers for `hipport fatbin kernels`: text, rich, JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from hipport.fatbin.demangle import Demangler
from hipport.fatbin.inventory import RESOURCES, KernelRow, number
from hipport.report.fatbin_text import safe

COLUMNS = ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill", "wave", "group")
_KEYS = tuple(RESOURCES[column] for column in COLUMNS)
_HEADER = "%-16s %4s %4s %4s %6s %7s %6s %6s %4s %5s  %s\n"
_PIECE = 4096

Line = tuple[str, str, str, Sequence[Any], bool | None]
"""Path, target, mangled name, the columns' values, registered."""


def write(
    rows: Iterable[KernelRow],
    form: str,
    wanted: re.Pattern[str] | None,
    sort_by: str | None,
    *,
    demangle: bool,
    registered: bool,
) -> None:
    """Write the rows whose name matches, sorted when asked, in the form asked for."""
    if form == "json":
        _write_json(rows, wanted, sort_by, demangle)
        return
    demangler = Demangler()
    lines: list[Line] = []
    seen: set[str] = set()
    key_index = _KEYS.index(sort_by) if sort_by in _KEYS else -1
    for row in rows:
        get = row.kernel.raw.get
        name = row.kernel.name
        if demangle and name not in seen:
            seen.add(name)
            demangler.add((name,))
        values = [get(key, 0) for key in _KEYS]
        lines.append((row.binary.path, row.target, name, values, row.registered))
    readable = demangler.results() if demangle else {}
    if wanted is not None:
        matches = {
            name: bool(wanted.search(name) or wanted.search(readable.get(name, "")))
            for name in {line[2] for line in lines}
        }
        lines = [line for line in lines if matches[line[2]]]
    if sort_by == ".name":
        lines.sort(key=lambda line: (readable.get(line[2], line[2]), line[1]))
    elif key_index >= 0:
        lines.sort(key=lambda line: -number(line[3][key_index]))
    shown = {name: safe(readable.get(name, name)) for name in {line[2] for line in lines}}
    (_write_rich if form == "rich" else _write_text)(lines, shown, registered)


def _write_text(lines: list[Line], shown: dict[str, str], registered: bool) -> None:
    write = sys.stdout.write
    path_before = None
    several = len({line[0] for line in lines}) > 1
    words = {True: "yes ", False: "no  ", None: "?   "}
    batch: list[str] = []
    for path, target, name, values, known in lines:
        if path != path_before:
            path_before = path
            batch.append(f"{safe(path)}:\n" if several else "")
            header = _HEADER % ("target", *COLUMNS, "name")
            batch.append(("reg  " if registered else "") + header)
        if registered:
            batch.append(words[known] + " ")
        batch.append(_HEADER % (target, *values, shown[name]))
        if len(batch) >= _PIECE:
            write("".join(batch))
            batch.clear()
    write("".join(batch))


def _write_rich(lines: list[Line], shown: dict[str, str], registered: bool) -> None:
    from hipport.report.fatbin_rich import write_table

    words = {True: "yes", False: "no", None: "?"}
    columns = [*(["reg"] if registered else []), "target", *COLUMNS, "name"]
    first = 1 if registered else 0
    write_table(
        f"{len(lines)} kernels",
        columns,
        (
            [*([words[known]] if registered else []), target, *map(str, values), shown[name]]
            for _, target, name, values, known in lines
        ),
        right=range(first + 1, first + 1 + len(COLUMNS)),
    )


def _write_json(
    rows: Iterable[KernelRow],
    wanted: re.Pattern[str] | None,
    sort_by: str | None,
    demangle: bool,
) -> None:
    from hipport.report.fatbin_json import write

    demangler = Demangler()
    objects = []
    for row in rows:
        raw = row.kernel.raw
        if demangle:
            demangler.add((row.kernel.name,))
        found = {column: raw.get(key, 0) for column, key in RESOURCES.items()}
        found |= {
            "file": row.binary.path,
            "bundle": row.entry.bundle.index,
            "entry": row.entry.id,
            "target": row.target,
            "dynamic_stack": row.kernel.dynamic_stack,
        }
        if row.registered is not None:
            found["registered"] = row.registered
        objects.append(found)
    readable = demangler.results() if demangle else {}
    for item in objects:
        item["demangled"] = readable.get(item["name"])
    if wanted is not None:
        objects = [
            item
            for item in objects
            if wanted.search(str(item["name"])) or wanted.search(item["demangled"] or "")
        ]
    if sort_by == ".name":
        objects.sort(key=lambda item: str(item["name"]))
    elif sort_by:
        column = next(name for name, key in RESOURCES.items() if key == sort_by)
        objects.sort(key=lambda item: -number(item[column]))
    write("kernels", {"kernels": objects})
