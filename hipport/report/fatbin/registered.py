"""What `hipport fatbin kernels --registered` says: registration against code objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import asdict

from hipport.fatbin.host.registration import Registrations, compare
from hipport.fatbin.questions.kernel_tables import KernelTable
from hipport.report.fatbin.text import safe

Found = dict[str, Registrations]
"""Path of a binary -> what its host code registers."""


class Registered:
    """What is registered, binary by binary, and what each code object has."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._names: dict[str, set[str]] = {}
        self._known: dict[str, str] = {}
        self._present: dict[str, list[tuple[int, str, set[str]]]] = {}

    def watch(self, tables: Iterable[KernelTable]) -> Iterator[KernelTable]:
        """The same tables, their names remembered for the comparison."""
        for table in tables:
            known = self._known
            names = {
                known.setdefault(n, n) for n in (str(r.get(".name", "")) for r in table.records)
            }
            present = self._present.setdefault(table.binary.path, [])
            present.append((table.entry.bundle.index, table.target, names))
            yield table

    def of(self, path: str, name: str) -> bool | None:
        """Whether the name is registered; None where its absence says nothing."""
        names = self._names.get(path)
        if names is None:
            names = self._names[path] = self._found[path].names()
        return True if name in names else False if self._found[path].readable else None

    def objects(self) -> Iterator[dict[str, Any]]:
        """For each binary: problems, other things registered, bundles and targets compared."""
        for path, found in self._found.items():
            yield {
                "file": path,
                "problems": found.problems,
                "registered": sorted(found.names()),
                "variables": [
                    {"kind": call.kind, "name": call.name}
                    for call in found.calls()
                    if call.kind != "kernel"
                ],
                "compared": [asdict(item) for item in compare(found, self._present.get(path, []))],
            }

    def lines(self) -> Iterator[str]:
        """The same as text; bundles and targets that agree are left out."""
        for item in self.objects():
            yield f"{safe(item['file'])}: {len(item['registered'])} kernels registered\n"
            for problem in item["problems"]:
                yield f"  note: {safe(problem)}\n"
            for variable in item["variables"]:
                yield f"  {variable['kind']}: {safe(str(variable['name']))}\n"
            for row in item["compared"]:
                if row["registered_only"] or row["present_only"]:
                    yield (
                        f"  bundle {row['bundle']}, {row['target']}: {row['both']} registered and "
                        f"present, {len(row['registered_only'])} registered only, "
                        f"{len(row['present_only'])} present only\n"
                    )
