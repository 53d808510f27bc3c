"""Run as a program: lists the functions that headers declare, with libclang.

Arguments: the library ("" for the Python package's), then those of the compiler. Standard input is
the text that includes the headers; standard output is one JSON object.
"""

from __future__ import annotations

import json
import sys
from typing import Any

_INTEGERS = frozenset(
    "BOOL CHAR_U UCHAR USHORT UINT ULONG ULONGLONG CHAR_S SCHAR SHORT INT LONG LONGLONG".split()
)
_FLOATS = frozenset(("FLOAT", "DOUBLE", "LONGDOUBLE"))
_POINTERS = frozenset(("POINTER", "CONSTANTARRAY", "INCOMPLETEARRAY"))
_NAME = "headers.cpp"
_ERROR = 3


def main() -> int:
    from clang import cindex

    if sys.argv[1]:
        cindex.Config.set_library_file(sys.argv[1])
        cindex.Config.set_compatibility_check(False)
    text = sys.stdin.read()
    unit = cindex.Index.create().parse(
        _NAME, args=sys.argv[2:], unsaved_files=[(_NAME, text)], options=0
    )
    errors = [each.spelling for each in unit.diagnostics if each.severity >= _ERROR]
    found: dict[str, dict[str, Any]] = {"functions": {}, "others": {}, "typedefs": {}}
    _collect(cindex.CursorKind, unit.cursor, found)
    json.dump({**found, "errors": errors[:20]}, sys.stdout)
    return 0


def _collect(kinds: Any, scope: Any, found: dict[str, dict[str, Any]]) -> None:
    """What a scope declares; `extern "C"` belongs to the scope around it."""
    for cursor in scope.get_children():
        try:
            kind = cursor.kind
        except ValueError:  # A kind that is newer than the binding.
            continue
        name = cursor.spelling
        if kind in (kinds.LINKAGE_SPEC, kinds.UNEXPOSED_DECL):
            _collect(kinds, cursor, found)
        elif kind in (kinds.FUNCTION_DECL, kinds.FUNCTION_TEMPLATE):
            overloads = found["functions"].setdefault(name, [])
            declared = _function(kinds, cursor)
            if declared not in overloads:
                overloads.append(declared)
        elif kind == kinds.ENUM_DECL:
            found["others"][name] = "type"
            values = {each.spelling: "enum_value" for each in cursor.get_children()}
            found["others"].update(values)
        elif kind == kinds.TYPEDEF_DECL:
            found["others"][name] = "type"
            found["typedefs"][name] = cursor.underlying_typedef_type.get_canonical().spelling
        elif kind in (kinds.STRUCT_DECL, kinds.UNION_DECL, kinds.CLASS_DECL):
            found["others"][name] = "type"


def _function(kinds: Any, cursor: Any) -> list[Any]:
    """[result, parameters, number that must be given, whether more may be, parameters of the
    template]."""
    children = list(cursor.get_children())
    parameters = [each for each in children if each.kind == kinds.PARM_DECL]
    of_template = (kinds.TEMPLATE_TYPE_PARAMETER, kinds.TEMPLATE_NON_TYPE_PARAMETER)
    templates = sum(1 for each in children if each.kind in of_template)
    # A pack takes any number.
    single = [each for each in parameters if not each.type.spelling.endswith("...")]
    needed = sum(1 for each in single if not _has_default(each))
    types = [_type(each.type) for each in single]
    return [_type(cursor.result_type), types, needed, len(single) < len(parameters), templates]


def _has_default(parameter: Any) -> bool:
    """Whether an expression belongs to a parameter: of an array it may be the size."""
    if _type(parameter.type)[0].endswith("]"):
        return False
    return any(each.kind.is_expression() for each in parameter.get_children())


def _type(type_: Any) -> list[str]:
    """[as written, canonical, class]."""
    canonical = type_.get_canonical()
    try:
        kind = canonical.kind.name
    except ValueError:  # As above: _Float16, say.
        kind = ""
    if kind in _INTEGERS:
        word = "integer"
    elif kind in _FLOATS:
        word = "float"
    elif kind in _POINTERS:
        word = "pointer"
    else:
        word = "enum" if kind == "ENUM" else "other"
    return [type_.spelling, canonical.spelling, word]


if __name__ == "__main__":
    sys.exit(main())
