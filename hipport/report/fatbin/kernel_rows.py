"""The kernels of any number of code objects in little memory.

Names, and what kernels need, repeat from target to target: each is kept once, and a kernel is three
numbers. 480,000 kernels take 6 MB so, and 400 MB as objects.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from hipport.fatbin.object.metadata import Raw
from hipport.fatbin.questions.kernel_tables import RESOURCES, KernelTable, number
from hipport.named_tuples import NamedTuple
from hipport.report.fatbin.kernels_selection import AGPR, DYNAMIC_STACK, NAME, Selection

if TYPE_CHECKING:
    from hipport.fatbin.object.demangle import Demangler

FIELDS = tuple(key for key in RESOURCES.values() if key != NAME)
"""What is kept of a kernel besides its name, in the order of the columns; then the stack."""
_KEYS = (*FIELDS, DYNAMIC_STACK)
Needs = tuple[Any, ...]


class Table(NamedTuple):
    """Where a kernel is from."""

    path: str
    bundle: int
    entry: str
    target: str


class KernelRows:
    """The kernels of many tables, without the tables: read `parts` or `chosen`."""

    def __init__(self, tables: Iterable[KernelTable], selection: Selection) -> None:
        self._selection = selection
        self._demangler: Demangler | None = selection.demangler()
        self._names: dict[str, int] = {}
        self._needs: dict[Needs, int] = {}
        self._tables: list[Table] = []
        self._rows = (array("I"), array("I"), array("I"))
        self._ends: list[int] = []
        self.names: list[str] = []
        self.needs: list[Needs] = []
        self.readable: dict[str, str] = {}
        """Every name that is wanted, and how it reads; known with the first of the parts."""
        for table in tables:
            self._add(table)

    def _add(self, table: KernelTable) -> None:
        """Take over the kernels of one code object."""
        entry = table.entry
        self._tables.append(Table(table.binary.path, entry.bundle.index, entry.id, table.target))
        records, known = table.records, self._names
        names = [name if type(name := raw.get(NAME, "")) is str else str(name) for raw in records]
        fresh = [name for name in names if name not in known]
        for name in fresh:
            known.setdefault(name, len(known))
        if self._demangler is not None and fresh:
            self._demangler.add(fresh)
        name_rows, need_rows, table_rows = self._rows
        name_rows.extend([known[name] for name in names])
        need_rows.extend(self._needs_of(records))
        table_rows.extend([len(self._tables) - 1] * len(records))
        self._ends.append(len(table_rows))

    @property
    def files(self) -> int:
        """How many files have kernels."""
        return len({table.path for table in self._tables})

    def _needs_of(self, records: list[Raw]) -> list[int]:
        known = self._needs
        # Most processors have no accumulation registers, and then no record has the key.
        with_agpr = sum(AGPR in raw for raw in records)
        pick = _PICK if with_agpr else _PICK_WITHOUT_AGPR
        try:
            if with_agpr not in (0, len(records)):
                raise KeyError(AGPR)
            picked: list[Needs] = list(map(pick, records))
            if not with_agpr:
                picked = [(values[0], 0, *values[1:]) for values in picked]
            return [known.setdefault(values, len(known)) for values in picked]
        except (KeyError, TypeError):  # a key that is missing, a value that is not a number
            return [known.setdefault(_plain(raw), len(known)) for raw in records]

    def parts(self) -> Iterator[tuple[Table, Sequence[int], Sequence[int]]]:
        """Table, names and needs of runs of kernels that are wanted, in the order that is wanted;
        the numbers are indices of `names` and `needs`."""
        self.names, self.needs = list(self._names), list(self._needs)
        self.readable = self._selection.names(self._demangler, set(self._names))
        name_rows, need_rows, table_rows = self._rows
        wanted = [name in self.readable for name in self.names]
        if self._selection.sort_key:
            for row in self._sorted():
                if wanted[name_rows[row]]:
                    yield (
                        self._tables[table_rows[row]],
                        name_rows[row : row + 1],
                        need_rows[row : row + 1],
                    )
            return
        start = 0
        for table, end in zip(self._tables, self._ends, strict=True):
            names, needs = name_rows[start:end], need_rows[start:end]
            start = end
            if not all(map(wanted.__getitem__, names)):
                rows = [row for row, name in enumerate(names) if wanted[name]]
                names, needs = (array("I", [of[row] for row in rows]) for of in (names, needs))
            if names:
                yield table, names, needs

    def _sorted(self) -> list[int]:
        name_rows, need_rows, _ = self._rows
        key = self._selection.sort_key
        if key == NAME:
            texts = [self.readable.get(name, "") for name in self.names]
            return sorted(range(len(name_rows)), key=lambda row: texts[name_rows[row]])
        values = [-number(each[FIELDS.index(key)]) for each in self.needs]
        return sorted(range(len(need_rows)), key=lambda row: values[need_rows[row]])

    def chosen(self) -> Iterator[tuple[Table, str, Needs]]:
        """Table, name and needs of each kernel that is wanted, one by one."""
        for table, names, needs in self.parts():
            for name, need in zip(names, needs, strict=True):
                yield table, self.names[name], self.needs[need]


_PICK = itemgetter(*_KEYS)
_PICK_WITHOUT_AGPR = itemgetter(*(key for key in _KEYS if key != AGPR))


def _plain(raw: Raw) -> Needs:
    """The values, each as a number, a text or None."""
    values = (raw.get(key, 0) for key in _KEYS)
    return tuple(
        value if value is None or isinstance(value, (int, str)) else str(value) for value in values
    )
