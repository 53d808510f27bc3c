"""Run as a program: says with libclang which kernels the lines of a unit refer to.

It runs the loop of verification/parser_child.py. A job has `path`, `arguments`, `folder`, and the
`names` of the kernels that are of interest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).absolute().parents[2]))

from hipport.verification.parser_child import ERROR, main

_FUNCTION = "FUNCTION_DECL"


def references(cindex: Any, index: Any, job: dict[str, Any]) -> dict[str, Any]:
    """`found`: path, line, column and mangled name of each reference to a kernel; `errors`: the
    first message of the compiler's, as nothing is certain then."""
    try:
        os.chdir(job["folder"])
        unit = index.parse(job["path"], args=job["arguments"])
    except (cindex.TranslationUnitLoadError, OSError) as error:
        return {"problem": str(error) or "clang gave up"}
    errors = [each.spelling for each in unit.diagnostics if each.severity >= ERROR]
    names = frozenset(job["names"])
    found = [] if errors else sorted(set(_found(unit.cursor, names)))
    return {"errors": errors[:1], "found": found}


def _found(unit: Any, names: frozenset[str]) -> Iterator[tuple[str, int, int, str]]:
    left = [unit]
    while left:
        cursor = left.pop()
        left += cursor.get_children()
        try:
            kind = cursor.kind.name
        except ValueError:  # A launch, which this binding has no name for.
            kind = ""
        referenced = None if kind == _FUNCTION else cursor.referenced
        # libclang crashes on the mangled names of what depends on template parameters.
        if referenced is None or referenced.kind.name != _FUNCTION:
            continue
        place = cursor.location
        if referenced.spelling in names and place.file is not None:
            path = os.path.normpath(Path(place.file.name).absolute())
            yield path, place.line, place.column, referenced.mangled_name


if __name__ == "__main__":
    sys.exit(main(references))
