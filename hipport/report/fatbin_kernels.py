"""Writers for `hipport fatbin kernels`: text, rich, JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from hipport.fatbin.inventory import RESOURCES, KernelTable, number
from hipport.fatbin.metadata import Raw
from hipport.report.fatbin_text import safe

if TYPE_CHECKING:
    from hipport.fatbin.demangle import Demangler
    from hipport.report.fatbin_registered import Found, Registered

COLUMNS = ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill", "wave", "group")
_WIDTHS = (4, 4, 4, 6, 7, 6, 6, 4, 5)
_FORMAT = " ".join(f"%{width}s" for width in _WIDTHS)
_HEADER = _FORMAT % COLUMNS
_KEYS = tuple(RESOURCES[column] for column in COLUMNS)
_NAME, _AGPR = ".name", ".agpr_count"
_BATCH = 4096
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
        from hipport.report.fatbin_registered import Registered

        registered = Registered(found)
        tables = registered.watch(tables)
    if form == "json":
        _write_json(tables, selection, registered)
    elif form == "rich":
        _write_rich(tables, selection, registered)
    else:
        _write_text(tables, selection, registered)


def _write_text(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    demangler = selection.demangler()
    names: set[str] = set()
    lines: list[tuple[str, str, str, int]] = []
    add, key, formatted = lines.append, selection.sort_key, _Formatted()
    for table in tables:
        path, start = table.binary.path, f"{table.target:<22} "
        before = len(names)
        for raw in table.records:
            name = raw.get(_NAME, "")
            if type(name) is not str:
                name = str(name)
            names.add(name)
            add((path, name, start + formatted.of(raw), number(raw.get(key)) if key else 0))
        if demangler is not None and len(names) > before:
            demangler.add([name for _, name, _, _ in lines[-len(table.records) :]])
    shown = selection.names(demangler, names)
    if key == _NAME:
        lines.sort(key=lambda line: shown.get(line[1], ""))
    elif key:
        lines.sort(key=lambda line: -line[3])
    pieces = _text_lines(lines, shown, registered)
    while batch := "".join(islice(pieces, _BATCH)):
        sys.stdout.write(batch)
    if registered is not None:
        sys.stdout.writelines(registered.lines())


class _Formatted:
    """The columns as text. Many kernels need the same: each combination is formatted once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], str] = {}
        self._all = itemgetter(*_KEYS)
        self._others = itemgetter(*(key for key in _KEYS if key != _AGPR))

    def of(self, raw: Raw) -> str:
        try:
            # Most processors have no accumulation registers, and raising costs more than asking.
            values = self._all(raw) if _AGPR in raw else self._others(raw)
            text = self._known.get(values)
        except (KeyError, TypeError):  # a key that is missing, a value that is no number
            return self._format(raw)
        if text is None:
            text = self._known[values] = self._format(raw)
        return text

    def _format(self, raw: Raw) -> str:
        return _FORMAT % tuple(str(raw.get(key, 0)) for key in _KEYS)


def _text_lines(
    lines: list[tuple[str, str, str, int]], shown: dict[str, str], registered: Registered | None
) -> Iterator[str]:
    shown = {name: safe(text) for name, text in shown.items()}
    several = len({line[0] for line in lines}) > 1
    path_before = None
    for path, name, text, _ in lines:
        if path != path_before:
            path_before = path
            if several:
                yield f"{safe(path)}:\n"
            yield f"{'reg  ' if registered is not None else ''}{'target':<22} {_HEADER}  name\n"
        if name in shown:
            if registered is not None:
                yield f"{_WORDS[registered.of(path, name)]:<4} "
            yield f"{text}  {shown[name]}\n"


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
                "dynamic_stack": raw.get(".uses_dynamic_stack") is True,
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
    from hipport.report.fatbin_json import write

    content: dict[str, Any] = {"kernels": _objects(tables, selection, registered)}
    if registered is not None:
        content["registration"] = registered.objects()
    write("kernels", content)


def _write_rich(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    from hipport.report.fatbin_rich import write_table

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
