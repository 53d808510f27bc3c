"""Run as a program: finds out with libclang what the names in CUDA code refer to.

It runs the loop of verification/parser_child.py. A job has `path`, `arguments`, `folder`, the text
of a `prelude` at `prelude_path`, the `names` of interest, the `roots` of user files, the
folders of the `vendor`, the `headers` that have names of the vendor's, the `device_names` that only
its device compiler declares, the calls whose arguments are `typed`, and what is known of a
`launch`.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hipport.lazy_regex import regex

sys.path.append(str(Path(__file__).absolute().parents[2]))

from hipport.semantic.argument_types import Arguments
from hipport.verification.parser_child import ERROR, KEEP_GOING, PREPROCESSING, main

_VENDOR, _OWN = "vendor", "own"
_Meaning = tuple[str, str, str, int]
"""The name, whose it is, and the file and line that declare it."""
_IDENTIFIER = regex(rb"(?<!\w)[A-Za-z_]\w*", re.ASCII)
_UNDECLARED = regex(r"use of undeclared identifier '?(\w+)", re.ASCII)
_DEEPEST = 8
_MOST_TEXT = 300
_REFERENCES = frozenset(
    "DECL_REF_EXPR MEMBER_REF_EXPR MEMBER_REF TYPE_REF TEMPLATE_REF OVERLOADED_DECL_REF".split()
)
# A declaration of these alone, without the definition, may well be another one of CUDA's type.
_TAGS = frozenset(("STRUCT_DECL", "CLASS_DECL", "UNION_DECL", "ENUM_DECL"))
_DEVICE = frozenset(("CUDAGLOBAL_ATTR", "CUDADEVICE_ATTR"))
_FUNCTIONS = frozenset(("FUNCTION_DECL", "FUNCTION_TEMPLATE"))
_WITH_BODIES = frozenset(
    "FUNCTION_DECL FUNCTION_TEMPLATE CXX_METHOD CONSTRUCTOR DESTRUCTOR CONVERSION_FUNCTION".split()
)
_OUTERMOST = frozenset(("TRANSLATION_UNIT", "LINKAGE_SPEC", "UNEXPOSED_DECL"))


def facts(cindex: Any, index: Any, job: dict[str, Any]) -> dict[str, Any]:
    """`files`: path -> [offset, class, file and line of the declaration] of each name resolved.

    `errors` says what is wrong with the user's code: then less is certain.
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
    files = _Files(cindex, job)
    errors = [
        each
        for each in unit.diagnostics
        if each.severity >= ERROR and files.is_compiled(files.of(each.location.file))
    ]
    resolver = _Resolver(cindex, files, frozenset(job["names"]))
    arguments = Arguments(cindex, job, resolver.place, files.is_users, files.is_vendor)
    resolver.observers = [arguments.see]
    resolver.walk(resolver.outermost(unit.cursor))
    device_names = frozenset(job["device_names"])
    shown = [each for each in errors if not _is_of_device(each, files, resolver, device_names)]
    found = resolver.result(is_damaged=bool(shown), is_device_damaged=bool(errors))
    return {
        "files": found,
        "errors": [_said(each, files) for each in shown[:1]],
        "read": sorted({files.of(each.include) for each in unit.get_includes()} | {files.main}),
        "arguments": arguments.result(),
        "types": arguments.result_types(),
    }


def _said(error: Any, files: _Files) -> str:
    place = f"{Path(files.of(error.location.file)).name}:{error.location.line}"
    return f"{place}: {error.spelling[:_MOST_TEXT]}"


def _is_of_device(
    error: Any, files: _Files, resolver: _Resolver, device_names: frozenset[str]
) -> bool:
    """Whether an error is about what only a device compiler declares: no name of the host's."""
    undeclared = _UNDECLARED.match(error.spelling)
    if undeclared and undeclared[1] in device_names:
        return True
    return resolver.is_in_device_code(files.of(error.location.file), error.location.offset)


