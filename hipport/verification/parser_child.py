"""Run as a program: parses translation units with libclang, which may crash.

Argument: the path of a library, or nothing for the one of the Python package. Each line of standard
input is a JSON object with `path`, `arguments`, `folder` and `roots`; each line of standard output
answers one. The first line of output says which clang it is.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# clang-c/Index.h, CXTranslationUnit_KeepGoing: a header that is not found does not end the parse.
KEEP_GOING = 0x200
# CXTranslationUnit_DetailedPreprocessingRecord: without it, nothing says which lines were left out.
PREPROCESSING = 0x01
ERROR = 3
MOST_ERRORS = 2000
MOST_TEXT = 2000
MOST_NOTES = 40
MOST_HEADERS = 20_000


def main(answer: Callable[[Any, Any, dict[str, Any]], dict[str, Any]]) -> int:
    """Answer each job with the function's result for cindex, its index, and the job."""
    from clang import cindex

    if len(sys.argv) > 1 and sys.argv[1]:
        cindex.Config.set_library_file(sys.argv[1])
        # A library of another version may lack functions that the binding lists but we never call.
        cindex.Config.set_compatibility_check(False)
    # Whatever the library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        index = cindex.Index.create()
        version = _version(cindex)
    except (cindex.LibclangError, OSError) as error:
        version, index = "", None
        problem = str(error)
    answers.write(json.dumps({"version": version} if index else {"problem": problem}) + "\n")
    answers.flush()
    if index is None:
        return 1
    for line in sys.stdin:
        answers.write(json.dumps(answer(cindex, index, json.loads(line))) + "\n")
        answers.flush()
    return 0


def _version(cindex: Any) -> str:
    function = cindex.conf.lib.clang_getClangVersion
    function.argtypes, function.restype = [], cindex._CXString
    function.errcheck = cindex._CXString.from_result
    return str(function())


def _parse(cindex: Any, index: Any, job: dict[str, Any]) -> dict[str, Any]:
    try:
        os.chdir(job["folder"])
        unit = index.parse(job["path"], args=job["arguments"], options=KEEP_GOING | PREPROCESSING)
    except (cindex.TranslationUnitLoadError, OSError) as error:
        return {"problem": str(error) or "clang gave up"}
    roots = tuple(job["roots"])
    reader = _Reader(cindex, unit, roots)
    errors: list[dict[str, Any]] = []
    for diagnostic in unit.diagnostics:
        if diagnostic.severity >= ERROR and len(errors) < MOST_ERRORS:
            errors.append(reader.error(diagnostic))
    skipped = reader.skipped() if errors else []
    included = reader.included() if errors else []
    return {"errors": errors, "skipped": skipped, "included": included}


def _absolute(file: Any) -> str:
    return os.path.normpath(Path(file.name).absolute())


class _Reader:
    """The results of one translation unit, as plain values."""

    def __init__(self, cindex: Any, unit: Any, roots: tuple[str, ...]) -> None:
        self.cindex, self.unit, self.roots = cindex, unit, roots
        self.related: dict[tuple[str, int], list[list[Any]]] = {}

    def error(self, diagnostic: Any) -> dict[str, Any]:
        place = self.place(diagnostic.location)
        notes = [
            [*self.place(note.location), note.spelling[:MOST_TEXT]]
            for note in list(diagnostic.children)[:MOST_NOTES]
        ]
        return {
            "place": place,
            "message": diagnostic.spelling[:MOST_TEXT],
            "notes": notes,
            "related": self.declarations(diagnostic.location.file, place[0], place[1]),
        }

    def place(self, location: Any) -> list[Any]:
        """[file, line, column]; the file is "" where there is none."""
        if location.file is None:
            return ["", 0, 0]
        return [_absolute(location.file), location.line, location.column]

    def declarations(self, file: Any, name: str, line: int) -> list[list[Any]]:
        """Where the project declares the names on the line: an error there may be the cause."""
        if file is None or not name.startswith(self.roots):
            return []
        if (name, line) not in self.related:
            self.related[name, line] = list(self._declarations(file, line))
        return self.related[name, line]

    def _declarations(self, file: Any, line: int) -> Any:
        location = self.cindex.SourceLocation
        start = location.from_position(self.unit, file, line, 1)
        end = location.from_position(self.unit, file, line + 1, 1)
        extent = self.cindex.SourceRange.from_locations(start, end)
        seen = set()
        for token in self.unit.get_tokens(extent=extent):
            if token.kind != self.cindex.TokenKind.IDENTIFIER or token.location.line != line:
                continue
            try:
                found = token.cursor.referenced
            except ValueError:  # A kind of cursor that is newer than the binding.
                continue
            if found is None or found.location.file is None:
                continue
            place = _absolute(found.location.file), found.location.line
            if place[0].startswith(self.roots) and place not in seen and place[1] != line:
                seen.add(place)
                yield list(place)

    def included(self) -> list[str]:
        """The headers outside the project."""
        names = {_absolute(each.include) for each in self.unit.get_includes()}
        return sorted(name for name in names if not name.startswith(self.roots))[:MOST_HEADERS]

    def skipped(self) -> list[list[Any]]:
        """[file, first line, last line] of project code that the preprocessor skipped."""
        cindex = self.cindex

        class Ranges(ctypes.Structure):
            _fields_ = (
                ("count", ctypes.c_uint),
                ("ranges", ctypes.POINTER(cindex.SourceRange)),
            )

        library = cindex.conf.lib
        get, dispose = library.clang_getAllSkippedRanges, library.clang_disposeSourceRangeList
        get.argtypes, get.restype = [cindex.TranslationUnit], ctypes.POINTER(Ranges)
        dispose.argtypes, dispose.restype = [ctypes.POINTER(Ranges)], None
        listed = get(self.unit)
        found = []
        for each in listed.contents.ranges[: listed.contents.count] if listed else []:
            file = each.start.file
            path = _absolute(file) if file else ""
            if path.startswith(self.roots) and path:
                found.append([path, each.start.line, each.end.line])
        if listed:
            dispose(listed)
        return found


if __name__ == "__main__":
    sys.exit(main(_parse))
