"""What tree-sitter knows about Python: what a module imports, and what it calls by full name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import tree_sitter
import tree_sitter_python

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple

LANGUAGE = tree_sitter.Language(tree_sitter_python.language())
_PARSER = tree_sitter.Parser(LANGUAGE)
# One query for all: each takes as long to make, and to go through a file with, as all together.
_QUERY = tree_sitter.Query(
    LANGUAGE,
    """
    (import_statement) @import
    (import_from_statement) @import
    (call) @call
    (comparison_operator) @comparison
    (for_statement) @loop
    (for_in_clause) @loop
    (assignment) @assignment
    (augmented_assignment) @addition
    (attribute) @attribute
    (class_definition) @class @definition
    (function_definition) @definition
    (if_statement) @branch
    (conditional_expression) @branch
    (boolean_operator) @branch
    (decorated_definition) @branch
    (match_statement) @branch
    (dictionary) @dictionary
    (list) @items
    (tuple) @items
    (set) @items
    (assert_statement) @said
    (raise_statement) @said
    (try_statement) @try
    """,
)
_IMPORTING = regex(
    r"(?:.*\.)?(?:__import__|import_module|find_spec|importorskip|(?:optional|lazy|try|safe)_import)"
)
"""Functions that import the module of the name they are given, or look for it: Python's library
reference, pytest's, and what projects call their own."""
_SEEKING = regex(r"(?:.*\.)?(?:find_spec|importorskip|(?:optional|try|safe)_import)")
"""Those of them that do without a module that is not there."""
_GIVING_MODULE = regex(r"(?:importlib\.)?import_module\(\)")
_IMPORTING_WORDS = (b"import_module", b"__import__", b"find_spec", b"importorskip", b"_import(")
_IMPORT_LINE = regex(rb"^[ \t]*(?P<statement>(?:import|from)[ \t]+[^\n]*)", re.MULTILINE)
_FAILED_IMPORT = regex(rb"\b(?:(?:Import|ModuleNotFound)Error|(?:Base)?Exception)\b")
NO_PROGRAM = regex(rb"\b(?:Exception|OSError|FileNotFoundError)\b")
"""What is raised where a program is not there."""
_BLANKS = regex(r"\s+")
_GIVEN = regex(r"\([^()]*\)")
_ENDING = regex(rb"^[ \t]*raise\b|\bexit\(", re.MULTILINE)
_last: Module | None = None
"""The file that was parsed last."""


class Import(NamedTuple):
    """A module, or what is taken from one, by its full dotted name: `from a import b` has `a.b`.

    The place begins at the module's name; `statement` is the offset of the statement.
    """

    name: str
    span: Span
    statement: int
    is_sought: bool = False
    """Whether it is looked for only, so that it may be missing."""


class _Statements(NamedTuple):
    """What import statements import, and the names that they bind."""

    imports: list[Import]
    names: dict[str, str]


