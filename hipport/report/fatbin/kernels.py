"""Writers for `hipport fatbin kernels`: text, rich, JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from hipport.fatbin.inventory import RESOURCES, KernelTable, number
from hipport.fatbin.metadata import Raw
from hipport.report.fatbin.text import safe

if TYPE_CHECKING:
    from hipport.fatbin.demangle import Demangler
    from hipport.report.fatbin.registered import Found, Registered

COLUMNS = ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill", "wave", "group")
_WIDTHS = (4, 4, 4, 6, 7, 6, 6, 4, 5)
_FORMAT = " ".join(f"%{width}s" for width in _WIDTHS)
_HEADER = _FORMAT % COLUMNS
_KEYS = tuple(RESOURCES[column] for column in COLUMNS)
_NAME, _AGPR, _DYNAMIC_STACK = ".name", ".agpr_count", ".uses_dynamic_stack"
KEYS = (*RESOURCES.values(), _DYNAMIC_STACK)
"""Of the metadata, what is written."""
_BATCH = 512
"""Lines written at a time: about as much as fits into the processor's caches."""
_CONTROLS = bytes([*range(32), 127])
_WORDS = {True: "yes", False: "no", None: "?"}


class Selection(NamedTuple):
    """Which kernels to show, in which order, and how names are written."""

    wanted: re.Pattern[str] | None
    sort_key: str | None
    demangle: bool

    def demangler(self) -> Demangler | None:
        """A new one, if names are to be made readable. It is imported only then: it takes
        longer to import than a small file to read."""
        if not self.demangle:
            return None
        from hipport.fatbin.demangle import Demangler

        return Demangler()

    def names(self, demangler: Demangler | None, names: set[str]) -> dict[str, str]:
        """Every name that is wanted, and how it reads."""
        readable = demangler.results() if demangler is not None else {}
        if self.wanted is None:
            return {name: readable.get(name, name) for name in names}
        search = self.wanted.search
        return {
            name: readable.get(name, name)
            for name in names
            if search(name) or search(readable.get(name, ""))
        }


def write(
    tables: Iterable[KernelTable], form: str, selection: Selection, found: Found | None
) -> None:
    """Write the kernels in the form asked for; `found` adds what is registered."""
    registered = None
    if found is not None:
        from hipport.report.fatbin.registered import Registered

        registered = Registered(found)
        tables = registered.watch(tables)
    if form == "json":
        _write_json(tables, selection, registered)
    elif form == "rich":
        _write_rich(tables, selection, registered)
    else:
        _write_text(tables, selection, registered)


_Line = tuple[str, str, str, str, int]
"""A kernel to print: path, stored name, target, columns, what to sort by."""


