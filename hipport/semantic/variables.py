"""In the child: the integers and functions of the user's code, and where each is named.

Which of them hold sets of lanes is for hipport/semantic/lanes.py to judge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NARROW, WIDE, OTHER = "narrow", "wide", ""
_INTEGERS = {"INT": NARROW, "UINT": NARROW, "ULONG": WIDE, "ULONGLONG": WIDE}
_VARIABLES = frozenset(("VAR_DECL", "PARM_DECL", "FIELD_DECL"))
_FUNCTIONS = frozenset(("FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD"))
_RECORDS = frozenset(
    ("STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION")
)
_KERNEL = "CUDAGLOBAL_ATTR"
_MOST_ARRAYS = 8

Place = tuple[str, int]
"""The path and the byte offset of a name."""


class Variables:
    """Collects declarations and the places that name them, by where their names are written."""

    def __init__(
        self,
        cindex: Any,
        place: Callable[[Any], Place],
        is_users: Callable[[str], bool],
        written: Callable[[str, int], str],
    ) -> None:
        self.library = cindex.conf.lib
        self.place, self.is_users, self.written = place, is_users, written
        # Place of a declaration -> its name, class, whether it may be widened, and its parameters;
        # a function has the class of what it returns.
        self.declared: dict[Place, tuple[str, str, bool, list[Place] | None]] = {}
        # Place of a use -> its name and what it names; None where that is not one thing.
        self.uses: dict[Place, tuple[str, Place | None]] = {}
        self.spoiled: set[Place] = set()
        # A record whose members an initialiser sets without naming them.
        self.initialised: set[Place] = set()
        self.members: dict[Place, Place] = {}
        self.parameters: set[Place] = set()
        # Those of functions whose calls are all in the unit.
        self.inner: set[Place] = set()

    def see(self, cursor: Any, kind: str) -> None:
        """Take what a cursor in the user's files declares or names."""
        if kind in _VARIABLES or kind in _FUNCTIONS:
            self._declare(cursor, kind)
        elif kind == "OVERLOADED_DECL_REF":
            if self.library.clang_getNumOverloadedDecls(cursor) == 1:
                self._use(cursor, self.library.clang_getOverloadedDecl(cursor, 0))
        elif kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR", "MEMBER_REF"):
            target = cursor.referenced
            if target is not None and _kind(target) != "OVERLOADED_DECL_REF":
                self._use(cursor, target)
        elif kind == "INIT_LIST_EXPR" and next(cursor.get_children(), None) is not None:
            record = cursor.type.get_canonical().get_declaration()
            if record.location.file is not None:
                self.initialised.add(self.place(record.location))

    def result(self) -> dict[str, list[list[Any]]]:
        """`declared`: path, offset, class, whether it may be widened, parameters' places;
        `uses`: path, offset, path and offset of the declaration; of names that integers have, and
        functions that take some."""
        unsafe = self.spoiled | (self.parameters - self.inner)
        unsafe |= {at for at, of in self.members.items() if of in self.initialised}
        integers = {at for at, each in self.declared.items() if each[1] in (NARROW, WIDE)}
        wanted = {
            name
            for at, (name, _, _, parameters) in self.declared.items()
            if at in integers or not integers.isdisjoint(parameters or ())
        }
        declared = [
            [*at, holds, is_safe and at not in unsafe, parameters]
            for at, (name, holds, is_safe, parameters) in self.declared.items()
            if name in wanted
        ]
        uses = [[*at, *(of or ("", 0))] for at, (name, of) in self.uses.items() if name in wanted]
        return {"declared": declared, "uses": uses}

    def _use(self, cursor: Any, target: Any) -> None:
        at, of = self.place(cursor.location), self.place(target.location)
        if at[0] and self.is_users(at[0]) and self.written(*at) == target.spelling:
            known = self.uses.get(at, (target.spelling, of))[1]
            self.uses[at] = target.spelling, of if known == of else None
        else:
            self.spoiled.add(of)

    def _declare(self, cursor: Any, kind: str) -> None:
        at, first = self.place(cursor.location), self.place(cursor.canonical.location)
        if not at[0] or self.written(*at) != cursor.spelling:
            return
        if at != first:
            # Another declaration would have to follow.
            self.spoiled |= {at, first}
        if kind in _FUNCTIONS:
            parameters = [self.place(each.location) for each in _parameters(cursor)]
            is_inner = self._is_inner(cursor) and not _is_kernel(cursor)
            self.inner.update(parameters if is_inner else ())
            returned = _width(cursor.result_type)
            self.declared[at] = (cursor.spelling, returned, is_inner, parameters)
            return
        is_safe = self._may_widen(cursor, kind)
        self.declared[at] = (cursor.spelling, _width(cursor.type), is_safe, None)
        if kind == "FIELD_DECL":
            self.members[at] = self.place(cursor.semantic_parent.location)
        elif kind == "PARM_DECL":
            self.parameters.add(at)

    def _may_widen(self, cursor: Any, kind: str) -> bool:
        if _element(cursor.type).is_volatile_qualified() or cursor.storage_class.name == "EXTERN":
            return False
        owner = _kind(cursor.semantic_parent)
        if kind == "FIELD_DECL":
            return owner in _RECORDS and not cursor.is_bitfield()
        if kind == "PARM_DECL" or owner in _FUNCTIONS or owner in ("CONSTRUCTOR", "DESTRUCTOR"):
            return True
        is_constant = _element(cursor.type).is_const_qualified()
        return cursor.linkage.name == "INTERNAL" or (owner in _RECORDS and is_constant)

    def _is_inner(self, cursor: Any) -> bool:
        """Whether no code outside of the unit can call a function as it was declared."""
        if not cursor.is_definition() or cursor.is_virtual_method():
            return False
        is_template = _kind(cursor) == "FUNCTION_TEMPLATE"
        in_record = _kind(cursor.lexical_parent) in _RECORDS
        is_inline = self.library.clang_Cursor_isFunctionInlined(cursor)
        return is_template or in_record or is_inline or cursor.linkage.name == "INTERNAL"


def _parameters(function: Any) -> list[Any]:
    return [each for each in function.get_children() if _kind(each) == "PARM_DECL"]


def _is_kernel(function: Any) -> bool:
    return any(_kind(each) == _KERNEL for each in function.get_children())


def _kind(cursor: Any) -> str:
    try:
        return str(cursor.kind.name)
    except (AttributeError, ValueError):  # None, or a kind that is newer than the binding.
        return ""


def _element(type_: Any) -> Any:
    """The type of an array's elements, or the type itself."""
    found = type_.get_canonical()
    for _ in range(_MOST_ARRAYS):
        if found.kind.name not in ("CONSTANTARRAY", "DEPENDENTSIZEDARRAY"):
            break
        found = found.element_type.get_canonical()
    return found


def _width(type_: Any) -> str:
    return _INTEGERS.get(_element(type_).kind.name, OTHER)
