"""In the child: of what type the arguments of CUDA's functions are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hipport.lazy_regex import regex

Place = tuple[str, int]
"""The path and the byte offset of a name."""
ADDRESS, OTHER = "address", "other"
_NULL = "NULLPTR"
_DEEPEST = 16
_UNTYPED = frozenset(("DEPENDENT", "OVERLOAD", "INVALID", "UNEXPOSED"))
_VARIABLES = frozenset(("DECL_REF_EXPR", "MEMBER_REF_EXPR"))
_BOUND = regex(r"\s*\[\w*\]")
_OF_VALUE = regex(r"\b(?:const|volatile)\s+(?!.*\*)|\s*\b(?:const|volatile|__restrict)\Z")
_TAG = regex(r"\b(?:struct|class|union|enum)\s+")


class Arguments:
    """Collects the classes of the arguments of calls, and the types of variables in them."""

    def __init__(
        self,
        cindex: Any,
        job: Mapping[str, Any],
        place: Callable[[Any], Place],
        is_users: Callable[[str], bool],
        is_vendors: Callable[[str], bool],
    ) -> None:
        self.typed, self.launch = job["typed"], job["launch"]
        self.place, self.is_users, self.is_vendors = place, is_users, is_vendors
        self.specialized = cindex.conf.lib.clang_getSpecializedCursorTemplate
        self.found: dict[Place, str | None] = {}
        # Where a variable is named -> its type as it is declared, and without aliases.
        self.types: dict[Place, tuple[str, str] | None] = {}

    def see(self, cursor: Any, kind: str) -> None:
        if kind != "CALL_EXPR":
            return
        name = cursor.spelling
        if name == self.launch["function"]:
            for each in self._given(cursor, self.launch["indices"]):
                self._note(each, self._dimension(_as_written(each).type.get_canonical()))
            return
        function = cursor.referenced
        if function is None or not self.is_vendors(self.place(function.canonical.location)[0]):
            return
        for each in cursor.get_arguments():
            if each is not None:
                self._note_types(_as_written(each))
        if name in self.typed:
            index, operation = self.typed[name]
            is_symbol = operation == "wrap" and self.specialized(function) is not None
            for each in self._given(cursor, [index]):
                self._note(each, _kind_of(_as_written(each), is_symbol=is_symbol))

    def _given(self, call: Any, indices: Sequence[int]) -> list[Any]:
        given = list(call.get_arguments())
        return [given[each] for each in indices if each < len(given) and given[each] is not None]

    def _note(self, argument: Any, what: str | None) -> None:
        at = self.place(argument.extent.start)
        if at[0] and self.is_users(at[0]):
            known = self.found.get(at, what)
            self.found[at] = what if known == what else None

    def _note_types(self, argument: Any) -> None:
        """Record the types of the variable that an argument is, or is an address or a member of."""
        for each in (argument, *argument.get_children()):
            if each.kind.name not in _VARIABLES or each.type.get_canonical().kind.name in _UNTYPED:
                continue
            at = self.place(each.location)
            if at[0] and self.is_users(at[0]):
                what = _spelled(each.type), _spelled(each.type.get_canonical())
                self.types[at] = what if self.types.get(at, what) == what else None

    def _dimension(self, type_: Any) -> str | None:
        if type_.kind.name in _UNTYPED:
            return None
        types: Mapping[str, str] = self.launch["types"]
        return types.get(type_.get_declaration().spelling, OTHER)

    def result(self) -> list[list[Any]]:
        """Path, offset and class of each argument."""
        return [[*at, what] for at, what in self.found.items() if what]

    def result_types(self) -> list[list[Any]]:
        """Path, offset and types of each variable."""
        return [[*at, list(dict.fromkeys(each))] for at, each in self.types.items() if each]


def _spelled(type_: Any) -> str:
    """A type as hipport/source/names/variables.py spells it."""
    plain = _TAG.sub("", _BOUND.sub("[]", type_.spelling)).replace(" *", "*").replace(" &", "")
    return _OF_VALUE.sub("", plain)


def _as_written(expression: Any) -> Any:
    """The expression without the conversions that the compiler has put around it."""
    for _ in range(_DEEPEST):
        extent = expression.extent
        inner = [each for each in expression.get_children() if each.extent == extent]
        if len(inner) != 1:
            break
        expression = inner[0]
    return expression


def _kind_of(expression: Any, *, is_symbol: bool) -> str | None:
    """Whether an argument is an address already; else it names a variable or a function."""
    type_ = expression.type.get_canonical()
    kind = type_.kind.name
    if kind in _UNTYPED:
        return None
    if expression.kind.name == "STRING_LITERAL" or kind == _NULL:
        return ADDRESS
    is_untyped = kind == "POINTER" and type_.get_pointee().get_canonical().kind.name == "VOID"
    # CUDA's functions take a variable by reference where it is not a `const void *`.
    return ADDRESS if is_untyped and not is_symbol else OTHER