class Module:
    """A file of Python: its syntax tree, what it imports, and the full names of what it calls."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.root = _PARSER.parse(data).root_node

    @cached_property
    def imports(self) -> list[Import]:
        found = list(self._statements.imports)
        if self.root.has_error:
            found += _in_lines(self.data, {each.statement for each in found})
        if any(each in self.data for each in _IMPORTING_WORDS):
            found += self._imported_by_name()
        return found

    @cached_property
    def assigned(self) -> dict[str, list[tree_sitter.Node]]:
        """Name -> the values that it is given."""
        found: dict[str, list[tree_sitter.Node]] = {}
        for name, value in self.assignments:
            found.setdefault(text_of(name), []).append(value)
        return found

    def full_name(self, node: tree_sitter.Node) -> str:
        """The dotted name of a function, or of its owner, as far as the imports show it."""
        return _full_name(node, self._names)

    def nodes(self, kind: str) -> list[tree_sitter.Node]:
        """What the query has under a name, in order; of two at one place, the shorter first."""
        return sorted(self._nodes.get(kind, ()), key=_place)

    @cached_property
    def calls(self) -> list[tuple[str, tree_sitter.Node]]:
        """Every call, after the full name of what is called."""
        functions = ((each.child_by_field_name("function"), each) for each in self.nodes("call"))
        return [(self.full_name(function), node) for function, node in functions if function]

    def _imported_by_name(self) -> Iterator[Import]:
        """What `importlib.import_module("a.b")` imports, and what others look for."""
        for name, node in self.calls:
            given = node.child_by_field_name("arguments")
            if given and given.named_children and _IMPORTING.fullmatch(name):
                module = plain_text(given.named_children[0])
                if module:
                    is_sought = _SEEKING.fullmatch(name) is not None
                    place = span_of(given.named_children[0])
                    yield Import(module, place, node.start_byte, is_sought)

    @cached_property
    def _nodes(self) -> dict[str, list[tree_sitter.Node]]:
        return tree_sitter.QueryCursor(_QUERY).captures(self.root)

    @cached_property
    def _statements(self) -> _Statements:
        names: dict[str, str] = {}
        imports = [found for node in self.nodes("import") for found in _imports(node, names)]
        return _Statements(imports, names)

    @cached_property
    def assignments(self) -> list[tuple[tree_sitter.Node, tree_sitter.Node]]:
        """Each name or attribute that is given a value, and the value."""
        nodes = self.nodes("assignment")
        sides = ((each.child_by_field_name(side) for side in ("left", "right")) for each in nodes)
        return [
            (left, right)
            for left, right in sides
            if left and right and left.type in ("identifier", "attribute")
        ]

    @cached_property
    def _names(self) -> dict[str, str]:
        """`builder = FusedAdamBuilder()` makes `builder.load` known as FusedAdamBuilder().load.

        So is `Extension` after `Extension = CUDAExtension`, if it is given no other value.
        """
        names = dict(self._statements.names)
        modules = {each.name.partition(".")[0] for each in self._statements.imports}
        for left, right in self.assignments:
            if right.type == "call":
                name = _full_name(right, names)
                names.setdefault(text_of(left), _imported(name, right) or name)
            elif right.type in ("identifier", "attribute") and left.type == "identifier":
                name = _full_name(right, names)
                is_only = len(self.assigned[text_of(left)]) == 1
                if is_only and "(" not in name and name.partition(".")[0] in modules:
                    names.setdefault(text_of(left), name)
        return names


def _imported(name: str, call: tree_sitter.Node) -> str:
    """The module that a call gives: `importlib.import_module("numba.cuda")`; "" for others."""
    given = call.child_by_field_name("arguments")
    if not (_GIVING_MODULE.fullmatch(name) and given and given.named_children):
        return ""
    return plain_text(given.named_children[0])


def plain_text(node: tree_sitter.Node | None) -> str:
    """The text of a string literal, as it is written; "" for anything else."""
    if node is None or node.type != "string":
        return ""
    content = (each.text or b"" for each in node.children if each.type == "string_content")
    return b"".join(content).decode("utf-8", "replace")


def span_of(node: tree_sitter.Node) -> Span:
    return Span(node.start_byte, node.end_byte)


def pairs_of(dictionary: tree_sitter.Node) -> list[tuple[str, tree_sitter.Node]]:
    """The pairs of a dictionary, each with its key as written."""
    pairs = (each for each in dictionary.named_children if each.type == "pair")
    return [(text_of(each.child_by_field_name("key")), each) for each in pairs]


def table_spans(data: bytes, named: str) -> list[Span]:
    """The dictionaries that have such a name, in order."""
    return [
        span_of(value)
        for name, value in module_of(data).assignments
        if value.type == "dictionary" and re.fullmatch(named, text_of(name))
    ]


def keywords_of(call: tree_sitter.Node) -> list[tuple[str, tree_sitter.Node]]:
    """The keyword arguments of a call, each with its name."""
    given = call.child_by_field_name("arguments")
    named = given.named_children if given else []
    keywords = (each for each in named if each.type == "keyword_argument")
    return [(text_of(each.child_by_field_name("name")), each) for each in keywords]


def function_around(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The innermost function that a node is in."""
    above = node.parent
    while above and above.type != "function_definition":
        above = above.parent
    return above


