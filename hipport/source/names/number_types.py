"""The types of numbers in expressions, as C++ says: what a file shows of them."""

from __future__ import annotations

import re
from collections.abc import Callable

import tree_sitter

from hipport.lazy_regex import regex
from hipport.source.names.constants import definitions_in_file
from hipport.source.names.declared_names import Declarations
from hipport.source.names.variables import Variable, variable
from hipport.source.names.wanted_types import members_of

INT, UNSIGNED, FLOAT, DOUBLE = "int", "unsigned int", "float", "double"
_ORDER = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long")
_FLOATING = (FLOAT, DOUBLE)
_NARROW = frozenset("bool|char|signed char|unsigned char|short|unsigned short".split("|"))
_SPELLED = {
    "unsigned": UNSIGNED,
    "uint": UNSIGNED,
    "uint32_t": UNSIGNED,
    "int32_t": INT,
    "signed": INT,
    "uint8_t": "unsigned char",
    "int8_t": "signed char",
    "uchar": "unsigned char",
    "uint16_t": "unsigned short",
    "int16_t": "short",
    "ushort": "unsigned short",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "size_t": "unsigned long",
    "ulong": "unsigned long",
    "ptrdiff_t": "long",
    "ssize_t": "long",
}
_CASTS = frozenset(("static_cast",))
_VECTOR = regex(r"(float|double|u?(?:int|char|short|long|longlong))[1-4]")
_OF_VECTORS = {
    "uint": UNSIGNED,
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
}
_LITERAL = regex(r"\(?\s*(?:0[xX][\da-fA-F']+|[\d.][\d'.]*(?:[eE][-+]?\d+)?)[uUlLfF]*\s*\)?")
_DEEPEST = 12


class NumberTypes:
    """Answers for one file.

    `grid` are the variables of the grid and their type, whose parts are unsigned. `both` are names
    of functions that return a number of the type of those that they take, and `floats` those of
    functions of floats: patterns.
    """

    def __init__(
        self, declarations: Declarations, grid: frozenset[str], both: str, floats: str
    ) -> None:
        self._declarations, self._grid = declarations, grid
        self._both, self._floats = both, floats

    def of(self, node: tree_sitter.Node | None, depth: int = 0) -> str:
        """The type of an expression, spelled in one way; "" where the file does not show it."""
        ask = _BY_KIND.get(node.type) if node and depth < _DEEPEST else None
        return ask(self, node, depth + 1) if ask and node else ""

    def _literal(self, node: tree_sitter.Node, depth: int) -> str:
        return _of_literal(text_of(node))

    def _name(self, node: tree_sitter.Node, depth: int) -> str:
        name = text_of(node)
        found = variable(self._declarations, name, node.start_byte)
        if found:
            return number_type(found)
        given = definitions_in_file(self._declarations.code, name)
        kinds = {_of_literal(each.text) if _LITERAL.fullmatch(each.text) else "" for each in given}
        return kinds.pop() if len(kinds) == 1 else ""

    def _field(self, node: tree_sitter.Node, depth: int) -> str:
        owner, field = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if owner is None or field is None or owner.type != "identifier":
            return ""
        name = text_of(owner)
        if name in self._grid:
            return UNSIGNED
        found = variable(self._declarations, name, owner.start_byte)
        kind = found.type.removeprefix("const ").rstrip("*") if found else ""
        vector = _VECTOR.fullmatch(kind)
        if kind in self._grid:
            return UNSIGNED
        if vector:
            return _OF_VECTORS.get(vector[1], vector[1])
        members = members_of(self._declarations, kind) if kind.isidentifier() else []
        named = [
            each for each in members if self._declarations.code.slice(each.name) == text_of(field)
        ]
        return number_type(named[0]) if named else ""

    def _element(self, node: tree_sitter.Node, depth: int) -> str:
        owner = node.child_by_field_name("argument")
        if owner is None or owner.type != "identifier":
            return ""
        found = variable(self._declarations, text_of(owner), owner.start_byte)
        return number_type(found, "[]", "*") if found else ""

    def _pointer(self, node: tree_sitter.Node, depth: int) -> str:
        inner = node.child_by_field_name("argument")
        found = inner and text_of(node).startswith("*") and inner.type == "identifier"
        if not inner or not found:
            return ""
        pointed = variable(self._declarations, text_of(inner), inner.start_byte)
        return number_type(pointed, "[]", "*") if pointed else ""

    def _binary(self, node: tree_sitter.Node, depth: int) -> str:
        mark = node.child_by_field_name("operator")
        operator = text_of(mark) if mark else ""
        left = self.of(node.child_by_field_name("left"), depth)
        if operator in ("<<", ">>"):
            return promoted(left)
        if operator not in "+-*/%&|^":
            return "bool" if operator in ("<", ">", "<=", ">=", "==", "!=", "&&", "||") else ""
        return common(left, self.of(node.child_by_field_name("right"), depth))

    def _unary(self, node: tree_sitter.Node, depth: int) -> str:
        text = text_of(node)
        kind = promoted(self.of(node.child_by_field_name("argument"), depth))
        return "bool" if text.startswith("!") else kind if text[0] in "+-~" else ""

    def _inner(self, node: tree_sitter.Node, depth: int) -> str:
        return self.of(node.named_children[0], depth) if len(node.named_children) == 1 else ""

    def _cast(self, node: tree_sitter.Node, depth: int) -> str:
        kind = node.child_by_field_name("type")
        return spelled(text_of(kind)) if kind else ""

    def _choice(self, node: tree_sitter.Node, depth: int) -> str:
        ways = [node.child_by_field_name(each) for each in ("consequence", "alternative")]
        one, two = (self.of(each, depth) for each in ways)
        return one if one == two else common(one, two)

    def _call(self, node: tree_sitter.Node, depth: int) -> str:
        function, given = (node.child_by_field_name(each) for each in ("function", "arguments"))
        if function is None or given is None:
            return ""
        if function.type == "template_function":
            name = function.child_by_field_name("name")
            inside = function.child_by_field_name("arguments")
            is_cast = name and text_of(name) in _CASTS
            return spelled(text_of(inside)[1:-1]) if inside and is_cast else ""
        values = [each for each in given.named_children if each.type != "comment"]
        if re.fullmatch(self._floats, text_of(function)):
            return FLOAT
        if values and re.fullmatch(self._both, text_of(function)):
            kinds = [promoted(self.of(each, depth)) for each in values]
            return common(kinds[0], kinds[-1]) if len(kinds) < 3 else ""
        return spelled(text_of(function)) if len(values) == 1 else ""

    def _size(self, node: tree_sitter.Node, depth: int) -> str:
        return "unsigned long"


