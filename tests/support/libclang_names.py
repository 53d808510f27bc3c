"""The kernels that launches name according to libclang: the truth for matching without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clang import cindex


def launched(source: Path, kernels: Iterable[str], *options: str) -> dict[int, set[str]]:
    """Line -> the mangled names, of those given, that the code there refers to.

    In a template nothing is known before it is instantiated: such lines are missing.
    """
    wanted = frozenset(kernels)
    arguments = ["-x", "hip", "--cuda-device-only", "--offload-arch=gfx90a", "-nogpulib", *options]
    unit = cindex.Index.create().parse(str(source), args=["-std=c++17", "-w", *arguments])
    errors = [each.spelling for each in unit.diagnostics if each.severity >= 3]
    assert not errors, errors
    found: dict[int, set[str]] = defaultdict(set)
    _collect(unit.cursor, wanted, found)
    return dict(found)


def _collect(cursor: Any, wanted: frozenset[str], found: dict[int, set[str]]) -> None:
    for child in cursor.get_children():
        referenced = child.referenced
        # libclang crashes on the mangled names of what depends on template parameters.
        is_function = referenced is not None and referenced.kind == cindex.CursorKind.FUNCTION_DECL
        if is_function and not _declares(child) and _may_be(referenced.spelling, wanted):
            name = referenced.mangled_name
            if name in wanted:
                found[child.location.line].add(name)
        _collect(child, wanted, found)


def _declares(cursor: Any) -> bool:
    try:
        return bool(cursor.kind == cindex.CursorKind.FUNCTION_DECL)
    except ValueError:  # A launch, which this binding has no name for.
        return False


def _may_be(spelling: str, wanted: frozenset[str]) -> bool:
    return any(spelling in each for each in wanted)
