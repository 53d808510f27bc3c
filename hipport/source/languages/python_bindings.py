"""What names in Python stand for: those that imports bind, in the functions where they do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.languages.python_syntax import module_of, span_of

_MOST = 4000
"""Places of names in a file: each is looked up in its syntax tree."""
_MOST_LEVELS = 150
"""Around a name: the way up from it takes longer at each of them."""
_DEEPEST = 4
_FUNCTIONS = ("function_definition", "lambda")
_COMPREHENSIONS = (
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
)
_SCOPES = (*_FUNCTIONS, *_COMPREHENSIONS, "class_definition", "module")
_PATTERNS = (
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "list_splat_pattern",
    "dictionary_splat_pattern",
    "as_pattern_target",
    "tuple",
    "list",
)
_BINDING_LEFT = ("assignment", "augmented_assignment", "for_statement", "for_in_clause")
_BINDING_NAME = (
    "default_parameter",
    "typed_default_parameter",
    "named_expression",
    "function_definition",
    "class_definition",
)
_BINDING = ("parameters", "lambda_parameters", "delete_statement", "typed_parameter")
_ANYWHERE = ("global_statement", "nonlocal_statement")
_CASES = ("case_pattern", "keyword_pattern", "class_pattern", "splat_pattern", "union_pattern")
_NOTHING = ("none", "false")
_NO_NAME = ("keyword_argument", "ERROR", "string_content", "comment")
_UNKNOWN = ""


class Use(NamedTuple):
    """A place where a name is read, with the names behind its dots, and what it stands for."""

    name: str
    full: str
    span: Span
    members: tuple[tuple[str, int], ...]
    """The names behind its dots, each with the offset behind it."""
    is_decorator: bool
    node: tree_sitter.Node


class Bound(NamedTuple):
    """A name that an import binds, and the full name of what it is."""

    name: str
    full: str
    written: str
    alias: Span
    """What is behind the name that it has where it is from: ` as name`, or nothing."""
    is_taken: bool
    """Whether it is taken from a module: `from a import b`."""
    node: tree_sitter.Node


class Bindings:
    """The places of some names in a file, and what the names stand for there."""

    def __init__(self, data: bytes, names: Iterable[str]) -> None:
        self.imports: list[Bound] = []
        self.assigned: list[tuple[str, tree_sitter.Node]] = []
        """The names where an assignment gives them a value."""
        self._root = module_of(data).root
        self._reads: list[tuple[str, tree_sitter.Node]] = []
        self._values: dict[tuple[int, str], set[str | tree_sitter.Node]] = {}
        self._unknown: set[str] = set()
        shape = re.compile(rb"(?<![\w.])(?:%s)\b" % b"|".join(each.encode() for each in names))
        places = [each.span() for each, _ in zip(shape.finditer(data), range(_MOST), strict=False)]
        for start, end in places if len(places) < _MOST else ():
            name = data[start:end].decode()
            node = _leaf(self._root, start)
            if node is None:
                self._unknown.add(name)
            elif node.type == "identifier" and node.end_byte == end:
                self._add(name, node)

    def uses(self) -> Iterator[Use]:
        """Where the names are read that certainly stand for what imports bind."""
        for name, node in self._reads:
            full = self.full_name(name, node)
            if full:
                members = tuple(_members(node))
                is_decorator = node.parent is not None and node.parent.type == "decorator"
                yield Use(name, full, span_of(node), members, is_decorator, node)

    def full_name(self, name: str, node: tree_sitter.Node, depth: int = 0) -> str:
        """What a name stands for at a place; "" where that is not known."""
        if name in self._unknown or depth > _DEEPEST:
            return _UNKNOWN
        values = self._values_at(name, node)
        if values is None or len(values) != 1:
            return _UNKNOWN
        value = next(iter(values))
        if isinstance(value, str):
            return value
        root: tree_sitter.Node | None = value
        while root is not None and root.type == "attribute":
            root = root.child_by_field_name("object")
        if root is None or root.type != "identifier":
            return _UNKNOWN
        full = self.full_name((root.text or b"").decode(), root, depth + 1)
        rest = (value.text or b"")[len(root.text or b"") :].decode("utf-8", "replace")
        return f"{full}{rest}" if full and f"_{rest.replace('.', '')}".isidentifier() else _UNKNOWN

    def is_free(self, name: str, node: tree_sitter.Node, full: str) -> bool:
        """Whether a name stands for nothing at a place, or for what it is to stand for."""
        if name in self._unknown:
            return False
        values = self._values_at(name, node)
        return values is None or values == {full}

    def _values_at(self, name: str, node: tree_sitter.Node) -> set[str | tree_sitter.Node] | None:
        """The values of a name in the innermost scope around a place that has some."""
        is_within_function = False
        scope = _scope_of(node)
        while scope is not None:
            if scope.type != "class_definition" or not is_within_function:
                values = self._values.get((scope.id, name))
                if values is not None:
                    return values
            is_within_function |= scope.type in _FUNCTIONS
            scope = _scope_of(scope)
        return None

    def _add(self, name: str, node: tree_sitter.Node) -> None:
        item = _import_of(node)
        if item is not None:
            bound = _bound(item)
            if bound is not None and bound.name == name and _names_it(item, node):
                self.imports.append(bound)
                self._give(name, node, bound.full)
            return
        kind, holder = _role(node)
        if kind == "anywhere":
            self._unknown.add(name)
        elif kind == "bound":
            self._give(name, node, self._value(node, holder))
        elif kind == "read":
            self._reads.append((name, node))

    def _value(
        self, node: tree_sitter.Node, holder: tree_sitter.Node
    ) -> str | tree_sitter.Node | None:
        """What an assignment gives a name: another name, or nothing that counts."""
        if holder.type != "assignment" or holder.child_by_field_name("left") != node:
            return _UNKNOWN
        self.assigned.append(((node.text or b"").decode(), node))
        right = holder.child_by_field_name("right")
        if right is not None and right.type in _NOTHING:
            return None
        return right if right is not None and right.type in ("attribute", "identifier") else ""

    def _give(
        self, name: str, node: tree_sitter.Node, value: str | tree_sitter.Node | None
    ) -> None:
        scope = _scope_of(node)
        if scope is not None and value is not None:
            self._values.setdefault((scope.id, name), set()).add(value)


def _leaf(root: tree_sitter.Node, offset: int) -> tree_sitter.Node | None:
    """What is at an offset; None for what is in so much else that no person wrote it."""
    cursor = root.walk()
    for _ in range(_MOST_LEVELS):
        if cursor.goto_first_child_for_byte(offset) is None:
            return cursor.node
    return None


def _scope_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The scope around a node; that of a function or class itself is around it."""
    above = node.parent
    is_definition = above and above.type in ("function_definition", "class_definition")
    if above and is_definition and above.child_by_field_name("name") == node:
        above = above.parent
    while above is not None and above.type not in _SCOPES:
        above = above.parent
    return above


