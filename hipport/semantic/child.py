"""Run as a program: tells with libclang what the names in CUDA code refer to.

As hipport/verify/child.py, whose loop it runs. A job has `path`, `arguments`, `folder`, the text of
a `prelude` at `prelude_path`, the `names` of interest, the `roots` of the user's files, the folders
of the `vendor`, the `headers` that have names of the vendor's, and the `device_names` that only its
device compiler declares.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).absolute().parents[2]))

from hipport.verify.child import ERROR, KEEP_GOING, PREPROCESSING, main

_VENDOR, _OWN = "vendor", "own"
_IDENTIFIER = re.compile(rb"(?<!\w)[A-Za-z_]\w*", re.ASCII)
_UNDECLARED = re.compile(r"use of undeclared identifier '?(\w+)", re.ASCII)
_DEEPEST = 8
_MOST_ERRORS = 5
_MOST_TEXT = 300
_REFERENCES = frozenset(
    "DECL_REF_EXPR MEMBER_REF_EXPR MEMBER_REF TYPE_REF TEMPLATE_REF OVERLOADED_DECL_REF"
    " MACRO_INSTANTIATION".split()
)
# Of these a forward declaration, or an alias, may well be another one of CUDA's type.
_TAGS = frozenset(("STRUCT_DECL", "CLASS_DECL", "UNION_DECL", "ENUM_DECL", "TYPEDEF_DECL"))
_FUNCTIONS = frozenset(("FUNCTION_DECL", "FUNCTION_TEMPLATE"))
_OUTERMOST = frozenset(("TRANSLATION_UNIT", "LINKAGE_SPEC", "UNEXPOSED_DECL"))


def facts(cindex: Any, index: Any, job: dict[str, Any]) -> dict[str, Any]:
    """`files`: path -> [offset, class, file and line of the declaration] of each name resolved.

    `errors` tells what is wrong with the user's code, for then less is certain.
    """
    try:
        os.chdir(job["folder"])
        unit = index.parse(
            job["path"],
            args=job["arguments"],
            unsaved_files=[(job["prelude_path"], job["prelude"])] if job["prelude"] else None,
            options=KEEP_GOING | PREPROCESSING,
        )
    except (cindex.TranslationUnitLoadError, OSError) as error:
        return {"problem": str(error) or "clang gave up"}
    files, known = _Files(cindex, job), frozenset(job["device_names"])
    errors = [
        f"{Path(path).name}:{each.location.line}: {each.spelling[:_MOST_TEXT]}"
        for each in unit.diagnostics
        if each.severity >= ERROR
        and (path := files.of(each.location.file)) != job["prelude_path"]
        and not files.is_vendor(path)
        and not ((found := _UNDECLARED.match(each.spelling)) and found[1] in known)
    ]
    resolver = _Resolver(cindex, files, frozenset(job["names"]), bool(errors))
    resolver.walk(unit.cursor)
    return {"files": resolver.result(), "errors": errors[:_MOST_ERRORS]}


class _Files:
    """Whose each file is."""

    def __init__(self, cindex: Any, job: dict[str, Any]) -> None:
        self.roots, self.vendor = tuple(job["roots"]), tuple(job["vendor"])
        self.headers = frozenset(job["headers"])
        self.main = os.path.normpath(job["path"])
        self._paths: dict[Any, str] = {}
        self._vendors: dict[str, bool] = {}
        self._data: dict[str, bytes] = {}

    def of(self, file: Any) -> str:
        """The absolute path of a file; "" for none."""
        if file is None:
            return ""
        key = ctypes.cast(file.obj, ctypes.c_void_p).value
        if key not in self._paths:
            self._paths[key] = os.path.normpath(Path(file.name).absolute())
        return self._paths[key]

    def is_users(self, path: str) -> bool:
        return path == self.main or (path.startswith(self.roots) and not self.is_vendor(path))

    def is_vendor(self, path: str) -> bool:
        """Whether a file is CUDA's: by its folder, or outside the user's by the end of its path."""
        if path not in self._vendors:
            is_theirs = not path.startswith(self.roots) and self.is_named_alike(path)
            self._vendors[path] = path.startswith(self.vendor) or is_theirs
        return self._vendors[path]

    def is_named_alike(self, path: str) -> bool:
        """Whether a file has the name of a header of CUDA's: it may be a copy."""
        parts = Path(path).parts
        ends = ("/".join(parts[-count:]) for count in range(1, 5))
        return path != self.main and any(end in self.headers for end in ends)

    def identifier(self, path: str, offset: int) -> str:
        """The identifier that begins at an offset; "" for none."""
        match = _IDENTIFIER.match(self._text(path), offset)
        return match[0].decode() if match else ""

    def identifiers(self, path: str, start: int, end: int) -> Iterator[tuple[str, int]]:
        """The identifiers in a range, with their offsets."""
        for match in _IDENTIFIER.finditer(self._text(path), start, end):
            yield match[0].decode(), match.start()

    def _text(self, path: str) -> bytes:
        if path not in self._data:
            try:
                self._data[path] = Path(path).read_bytes()
            except OSError:
                self._data[path] = b""
        return self._data[path]