def _write_text(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    demangler = selection.demangler()
    names: set[str] = set()
    lines: list[_Line] = []
    key, columns = selection.sort_key, _Columns()
    for table in tables:
        records = table.records
        own = [name if type(name := raw.get(_NAME, "")) is str else str(name) for raw in records]
        fresh = set(own) - names
        if demangler is not None and fresh:
            demangler.add(fresh)
        names |= fresh
        lines += zip(
            repeat(table.binary.path),
            own,
            repeat(f"{table.target:<22} "),
            columns.of(records),
            [number(raw.get(key)) for raw in records] if key else repeat(0),
            strict=False,
        )
    shown = selection.names(demangler, names)
    if key == _NAME:
        lines.sort(key=lambda line: shown.get(line[1], ""))
    elif key:
        lines.sort(key=lambda line: -line[4])
    _write_lines(lines, shown, registered)
    if registered is not None:
        sys.stdout.writelines(registered.lines())


def _write_lines(lines: list[_Line], shown: dict[str, str], registered: Registered | None) -> None:
    # One look at all names takes a third of the time of one at each.
    whole = "".join(shown.values())
    clean = whole.isascii() and len(whole.encode().translate(None, _CONTROLS)) == len(whole)
    ends = {name: f"  {text if clean else safe(text)}\n" for name, text in shown.items()}
    several = len({line[0] for line in lines}) > 1
    path_before = None
    for start in range(0, len(lines), _BATCH):
        pieces: list[str] = []
        for path, name, target, columns, _ in lines[start : start + _BATCH]:
            if path != path_before:
                path_before = path
                if several:
                    pieces.append(f"{safe(path)}:\n")
                register = "reg  " if registered is not None else ""
                pieces.append(f"{register}{'target':<22} {_HEADER}  name\n")
            if name in ends:
                if registered is not None:
                    pieces.append(f"{_WORDS[registered.of(path, name)]:<4} ")
                pieces += target, columns, ends[name]
        sys.stdout.write("".join(pieces))


class _Columns:
    """The columns as text. Many kernels need the same: each combination is formatted once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], str] = {}
        self._all = itemgetter(*_KEYS)
        self._others = itemgetter(*(key for key in _KEYS if key != _AGPR))

    def of(self, records: list[Raw]) -> list[str]:
        """The text for each record of one code object."""
        # Most processors have no accumulation registers, and then no record has the key.
        with_agpr = sum(_AGPR in raw for raw in records)
        if with_agpr not in (0, len(records)):
            return [_format(raw) for raw in records]
        pick, known = self._all if with_agpr else self._others, self._known
        try:
            picked = list(map(pick, records))
            for values, raw in zip(picked, records, strict=True):
                if values not in known:
                    known[values] = _format(raw)
            return [known[values] for values in picked]
        except (KeyError, TypeError):  # a key that is missing, a value that is no number
            return [_format(raw) for raw in records]


def _format(raw: Raw) -> str:
    return _FORMAT % tuple(str(raw.get(key, 0)) for key in _KEYS)


def _objects(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> list[dict[str, Any]]:
    """What JSON holds for each kernel, sorted and filtered."""
    demangler = selection.demangler()
    objects = []
    for table in tables:
        for raw in table.records:
            found = {column: raw.get(key, 0) for column, key in RESOURCES.items()}
            name = found["name"] = str(raw.get(_NAME, ""))
            if demangler is not None:
                demangler.add((name,))
            found |= {
                "file": table.binary.path,
                "bundle": table.entry.bundle.index,
                "entry": table.entry.id,
                "target": table.target,
                "dynamic_stack": raw.get(_DYNAMIC_STACK) is True,
            }
            if registered is not None:
                found["registered"] = registered.of(table.binary.path, name)
            objects.append(found)
    shown = selection.names(demangler, {item["name"] for item in objects})
    objects = [item for item in objects if item["name"] in shown]
    for item in objects:
        readable = shown[item["name"]]
        item["demangled"] = readable if readable != item["name"] else None
    if selection.sort_key == _NAME:
        objects.sort(key=lambda item: shown[item["name"]])
    elif selection.sort_key:
        column = next(name for name, key in RESOURCES.items() if key == selection.sort_key)
        objects.sort(key=lambda item: -number(item[column]))
    return objects


def _write_json(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    from hipport.report.fatbin.json import write

    content: dict[str, Any] = {"kernels": _objects(tables, selection, registered)}
    if registered is not None:
        content["registration"] = registered.objects()
    write("kernels", content)


def _write_rich(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    from hipport.report.fatbin.rich import write_table

    objects = _objects(tables, selection, registered)
    first = 1 if registered is not None else 0
    write_table(
        f"{len(objects)} kernels",
        [*(["reg"] * first), "target", *COLUMNS, "name"],
        (
            [
                *([_WORDS[item["registered"]]] if first else []),
                item["target"],
                *(str(item[column]) for column in COLUMNS),
                safe(item["demangled"] or item["name"]),
            ]
            for item in objects
        ),
        right=range(first + 1, first + 1 + len(COLUMNS)),
    )
