"""Where the values that Python compares come from: through names, functions, and tuples."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from hipport.source.languages.python_syntax import Module, function_around, text_of

_WRAPPERS = ("int", "float", "str", "tuple", "abs", "min", "max")
_JOINING = ("'.join", '".join')
_FIRST = ("tuple", "list", "parenthesized_expression", "expression_list", "unary_operator")
_UNPACKED = ("pattern_list", "tuple_pattern", "list_pattern")
_STATEMENTS = (
    "block",
    "if_statement",
    "elif_clause",
    "else_clause",
    "try_statement",
    "except_clause",
    "finally_clause",
    "for_statement",
    "while_statement",
    "with_statement",
    "return_statement",
)
_UNKNOWN = ""
_MOST_VALUES = 4
_DEEPEST = 30


class Origins:
    """What each expression of a file is made from, by the full name of its source.

    After `major, minor = f()`, `major * 10 + minor` is from `f()`, and so is `g()` if that is
    what the file's function `g` returns. A name with values from several sources is from none.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._values: dict[str, list[tree_sitter.Node]] = {}
        self._local_names: set[str] = set()
        self._owners = {"self.", "cls."}
        for node in module.nodes("assignment"):
            self._remember(node)
        for node in module.nodes("definition"):
            if node.type == "function_definition":
                name = text_of(node.child_by_field_name("name"))
                self._values.setdefault(f"{name}()", []).extend(_returned(node))
            else:
                self._owners.add(f"{text_of(node.child_by_field_name('name'))}.")
        self._known: dict[str, str] = {}

    def of(self, node: tree_sitter.Node | None, depth: int = 0) -> str:
        """The full name of what an expression is made from; its own name if that is all."""
        if node is None or depth > _DEEPEST:
            return _UNKNOWN
        if node.type in _FIRST:
            return self.of(node.named_children[0] if node.named_children else None, depth + 1)
        if node.type == "binary_operator":
            left = self.of(node.child_by_field_name("left"), depth + 1)
            return left or self.of(node.child_by_field_name("right"), depth + 1)
        if node.type == "subscript":
            return self.of(node.child_by_field_name("value"), depth + 1)
        if node.type == "conditional_expression":
            return self.of(node.named_children[0], depth + 1)
        if node.type == "call":
            return self._of_call(node, depth)
        if node.type in ("identifier", "attribute"):
            return self._of_name(node, depth)
        return _UNKNOWN

    def _of_call(self, node: tree_sitter.Node, depth: int) -> str:
        function = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        name = text_of(function)
        if name == "map" and given and len(given.named_children) > 1:
            return self.of(given.named_children[1], depth + 1)
        is_wrapper = name in _WRAPPERS or name.endswith(_JOINING)
        if is_wrapper and given and given.named_children:
            return self.of(given.named_children[0], depth + 1)
        own = f"{self._member(name)}()"
        if own in self._values:
            return self._known_as(own, depth)
        return self._module.full_name(node)

    def _of_name(self, node: tree_sitter.Node, depth: int) -> str:
        name = text_of(node)
        member = self._member(name)
        property_ = f"{member}()"
        local = f"{name}@{_function_of(node)}"
        for each in (local, name):
            if each in self._values:
                return self._known_as(each, depth)
        if member != name and property_ in self._values:
            return self._known_as(property_, depth)
        if node.type == "attribute":
            owner = self.of(node.child_by_field_name("object"), depth + 1)
            return f"{owner}.{text_of(node.child_by_field_name('attribute'))}"
        # What another function gives the same name is not this.
        return name if name in self._local_names else self._module.full_name(node)

    def _member(self, name: str) -> str:
        """The name of a function or property of one of the file's classes, without its owner."""
        owner, dot, member = name.partition(".")
        return member if owner + dot in self._owners else name

    def _known_as(self, name: str, depth: int) -> str:
        if name not in self._known:
            self._known[name] = _UNKNOWN
            values = self._values[name]
            found = {self.of(each, depth + 1) for each in values[:_MOST_VALUES]}
            is_one = len(found) == 1 and len(values) <= _MOST_VALUES
            self._known[name] = found.pop() if is_one else _UNKNOWN
        return self._known[name]

    def _remember(self, node: tree_sitter.Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        names = left.named_children if left.type in _UNPACKED else [left]
        for each in names:
            if each.type in ("identifier", "attribute"):
                name = text_of(each)
                function = _function_of(node) if each.type == "identifier" else 0
                key = f"{name}@{function}" if function else name
                self._local_names.update((name,) if function else ())
                self._values.setdefault(key, []).append(right)


def _function_of(node: tree_sitter.Node) -> int:
    """Where the function begins that a node is in; 0 for none."""
    function = function_around(node)
    return function.start_byte if function else 0


def _returned(function: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What a function returns, functions in it left out."""
    waiting = [function.child_by_field_name("body")]
    while waiting:
        node = waiting.pop()
        if node is None or node.type in ("function_definition", "class_definition", "lambda"):
            continue
        if node.type == "return_statement":
            yield from node.named_children[:1]
        else:
            waiting += [each for each in node.named_children if each.type in _STATEMENTS]
