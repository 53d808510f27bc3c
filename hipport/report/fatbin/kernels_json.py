"""Writes `hipport fatbin kernels` as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hipport.fatbin.questions.kernel_tables import KernelTable
from hipport.report.fatbin import json
from hipport.report.fatbin.kernels_objects import objects_of
from hipport.report.fatbin.kernels_selection import Selection

if TYPE_CHECKING:
    from hipport.report.fatbin.registered import Registered


def write(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    """Write one document with the kernels, and what the host code registers if that is wanted."""
    content: dict[str, Any] = {"kernels": objects_of(tables, selection, registered)}
    if registered is not None:
        content["registration"] = registered.objects()
    json.write("kernels", content)