def _members(node: tree_sitter.Node) -> Iterator[tuple[str, int]]:
    above = node.parent
    while above is not None and above.type == "attribute":
        if above.child_by_field_name("object") != node:
            return
        member = above.child_by_field_name("attribute")
        if member is None:
            return
        yield (member.text or b"").decode("utf-8", "replace"), member.end_byte
        node, above = above, above.parent


def _import_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The item of an import that a name is in."""
    above = node.parent
    if above is None or above.type not in ("dotted_name", "aliased_import"):
        return None
    if above.type == "aliased_import":
        return above
    around = above.parent
    if around is None or around.type == "aliased_import":
        return around
    return above if around.type in ("import_statement", "import_from_statement") else None


def _names_it(item: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    """Whether a name in an item of an import is the one that is bound."""
    if item.type == "aliased_import":
        return item.child_by_field_name("alias") == node
    return item.parent is not None and item != item.parent.child_by_field_name("module_name")


def _bound(item: tree_sitter.Node) -> Bound | None:
    statement = item.parent
    if statement is None:
        return None
    module = statement.child_by_field_name("module_name")
    is_renamed = item.type == "aliased_import"
    named = item.child_by_field_name("name") if is_renamed else item
    alias = item.child_by_field_name("alias") if is_renamed else None
    written = ((named.text if named else b"") or b"").decode("utf-8", "replace")
    name = ((alias.text or b"").decode()) if alias else written.partition(".")[0]
    full = name if alias is None else written
    if module is not None:
        name = name if alias else written
        full = f"{(module.text or b'').decode('utf-8', 'replace')}.{written}"
    place = Span((named or item).end_byte, item.end_byte)
    return Bound(name, full, written, place, module is not None, item)


def _role(node: tree_sitter.Node) -> tuple[str, tree_sitter.Node]:
    """Whether a name is read or bound where it is, and by what."""
    child, above = node, node.parent
    while above is not None:
        kind = above.type
        if kind in _PATTERNS:
            child, above = above, above.parent
            continue
        if kind in _NO_NAME and not (
            kind == "keyword_argument" and above.child_by_field_name("value") == child
        ):
            return "none", above
        if kind == "attribute" and above.child_by_field_name("object") != child:
            return "none", above
        if kind in _ANYWHERE:
            return "anywhere", above
        is_bound = (
            (kind in _BINDING_LEFT and above.child_by_field_name("left") == child)
            or (kind in _BINDING_NAME and above.child_by_field_name("name") == child)
            or (kind in _BINDING and above.child_by_field_name("type") != child)
            or kind in _CASES
            or kind == "dotted_name"
            or (kind == "as_pattern" and above.named_children[0] != child)
        )
        return ("bound" if is_bound else "read"), above
    return "none", node
