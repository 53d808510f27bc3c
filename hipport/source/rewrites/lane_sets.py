"""Sets of lanes: which expressions hold one, and whether all uses of a variable may be widened.

A ballot has 64 bits in HIP. A variable that holds one is widened with its declaration only where
every use of it in its function is of a known kind; what is not known leaves all of it as it was.
On a wavefront of 32 lanes the upper half of a ballot is zero, but that of the full mask, or of a
complement, is not: such a value (FULL) may be a mask or an operand of `&`, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hipport.model import Span
from hipport.source.rewrites.formats import widened_conversion

if TYPE_CHECKING:
    import tree_sitter

    from hipport.source.code import Code

SET, FULL = "set", "full"
_WIDE_ONE = re.compile(r"\(*1[uU]?[lL]{2}[uU]?\)*")
_LOW_BIT = re.compile(r"(?:0x0*)?1[uUlL]*")
_ZERO = re.compile(r"0[uUlL]*")
_BITWISE = frozenset(("&", "|", "^"))
_ASSIGNMENTS = frozenset(("=", "&=", "|=", "^=", ">>=", "<<="))
_INITIALISED = frozenset(("init_declarator", "field_declaration", "optional_parameter_declaration"))
_LISTS = frozenset(("argument_list", "initializer_list"))
_CHOSEN = ("consequence", "alternative")
_CONDITIONS = frozenset(("if_statement", "while_statement", "do_statement", "for_statement"))

Replaced = tuple[Span, str]


class Value(NamedTuple):
    """What an expression holds, and the edits that make it hold that in 64 bits."""

    kind: str
    edits: tuple[Replaced, ...] = ()


class LaneSets:
    """Judges expressions, given the variables that hold sets of lanes and of which kind."""

    def __init__(self, code: Code, words: dict[str, Any], kinds: dict[str, str]) -> None:
        self.code = code
        self.words = words
        self.kinds = kinds
        self.full = re.compile(words["full_masks"])
        self.one = re.compile(words["one"])
        self.whole_warp = re.compile(words["whole_warp"])

    def text(self, node: tree_sitter.Node) -> str:
        return self.code.code[node.start_byte : node.end_byte]

    def key(self, node: tree_sitter.Node) -> str:
        """What the variable that an expression names is known by in `kinds`; "" for no variable."""
        if node.type == "subscript_expression":
            array = node.child_by_field_name("argument")
            return self.text(array) if array is not None and array.type == "identifier" else ""
        return self.text(node) if node.type == "identifier" else ""

    def takes(self, call: tree_sitter.Node, index: int, value: Value) -> bool:
        """Whether a function that is none of CUDA's takes such a value in 64 bits."""
        return False

    def returns(self, statement: tree_sitter.Node, value: Value) -> bool:
        """Whether the function of a statement returns such a value in 64 bits."""
        return False

    def value(self, node: tree_sitter.Node) -> Value | None:
        """The set of lanes that an expression yields in 64 bits; None if that is not certain."""
        try:
            return self._value(node)
        except RecursionError:  # Nested too deeply to tell.
            return None

    def _value(self, node: tree_sitter.Node) -> Value | None:
        compact = "".join(self.text(node).split())
        if self.full.fullmatch(compact):
            return Value(FULL, ((_span(node), self.words["full_mask"]),))
        if node.type == "number_literal":
            wide = compact.replace("'", "").lower()
            if wide == self.words["full_mask"]:
                return Value(FULL)
            return Value(SET) if _ZERO.fullmatch(compact) else None
        if node.type == "parenthesized_expression" and len(node.named_children) == 1:
            return self.value(node.named_children[0])
        if kind := self.kinds.get(self.key(node)):
            return Value(kind)
        if node.type == "call_expression":
            return Value(SET) if self.callee(node) in self.words["sources"] else None
        if node.type == "unary_expression" and _operator(node) == "~":
            inner = self.value(_operand(node))
            return Value(FULL, inner.edits) if inner else None
        if node.type == "conditional_expression":
            return self._chosen(node)
        return self._binary(node) if node.type == "binary_expression" else None

    def _binary(self, node: tree_sitter.Node) -> Value | None:
        left, right = _sides(node)
        operator = _operator(node)
        if operator == "<<":
            one = "".join(self.text(left).split())
            if self.whole_warp.search(self.text(right)):
                return None
            if self.one.fullmatch(one):
                return Value(SET, ((_span(left), "1ull"),))
            return Value(SET) if _WIDE_ONE.fullmatch(one) else None
        value = self.value(left)
        if operator == "-":
            if value is None or not _LOW_BIT.fullmatch(self.text(right)):
                return None
            # One less than a single bit is the bits below it; one less than none is all ones.
            bit = left
            while bit.type == "parenthesized_expression" and len(bit.named_children) == 1:
                bit = bit.named_children[0]
            is_bit = bit.type == "binary_expression" and _operator(bit) == "<<"
            return Value(SET if is_bit else FULL, value.edits)
        other = self.value(right)
        if operator not in _BITWISE or value is None or other is None:
            return None
        edits = value.edits + other.edits
        if operator == "&":
            return Value(SET if SET in (value.kind, other.kind) else FULL, edits)
        return Value(FULL if FULL in (value.kind, other.kind) else SET, edits)

    def _chosen(self, node: tree_sitter.Node) -> Value | None:
        """`a ? b : c`: a set if both are."""
        sides = [node.child_by_field_name(name) for name in _CHOSEN]
        first, second = (self.value(each) if each is not None else None for each in sides)
        if first is None or second is None:
            return None
        kind = FULL if FULL in (first.kind, second.kind) else SET
        return Value(kind, first.edits + second.edits)

    def callee(self, call: tree_sitter.Node) -> str:
        function = call.child_by_field_name("function")
        return self.text(function) if function is not None else ""

    def role(self, node: tree_sitter.Node) -> tuple[Replaced, ...] | None:
        """The edits that suit what an expression's surroundings do with a set of 64 lanes.

        None if they need 32 bits, or if that cannot be told.
        """
        top = self.top(node)
        value = self.value(top)
        parent = top.parent
        if value is None or parent is None:
            return None
        more = self._use(top, parent, value)
        return None if more is None else value.edits + more

    def neighbourhood(self, node: tree_sitter.Node) -> tree_sitter.Node:
        """The largest expression of sets that a node is in, with its user."""
        top = self.top(node)
        user = top.parent
        if user is not None and user.type == "argument_list":
            user = user.parent
        is_near = user is not None and user.type in (
            "call_expression",
            "init_declarator",
            "assignment_expression",
            "binary_expression",
        )
        return user if is_near and user is not None else top

    def top(self, node: tree_sitter.Node) -> tree_sitter.Node:
        """The largest expression of sets that a node is in."""
        top = node
        while (parent := top.parent) and self._is_transparent(parent, top):
            top = parent
        return top

    def _is_transparent(self, parent: tree_sitter.Node, child: tree_sitter.Node) -> bool:
        if parent.type == "conditional_expression":
            return any(child == parent.child_by_field_name(side) for side in _CHOSEN)
        if parent.type == "parenthesized_expression":
            return parent.parent is None or parent.parent.type not in _CONDITIONS
        if parent.type == "unary_expression":
            return _operator(parent) == "~"
        is_bitwise = parent.type == "binary_expression" and _operator(parent) in _BITWISE | {"-"}
        return is_bitwise and not self._is_low_bit(parent)

    def _is_low_bit(self, node: tree_sitter.Node) -> bool:
        """Whether this is `x & 1`."""
        right = _sides(node)[1]
        return _operator(node) == "&" and _LOW_BIT.fullmatch(self.text(right)) is not None

    def _use(
        self, top: tree_sitter.Node, parent: tree_sitter.Node, value: Value
    ) -> tuple[Replaced, ...] | None:
        if parent.type in _LISTS and (target := _initialised(parent)) is not None:
            return () if self._holds(target, value) else None
        if parent.type == "argument_list":
            return self._argument(top, parent, value)
        if parent.type in _INITIALISED:
            declarator = parent.child_by_field_name("declarator")
            return () if declarator is not None and self._holds(declarator, value) else None
        if parent.type == "assignment_expression":
            return self._assignment(top, parent, value)
        if parent.type == "expression_statement":
            return ()
        if parent.type == "return_statement":
            return () if self.returns(parent, value) else None
        if value.kind == FULL:
            return None
        if parent.type in _CONDITIONS or parent.type in (
            "condition_clause",
            "conditional_expression",
        ):
            is_condition = parent.type == "condition_clause" or top == parent.child_by_field_name(
                "condition"
            )
            return () if is_condition else None
        if parent.type == "parenthesized_expression":
            return ()  # the condition of a statement
        if parent.type == "unary_expression":
            return () if _operator(parent) == "!" else None
        if parent.type == "binary_expression":
            return self._operand(top, parent)
        return None

    def _operand(
        self, top: tree_sitter.Node, parent: tree_sitter.Node
    ) -> tuple[Replaced, ...] | None:
        left, right = _sides(parent)
        operator = _operator(parent)
        other = right if top == left else left
        if operator in ("&&", "||") or (operator == "&" and top == left):
            return ()
        if operator in ("==", "!="):
            known = self.value(other)
            return known.edits if known and known.kind == SET else None
        if operator == ">>" and top == left:
            outer = parent.parent
            while outer is not None and outer.type == "parenthesized_expression":
                outer = outer.parent
            is_masked = outer is not None and outer.type == "binary_expression"
            return () if outer is not None and is_masked and self._is_low_bit(outer) else None
        return None

    def _holds(self, declarator: tree_sitter.Node, value: Value) -> bool:
        kind = self.kinds.get(self.key(declarator))
        return kind is not None and (kind == FULL or value.kind == SET)

    def _assignment(
        self, top: tree_sitter.Node, parent: tree_sitter.Node, value: Value
    ) -> tuple[Replaced, ...] | None:
        left, right = _sides(parent)
        operator = _operator(parent)
        if operator not in _ASSIGNMENTS or not self.key(left):
            return None
        if parent.parent is None or parent.parent.type not in (
            "expression_statement",
            "for_statement",
        ):
            return None
        if top == left:
            if operator in (">>=", "<<="):
                return () if operator == ">>=" and value.kind == SET else None
            assigned = self.value(right)
            if assigned is None:
                return None
            narrows = operator == "&=" and value.kind == SET
            return assigned.edits if narrows or self._holds(left, assigned) else None
        if operator in (">>=", "<<="):
            return None
        narrows = operator == "&=" and self.kinds.get(self.key(left)) is not None
        return () if narrows or self._holds(left, value) else None

    def _argument(
        self, top: tree_sitter.Node, arguments: tree_sitter.Node, value: Value
    ) -> tuple[Replaced, ...] | None:
        call = arguments.parent
        if call is None or call.type != "call_expression":
            return None
        name = self.callee(call)
        items = [each for each in arguments.named_children if each.type != "comment"]
        index = items.index(top)
        if name in self.words["masked"]:
            return () if index == 0 else None
        if self.takes(call, index, value):
            return ()
        if value.kind == FULL:
            return None
        function = call.child_by_field_name("function")
        assert function is not None
        if name in self.words["counters"]:
            return ((_span(function), self.words["counters"][name]),)
        if name in self.words["counters"].values():
            return ()
        if name in self.words["leading"]:
            return self._leading(call, function, self.words["leading"][name])
        if name in self.words["printers"] and index > self.words["printers"][name]:
            format_ = items[self.words["printers"][name]]
            place = widened_conversion(self.code, _span(format_), index - 1)
            return None if place is None else place
        return None

    def _leading(
        self, call: tree_sitter.Node, function: tree_sitter.Node, wide: str
    ) -> tuple[Replaced, ...] | None:
        """`31 - __clz(x)`: the number of the highest lane, the same in 64 bits."""
        outer = call.parent
        if outer is None or outer.type != "binary_expression" or _operator(outer) != "-":
            return None
        left, right = _sides(outer)
        minuend = self.words["minuends"].get(self.text(left))
        if right != call or minuend is None:
            return None
        return ((_span(left), minuend), (_span(function), wide))


