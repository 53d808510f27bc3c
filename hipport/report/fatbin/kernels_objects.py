"""What JSON and tables hold of each kernel for `hipport fatbin kernels`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hipport.fatbin.questions.kernel_tables import RESOURCES, KernelTable, number
from hipport.report.fatbin.kernels_selection import DYNAMIC_STACK, NAME, Selection

if TYPE_CHECKING:
    from hipport.report.fatbin.registered import Registered


def objects_of(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> list[dict[str, Any]]:
    """What JSON holds for each kernel, sorted and filtered."""
    demangler = selection.demangler()
    objects = []
    for table in tables:
        for raw in table.records:
            found = {column: raw.get(key, 0) for column, key in RESOURCES.items()}
            name = found["name"] = str(raw.get(NAME, ""))
            if demangler is not None:
                demangler.add((name,))
            found |= {
                "file": table.binary.path,
                "bundle": table.entry.bundle.index,
                "entry": table.entry.id,
                "target": table.target,
                "dynamic_stack": raw.get(DYNAMIC_STACK) is True,
            }
            if registered is not None:
                found["registered"] = registered.of(table.binary.path, name)
            objects.append(found)
    shown = selection.names(demangler, {item["name"] for item in objects})
    objects = [item for item in objects if item["name"] in shown]
    for item in objects:
        readable = shown[item["name"]]
        item["demangled"] = readable if readable != item["name"] else None
    if selection.sort_key == NAME:
        objects.sort(key=lambda item: shown[item["name"]])
    elif selection.sort_key:
        column = next(name for name, key in RESOURCES.items() if key == selection.sort_key)
        objects.sort(key=lambda item: -number(item[column]))
    return objects
