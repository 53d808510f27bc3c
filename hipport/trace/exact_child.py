"""Run as a program: says with libclang which kernels the lines of a unit refer to.

It runs the loop of verification/parser_child.py. A job has `path`, `arguments`, `folder`, and the
`names` of the kernels that are of interest; for CUDA the text of a `prelude` at `prelude_path`, and
the folders of the `vendor`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).absolute().parents[2]))

from hipport.verification.parser_child import ERROR, KEEP_GOING, main

_FUNCTION = "FUNCTION_DECL"
_FUNCTIONS = frozenset((_FUNCTION, "FUNCTION_TEMPLATE", "CXX_METHOD", "CONSTRUCTOR"))
_DEVICE = frozenset(("CUDAGLOBAL_ATTR", "CUDADEVICE_ATTR"))
_STUB = "__device_stub__"
"""The prefix of the host function that clang calls in place of a kernel of the same name."""


def references(cindex: Any, index: Any, job: dict[str, Any]) -> dict[str, Any]:
    """`found`: path, line, column and mangled name of each reference to a kernel; `errors`: the
    first message of the compiler's, as nothing is certain then."""
    prelude = job.get("prelude", "")
    try:
        os.chdir(job["folder"])
        unit = index.parse(
            job["path"],
            args=job["arguments"],
            unsaved_files=[(job["prelude_path"], prelude)] if prelude else None,
            options=KEEP_GOING if prelude else 0,
        )
    except (cindex.TranslationUnitLoadError, OSError) as error:
        return {"problem": str(error) or "clang gave up"}
    errors = [each for each in unit.diagnostics if each.severity >= ERROR]
    if prelude:
        errors = _of_the_host(errors, unit.cursor, job)
    names = frozenset(job["names"])
    found = [] if errors else sorted(set(_found(unit.cursor, names)))
    return {"errors": [each.spelling for each in errors[:1]], "found": found}


def _of_the_host(errors: list[Any], unit: Any, job: dict[str, Any]) -> list[Any]:
    """The errors in host code of the sources: clang does not handle NVIDIA's headers, and what
    they declare for the device only."""
    vendor = tuple(f"{folder}{os.sep}" for folder in job["vendor"])
    theirs = (*vendor, os.path.normpath(job["prelude_path"]))
    own = [each for each in errors if not _path(each.location).startswith(theirs)]
    device = _device_code(unit) if own else {}
    return [
        each
        for each in own
        if not any(
            start <= each.location.offset < end
            for start, end in device.get(_path(each.location), ())
        )
    ]


def _device_code(unit: Any) -> dict[str, list[tuple[int, int]]]:
    """Path -> where its device functions are."""
    found: dict[str, list[tuple[int, int]]] = {}
    left = [unit]
    while left:
        cursor = left.pop()
        children = list(cursor.get_children())
        if _kind(cursor) not in _FUNCTIONS:
            left += children
        elif not _DEVICE.isdisjoint(map(_kind, children)):
            extent = cursor.extent
            found.setdefault(_path(extent.start), []).append(
                (extent.start.offset, extent.end.offset)
            )
    return found


def _path(location: Any) -> str:
    return os.path.normpath(Path(location.file.name).absolute()) if location.file else ""


def _kind(cursor: Any) -> str:
    try:
        return str(cursor.kind.name)
    except ValueError:  # A launch, which this binding has no name for.
        return ""


def _found(unit: Any, names: frozenset[str]) -> Iterator[tuple[str, int, int, str]]:
    left = [unit]
    while left:
        cursor = left.pop()
        left += cursor.get_children()
        referenced = None if _kind(cursor) == _FUNCTION else cursor.referenced
        # libclang crashes on the mangled names of what depends on template parameters.
        if referenced is None or _kind(referenced) != _FUNCTION:
            continue
        place = cursor.location
        if referenced.spelling in names and place.file is not None:
            yield _path(place), place.line, place.column, _kernel(referenced)


def _kernel(function: Any) -> str:
    """The mangled name; for a host stub, that of the kernel it launches."""
    name, mangled = str(function.spelling), str(function.mangled_name)
    length = len(_STUB) + len(name)
    return mangled.replace(f"{length}{_STUB}{name}", f"{len(name)}{name}").removeprefix(_STUB)


if __name__ == "__main__":
    sys.exit(main(references))