class _Files:
    """Whose each file is."""

    def __init__(self, cindex: Any, job: dict[str, Any]) -> None:
        self.roots, self.vendor = tuple(job["roots"]), tuple(job["vendor"])
        self.headers = frozenset(job["headers"])
        self.main = os.path.normpath(job["path"])
        self.prelude = os.path.normpath(job["prelude_path"])
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
        if path == self.prelude:
            return False
        return path == self.main or (path.startswith(self.roots) and not self.is_vendor(path))

    def is_compiled(self, path: str) -> bool:
        """Whether errors there are the user's."""
        return path != self.prelude and not self.is_vendor(path)

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

    def __init__(self, cindex: Any, files: _Files, names: frozenset[str]) -> None:
        self.cindex, self.files, self.names = cindex, files, names
        self.interesting = set(names)
        kinds = cindex.CursorKind.get_all_kinds()
        self.kinds: dict[int, str] = {each.value: each.name for each in kinds}
        self.declarations = {each.name for each in kinds if each.is_declaration()}
        # (path, offset) of a macro of CUDA's that is used there -> the names in its text.
        self.expansions: dict[tuple[str, int], set[str]] = {}
        self.expanded: dict[tuple[str, int], _Meaning] = {}
        # path -> offset -> what was found there; None where expansions disagree.
        self.found: dict[str, dict[int, _Meaning | None]] = {}
        # path -> offsets where device functions begin and end.
        self.device_code: dict[str, list[tuple[int, int]]] = {}
        # Names of functions that the user declares where CUDA's are declared.
        self.contested: set[str] = set()
        # Name of a macro -> where its text is; None for one that is defined twice.
        self.macros: dict[str, tuple[str, int, int] | None] = {}
        # What else is recorded of each cursor in the user's files, and its kind.
        self.observers: list[Callable[[Any, str], None]] = []
        self.locate = cindex.conf.lib.clang_getFileLocation
        number = ctypes.POINTER(ctypes.c_uint)
        file = ctypes.POINTER(cindex.c_object_p)
        self.locate.argtypes = [cindex.SourceLocation, file, number, number, number]
        self.locate.restype = None

    def result(self, *, is_damaged: bool, is_device_damaged: bool) -> dict[str, list[list[Any]]]:
        """What is certain. With errors, an argument's type may be unknown: then which of several
        functions a name means is not."""

        def is_sure(path: str, offset: int, name: str) -> bool:
            if name not in self.contested:
                return True
            in_device_code = is_device_damaged and self.is_in_device_code(path, offset)
            return not is_damaged and not in_device_code

        for (path, offset), what in self.expanded.items():
            # What a macro expands to may be no name, but a number.
            if not is_damaged and offset not in self.found.get(path, ()):
                self._add(path, offset, what)
        return {
            path: [
                [offset, *what[1:]]
                for offset, what in sorted(places.items())
                if what and is_sure(path, offset, what[0])
            ]
            for path, places in self.found.items()
        }

    def is_in_device_code(self, path: str, offset: int) -> bool:
        return any(start <= offset < end for start, end in self.device_code.get(path, ()))

    def outermost(self, root: Any) -> list[Any]:
        """The contents of the project's files, except the uses of macros, which are recorded."""
        found = []
        for top in root.get_children():
            path = self.files.of(top.location.file)
            if path and self.files.is_users(path):
                self.found.setdefault(path, {})
                kind = self._kind(top)
                if kind == "MACRO_INSTANTIATION":
                    self._expand(top)
                else:
                    found.append(top)
                if kind == "MACRO_DEFINITION":
                    self._define(top)
        return found

    def walk(self, pending: list[Any]) -> None:
        """Look at every cursor below these."""
        self.interesting |= set().union(*self.expansions.values())
        while pending:
            cursor = pending.pop()
            kind = self._kind(cursor)
            for observe in self.observers:
                observe(cursor, kind)
            target = self._target(cursor, kind)
            if target is not None and target.spelling in self.interesting:
                self._note(cursor, target)
            children = list(cursor.get_children())
            pending.extend(children)
            if kind in self.declarations and any(self._kind(each) in _DEVICE for each in children):
                extent = cursor.extent
                places = self.device_code.setdefault(self.files.of(extent.start.file), [])
                places.append((extent.start.offset, extent.end.offset))

    def _kind(self, cursor: Any) -> str:
        """The name of a cursor's kind; "" for one that is newer than the binding."""
        # There are hundreds of thousands in a unit: `cursor.kind.name` takes most of the time.
        return self.kinds.get(cursor._kind_id, "") if cursor else ""

    def _target(self, cursor: Any, kind: str) -> Any:
        """What a cursor refers to or declares; None for one that does neither."""
        if kind in _REFERENCES:
            return cursor.referenced
        is_one = kind == "MACRO_DEFINITION" or kind in self.declarations
        return cursor if is_one and not kind.startswith("USING") else None

    def _note(self, cursor: Any, target: Any) -> None:
        """Record a meaning where its name is written: in the file, or in the text of a macro."""
        path, offset = self.place(cursor.location)
        if not path or not self.files.is_users(path):
            return
        name, what = target.spelling, self._meaning(target)
        written = self.files.identifier(path, offset)
        if name in self.expansions.get((path, offset), ()):
            self._add(path, offset, what)
            return
        for each, at in [(path, offset)] if written == name else self._in_macro(written, name):
            self._add(each, at, what)

    def _add(self, path: str, offset: int, what: _Meaning | None) -> None:
        """Add a meaning; where there is another one already, none is certain."""
        found = self.found.setdefault(path, {})
        known = found.get(offset, what)
        found[offset] = what if known and what and known[1] == what[1] else None

    def _expand(self, cursor: Any) -> None:
        """Record the use of a macro, of CUDA's what it expands to: that may be anybody's."""
        macro = cursor.referenced
        if macro is None or macro.spelling not in self.names:
            return
        path, offset = self.place(cursor.location)
        what = self._one(macro)
        if what and what[1] == _VENDOR:
            start, end = macro.extent.start, macro.extent.end
            text = self.files.identifiers(what[2], start.offset + len(macro.spelling), end.offset)
            words = {word for word, _ in text}
            if words:
                self.expansions[path, offset], self.expanded[path, offset] = words, what
                return
        self._add(path, offset, what)

    def place(self, location: Any) -> tuple[str, int]:
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
        """Remember the text of a user macro."""
        start, end = cursor.extent.start, cursor.extent.end
        path = self.files.of(start.file)
        place = (path, start.offset + len(cursor.spelling), end.offset)
        name = cursor.spelling
        self.macros[name] = place if self.macros.get(name, place) == place else None

    def _in_macro(self, macro: str, name: str, depth: int = 0) -> list[tuple[str, int]]:
        """Where a name is in the text of a macro, or of one that this expands to."""
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

    def _meaning(self, target: Any) -> _Meaning | None:
        """The meaning of a declaration; of several, if all are of one class."""
        library = self.cindex.conf.lib
        if target.kind.name == "OVERLOADED_DECL_REF":
            count = library.clang_getNumOverloadedDecls(target)
            each = [self._one(library.clang_getOverloadedDecl(target, at)) for at in range(count)]
            classes = {one[1] if one else "" for one in each}
            return each[0] if len(classes) == 1 else None
        return self._one(target)

    def _may_be_theirs(self, declaration: Any) -> bool:
        """Whether this is `struct CUctx_st;` or `typedef struct CUctx_st *CUcontext;`.

        CUDA's headers declare no more of these types, so it may be another declaration of CUDA's.
        """
        if self._kind(declaration) == "TYPEDEF_DECL":
            declaration = declaration.underlying_typedef_type.get_pointee().get_declaration()
        return self._kind(declaration) in _TAGS and declaration.get_definition() is None

    def _one(self, declaration: Any) -> _Meaning | None:
        first = declaration.canonical
        path = self.files.of(first.location.file)
        if not path or path == self.files.prelude:
            return None
        name, line = declaration.spelling, int(first.location.line)
        if self.files.is_vendor(path):
            return name, _VENDOR, path, line
        if first.location.is_in_system_header or self.files.is_named_alike(path):
            return None
        if self._kind(first) in _FUNCTIONS and self._kind(first.lexical_parent) in _WITH_BODIES:
            # Of `missing::check(cudaFree(p));` clang makes a declaration of cudaFree.
            return None
        if first.semantic_parent and self._kind(first.semantic_parent) in _OUTERMOST:
            if self._kind(first) in _FUNCTIONS:
                self.contested.add(name)
            if self._may_be_theirs(first):
                return None
        return name, _OWN, path, line


if __name__ == "__main__":
    sys.exit(main(facts))