def sources_in(
    node: tree_sitter.Node, names: frozenset[str], text: str
) -> Iterator[tree_sitter.Node]:
    """The calls below a node of functions with these names."""
    shape = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    for match in re.finditer(
        rf"(?<![\w.:>])(?:{shape})(?=\s*\()", text[node.start_byte : node.end_byte]
    ):
        at = node.start_byte + match.start()
        name = node.named_descendant_for_byte_range(at, at + len(match[0]))
        call = name.parent if name is not None else None
        if call is not None and call.child_by_field_name("function") == name:
            yield call


def _initialised(values: tree_sitter.Node) -> tree_sitter.Node | None:
    """The variable, array or member that a list of values initialises: `x{1}`, `x(1)`."""
    owner = values.parent
    if owner is not None and owner.type == "field_initializer":
        return owner.named_children[0]
    is_declared = owner is not None and owner.type in _INITIALISED
    return owner.child_by_field_name("declarator") if owner is not None and is_declared else None


def _span(node: tree_sitter.Node) -> Span:
    return Span(node.start_byte, node.end_byte)


def _operator(node: tree_sitter.Node) -> str:
    operator = node.child_by_field_name("operator")
    return (operator.text or b"").decode("latin-1") if operator is not None else ""


def _operand(node: tree_sitter.Node) -> tree_sitter.Node:
    return node.child_by_field_name("argument") or node.named_children[-1]


def _sides(node: tree_sitter.Node) -> tuple[tree_sitter.Node, tree_sitter.Node]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return left or node.named_children[0], right or node.named_children[-1]