def number_type(found: Variable, *marks: str) -> str:
    """The type of a variable's value, or of what it points to where it ends in one of the marks."""
    kind = found.type
    if "static" in found.words and found.member_of:
        return ""
    if marks:
        mark = next((each for each in marks if kind.endswith(each)), "")
        kind = kind.removesuffix(mark) if mark else ""
    return spelled(kind)


def spelled(kind: str) -> str:
    """A number's type in its one spelling; "" for any other."""
    words = [each for each in re.findall(r"\w+|\S", kind) if each not in ("const", "volatile")]
    if words[:3] == ["std", ":", ":"]:
        words = words[3:]
    name = " ".join(words)
    name = _SPELLED.get(name, name)
    is_long = "long" in words and "double" not in words
    if is_long and set(words) <= {"long", "int", "unsigned", "signed"}:
        name = ("unsigned " if "unsigned" in words else "") + " ".join(
            ["long"] * words.count("long")
        )
    elif "short" in words and set(words) <= {"short", "int", "unsigned", "signed"}:
        name = "unsigned short" if "unsigned" in words else "short"
    elif set(words) == {"signed", "int"}:
        name = INT
    return name if name in _ORDER or name in _FLOATING or name in _NARROW else ""


def promoted(kind: str) -> str:
    """What arithmetic makes of a type."""
    return INT if kind in _NARROW else kind


def common(one: str, two: str) -> str:
    """The type of both in arithmetic; "" where one of them is not known."""
    one, two = promoted(one), promoted(two)
    if not one or not two:
        return ""
    for each in (DOUBLE, FLOAT):
        if each in (one, two):
            return each
    first, last = sorted((one, two), key=_ORDER.index)
    # `long` has room for every `unsigned int`, `long long` not for an `unsigned long`.
    return "unsigned long long" if (first, last) == ("unsigned long", "long long") else last


def _of_literal(written: str) -> str:
    """The type of a literal number; "" where it is another's than one of these."""
    text = written.lower().replace("'", "").strip("( )")
    if not text.startswith("0x") and ("." in text or "e" in text):
        return FLOAT if text.endswith("f") else DOUBLE if text[-1] != "l" else ""
    digits = text.rstrip("ul")
    suffix = text[len(digits) :]
    size = suffix.count("l")
    try:
        value = int(digits, 0) if digits != "0" else 0
    except ValueError:
        return ""
    is_unsigned = "u" in suffix
    if size == 0 and value >= 2 ** (32 if is_unsigned else 31):
        return "" if not digits.startswith("0x") or value >= 2**32 else UNSIGNED
    return ("unsigned " if is_unsigned else "") + ("int", "long", "long long")[min(size, 2)]


def text_of(node: tree_sitter.Node) -> str:
    """What is written at a node."""
    return (node.text or b"").decode("latin-1")


_Asked = Callable[[NumberTypes, tree_sitter.Node, int], str]
_BY_KIND: dict[str, _Asked] = {
    "number_literal": NumberTypes._literal,
    "identifier": NumberTypes._name,
    "field_expression": NumberTypes._field,
    "subscript_expression": NumberTypes._element,
    "pointer_expression": NumberTypes._pointer,
    "binary_expression": NumberTypes._binary,
    "unary_expression": NumberTypes._unary,
    "parenthesized_expression": NumberTypes._inner,
    "cast_expression": NumberTypes._cast,
    "conditional_expression": NumberTypes._choice,
    "call_expression": NumberTypes._call,
    "sizeof_expression": NumberTypes._size,
}