def _place(node: tree_sitter.Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def module_of(data: bytes) -> Module:
    """The parsed file; the last one is kept, as several callers ask for it in turn."""
    global _last
    if _last is None or _last.data is not data:
        _last = Module(data)
    return _last


def fault_line(data: bytes) -> int:
    """The line where the file that was parsed last stops parsing, counted from 1.

    0 for valid Python, and for any other file: it was not parsed.
    """
    if _last is None or _last.data is not data or not _last.root.has_error:
        return 0
    node = _last.root
    while not (node.is_error or node.is_missing):
        broken = (each for each in node.children if each.has_error or each.is_missing)
        inner = next(broken, None)
        if inner is None:
            break
        node = inner
    return int(node.start_point[0]) + 1


def is_said(statement: tree_sitter.Node) -> bool:
    """Whether a statement only tells readers something."""
    inner = statement.named_children[:1] if statement.type == "expression_statement" else []
    return statement.type == "comment" or bool(inner and inner[0].type == "string")


def text_of(node: tree_sitter.Node | None) -> str:
    """A name as it is written, or the text of an expression on one line."""
    text = (node.text or b"").decode("utf-8", "replace") if node else ""
    return text if text.isidentifier() else one_line(text)


def one_line(text: str) -> str:
    """The text of an expression on one line, without what its innermost calls are given."""
    text = _BLANKS.sub(" ", text)
    return _GIVEN.sub("()", text) if "(" in text else text


def may_fail(
    node: tree_sitter.Node | None,
    known: dict[int, bool],
    errors: re.Pattern[bytes] = _FAILED_IMPORT,
) -> bool:
    """Whether a `try` around a statement goes on without what cannot be imported, or found.

    What is `known` of each `try` is kept there.
    """
    while node and node.parent and node.type not in ("function_definition", "class_definition"):
        above = node.parent
        is_guarded = above.type == "try_statement" and above.child_by_field_name("body") == node
        if is_guarded and above.id not in known:
            clauses = above.named_children
            known[above.id] = any(goes_on(each, errors) for each in clauses)
        if is_guarded and known[above.id]:
            return True
        node = above
    return False


def goes_on(clause: tree_sitter.Node, errors: re.Pattern[bytes]) -> bool:
    """Whether an `except` catches such errors, and neither raises nor ends the program."""
    if clause.type != "except_clause":
        return False
    *caught, block = clause.named_children
    catches = not caught or any(errors.search(each.text or b"") for each in caught)
    return catches and not _ENDING.search(block.text or b"")


def _imports(node: tree_sitter.Node, names: dict[str, str]) -> Iterator[Import]:
    """What an import statement imports; what it binds is added to `names`."""
    module = node.child_by_field_name("module_name")
    package = text_of(module)
    prefix = package if package.endswith(".") or not module else f"{package}."
    items = node.children_by_field_name("name")
    if module and not items:
        yield Import(package, span_of(module), node.start_byte)
    for item in items:
        is_renamed = item.type == "aliased_import"
        written = (item.child_by_field_name("name") if is_renamed else item) or item
        full = prefix + text_of(written)
        if is_renamed:
            names[text_of(item.child_by_field_name("alias"))] = full
        elif module:
            names[text_of(item)] = full
        start = module.start_byte if module else item.start_byte
        yield Import(full, Span(start, written.end_byte), node.start_byte)


def _in_lines(data: bytes, known: set[int]) -> Iterator[Import]:
    """What lines of a broken file import that the syntax tree lost; `known` are statements."""
    for match in _IMPORT_LINE.finditer(data):
        start = match.start("statement")
        if start not in known:
            for node in _PARSER.parse(match["statement"]).root_node.children:
                for each in _imports(node, {}):
                    place = Span(start + each.span.start, start + each.span.end)
                    yield Import(each.name, place, start)


def _full_name(node: tree_sitter.Node, names: dict[str, str]) -> str:
    if node.type == "attribute":
        owner = node.child_by_field_name("object")
        attribute = text_of(node.child_by_field_name("attribute"))
        text = f"{_full_name(owner, names) if owner else ''}.{attribute}"
        return names.get(text, text)
    if node.type == "call":
        function = node.child_by_field_name("function")
        return f"{_full_name(function, names) if function else ''}()"
    text = text_of(node)
    return names.get(text, text)
