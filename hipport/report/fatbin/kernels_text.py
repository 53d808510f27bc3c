"""Writes `hipport fatbin kernels` as text: a line for each kernel and target."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from hipport.fatbin.object.metadata import Raw
from hipport.fatbin.questions.kernel_tables import RESOURCES, KernelTable, number
from hipport.report.fatbin.kernels_selection import AGPR, COLUMNS, NAME, WORDS, Selection
from hipport.report.fatbin.text import safe

if TYPE_CHECKING:
    from hipport.report.fatbin.registered import Registered

_WIDTHS = (4, 4, 4, 6, 7, 6, 6, 4, 5)
_FORMAT = " ".join(f"%{width}s" for width in _WIDTHS)
_HEADER = _FORMAT % COLUMNS
_KEYS = tuple(RESOURCES[column] for column in COLUMNS)
_BATCH = 512
"""Lines written at a time: about as much as fits into the processor's caches."""
_CONTROLS = bytes([*range(32), 127])

_Line = tuple[str, str, str, str, int]
"""A kernel to print: path, stored name, target, columns, what to sort by."""


def write(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    """Write the kernels that are wanted, and then what is registered and not present."""
    demangler = selection.demangler()
    names: set[str] = set()
    lines: list[_Line] = []
    key, columns = selection.sort_key, _Columns()
    for table in tables:
        records = table.records
        own = [name if type(name := raw.get(NAME, "")) is str else str(name) for raw in records]
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
    if key == NAME:
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
                    pieces.append(f"{WORDS[registered.of(path, name)]:<4} ")
                pieces += target, columns, ends[name]
        sys.stdout.write("".join(pieces))


class _Columns:
    """The columns as text. Many kernels need the same: each combination is formatted once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], str] = {}
        self._all = itemgetter(*_KEYS)
        self._others = itemgetter(*(key for key in _KEYS if key != AGPR))

    def of(self, records: list[Raw]) -> list[str]:
        """The text for each record of one code object."""
        # Most processors have no accumulation registers, and then no record has the key.
        with_agpr = sum(AGPR in raw for raw in records)
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
    values = (raw.get(key, 0) for key in _KEYS)
    return _FORMAT % tuple("-" if value is None else str(value) for value in values)