class _Resolver:
    """Collects what the names in the user's files refer to."""

    def __init__(self, cindex: Any, files: _Files, names: frozenset[str], is_damaged: bool) -> None:
        self.cindex, self.files, self.names, self.is_damaged = cindex, files, names, is_damaged
        # path -> offset -> what was found there; None where expansions disagree.
        self.found: dict[str, dict[int, tuple[str, str, int] | None]] = {}
        # Name of a macro -> where its text stands; None for one that is defined twice.
        self.macros: dict[str, tuple[str, int, int] | None] = {}
        self.locate = cindex.conf.lib.clang_getFileLocation
        number = ctypes.POINTER(ctypes.c_uint)
        file = ctypes.POINTER(cindex.c_object_p)
        self.locate.argtypes = [cindex.SourceLocation, file, number, number, number]
        self.locate.restype = None

    def result(self) -> dict[str, list[list[Any]]]:
        return {
            path: [[offset, *what] for offset, what in sorted(places.items()) if what]
            for path, places in self.found.items()
        }

    def walk(self, root: Any) -> None:
        """Look at every cursor that stands in the user's files."""
        pending = []
        for top in root.get_children():
            path = self.files.of(top.location.file)
            if path and self.files.is_users(path):
                self.found.setdefault(path, {})
                pending.append(top)
                if top.kind.name == "MACRO_DEFINITION":
                    self._define(top)
        while pending:
            cursor = pending.pop()
            target = self._target(cursor)
            if target is not None and target.spelling in self.names:
                self._note(cursor, target)
            pending.extend(cursor.get_children())

    def _target(self, cursor: Any) -> Any:
        """What a cursor refers to or declares; None for one that does neither."""
        try:
            kind = cursor.kind
            if kind.name in _REFERENCES:
                return cursor.referenced
            is_one = kind.is_declaration() and not kind.name.startswith("USING")
            return cursor if is_one or kind.name == "MACRO_DEFINITION" else None
        except ValueError:  # A kind that is newer than the binding.
            return None

    def _note(self, cursor: Any, target: Any) -> None:
        """Record a meaning where its name is written: in the file, or in the text of a macro."""
        path, offset = self._place(cursor.location)
        if not path or not self.files.is_users(path):
            return
        name, what = target.spelling, self._meaning(target)
        written = self.files.identifier(path, offset)
        places = [(path, offset)] if written == name else self._in_macro(written, name)
        for each, at in places:
            found = self.found.setdefault(each, {})
            known = found.get(at, what)
            found[at] = what if known and what and known[0] == what[0] else None

    def _place(self, location: Any) -> tuple[str, int]:
        """Where a token is written that a macro was given, or else where the macro is used."""
        file, line, column, offset = (
            self.cindex.c_object_p(),
            ctypes.c_uint(),
            ctypes.c_uint(),
            ctypes.c_uint(),
        )
        self.locate(location, *(ctypes.byref(each) for each in (file, line, column, offset)))
        return (self.files.of(self.cindex.File(file)), int(offset.value)) if file else ("", 0)

    def _define(self, cursor: Any) -> None:
        """Remember the text of a macro of the user's."""
        start, end = cursor.extent.start, cursor.extent.end
        path = self.files.of(start.file)
        place = (path, start.offset + len(cursor.spelling), end.offset)
        name = cursor.spelling
        self.macros[name] = place if self.macros.get(name, place) == place else None

    def _in_macro(self, macro: str, name: str, depth: int = 0) -> list[tuple[str, int]]:
        """Where a name stands in the text of a macro, or of one that this expands to."""
        place = self.macros.get(macro)
        if place is None or depth > _DEEPEST:
            return []
        path, start, end = place
        words = list(self.files.identifiers(path, start, end))
        found = [(path, offset) for word, offset in words if word == name]
        if found:
            return found
        inner = dict.fromkeys(word for word, _ in words if word != macro)
        return [each for word in inner for each in self._in_macro(word, name, depth + 1)]

    def _meaning(self, target: Any) -> tuple[str, str, int] | None:
        """[class, file, line] of a declaration; of several, if all are of one class."""
        library = self.cindex.conf.lib
        if target.kind.name == "OVERLOADED_DECL_REF":
            count = library.clang_getNumOverloadedDecls(target)
            each = [self._one(library.clang_getOverloadedDecl(target, at)) for at in range(count)]
            classes = {one[0] if one else "" for one in each}
            return each[0] if len(classes) == 1 else None
        return self._one(target)

    def _one(self, declaration: Any) -> tuple[str, str, int] | None:
        first = declaration.canonical
        path = self.files.of(first.location.file)
        if not path:
            return None
        line = int(first.location.line)
        if self.files.is_vendor(path):
            return _VENDOR, path, line
        if first.location.is_in_system_header or self.files.is_named_alike(path):
            return None
        if not self._is_surely_own(first):
            return None
        return _OWN, path, line

    def _is_surely_own(self, declaration: Any) -> bool:
        """Whether a declaration outside CUDA's headers cannot be another one of CUDA's own."""
        kind, parent = declaration.kind.name, declaration.semantic_parent
        if parent is None or parent.kind.name not in _OUTERMOST:
            return True
        if kind in _TAGS:
            return bool(declaration.is_definition()) and kind != "TYPEDEF_DECL"
        # With errors, an argument's type may be unknown: another overload may be meant.
        return not (self.is_damaged and kind in _FUNCTIONS)


if __name__ == "__main__":
    sys.exit(main(facts))
