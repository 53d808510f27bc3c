"""Variables, parameters and members: how the syntax tree says that they are declared."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.languages.cuda_syntax import PARSER
from hipport.source.names.declaring_tokens import may_declare_variable
from hipport.source.text.brackets import closing_brace, occurrences, skip
from hipport.source.text.source_text import Code

if TYPE_CHECKING:
    from hipport.source.names.declared_names import Declarations

_BEHIND_DECLARED = frozenset("=;:,){[(>")
_WORD = regex(r"[A-Za-z_]\w*")
_BEHIND_DECLARATION = regex("[;{]")
_MARKS = {"pointer_declarator": "*", "array_declarator": "[]"}
_SAME = frozenset(
    "reference_declarator init_declarator parenthesized_declarator attributed_declarator"
    " variadic_declarator".split()
)
_NAMES = frozenset(("identifier", "field_identifier"))
_WORDS = frozenset(("type_qualifier", "storage_class_specifier"))
_OF_VARIABLES = frozenset(
    "declaration field_declaration parameter_declaration optional_parameter_declaration"
    " variadic_parameter_declaration for_range_loop".split()
)
_BETWEEN = frozenset("compound_statement argument_list template_argument_list".split())
_TAG = regex(r"(?:struct|class|union|enum|typename)\s+")
_SPACED = regex(r" *(<|::) *| +(?=[>,])")
_HEAD = b"void f(int _, "
"""With another parameter before it, `T (&x)[4]` can be nothing but one."""
_MOST_LISTS = 512
"""Parameter lists to remember: while a text is being typed, few of them change."""


class Variable(NamedTuple):
    """What one declarator declares."""

    name: Span
    type: str
    """Without the variable's own `const`, and blanks as most write them: `const float*`, `int[][]`.

    A reference has the type that it refers to.
    """
    words: frozenset[str]
    """Qualifiers, of what it points to as well, and storage classes: `volatile`, `__shared__`."""
    bounds: tuple[Span, ...]
    """Of an array: each size, with its brackets; none of one without a size."""
    value: Span | None
    """What it is initialized with, brackets included; not its later values."""
    type_place: Span
    declaration: Span
    is_alone: bool
    """Whether the declaration declares nothing else."""
    member_of: str = ""
    """The structure that it is a member of."""


class _Declared(msgspec.Struct, frozen=True):
    variable: Variable
    reach: list[Span]


def variable_at(declarations: Declarations, name: Span) -> Variable | None:
    """The variable, parameter or member that is declared at a name; None for anything else."""
    of_function, start = declarations.of_function_around(name.start) or (declarations, 0)
    place = Span(name.start - start, name.end - start)
    node = of_function.node_at(place)
    declared = of_function.declaration_at(place)
    found = _variable(node, declared) if node and declared else None
    return _moved(found, start) if found else None


def variable(declarations: Declarations, name: str, offset: int) -> Variable | None:
    """The variable that a name refers to at an offset, if this file declares it.

    Of the declarations whose scope the offset is in, the nearest before it; else a member that
    follows; else, in a member function that is defined apart, the member of its class. None also
    where another branch of a conditional declares it with another type; branches that no HIP build
    compiles do not count.
    """
    found, reaching = declarations.code.once(_reaching, declarations, name)
    around = reaching.at(offset)
    before = [each for each in around if each.variable.name.start <= offset]
    if before:
        nearest = before[-1]
        is_certain = not any(_is_rival(declarations, each, nearest) for each in before[:-1])
        return nearest.variable if is_certain else None
    owner = class_of_function(declarations, offset) if found and not around else ""
    around = around or [each for each in found if owner and each.variable.member_of == owner]
    return around[0].variable if around else None


class _Reaching:
    """Of several declarations those that reach an offset, found without asking each of them."""

    def __init__(self, found: list[_Declared]) -> None:
        edges: dict[int, list[tuple[int, bool]]] = {0: []}
        for number, each in enumerate(found):
            for span in each.reach:
                edges.setdefault(span.start, []).append((number, True))
                edges.setdefault(span.end, []).append((number, False))
        self._starts = sorted(edges)
        self._around: list[list[_Declared]] = []
        depths: Counter[int] = Counter()
        for start in self._starts:
            for number, opens in edges[start]:
                depths[number] += 1 if opens else -1
            depths = +depths
            self._around.append([found[number] for number in sorted(depths)])

    def at(self, offset: int) -> list[_Declared]:
        return self._around[bisect_right(self._starts, offset) - 1]


def _reaching(declarations: Declarations, name: str) -> tuple[list[_Declared], _Reaching]:
    """The declarations of a name, without those that no HIP build compiles if there are others."""
    found = _declared(declarations, name)
    if len(found) > 1:
        found = [each for each in found if not declarations.is_left_out(each.variable.name.start)]
    return found, _Reaching(found)


def _is_rival(declarations: Declarations, one: _Declared, other: _Declared) -> bool:
    """Whether two declarations of one scope are in different branches of one conditional."""
    if one.reach != other.reach or one.variable.type == other.variable.type:
        return False
    branches = dict(declarations.code.branch_at(one.variable.name.start))
    others = declarations.code.branch_at(other.variable.name.start)
    return any(branches.get(opened, number) != number for opened, number in others)


def variables_named(declarations: Declarations, name: str) -> list[Variable]:
    """All variables, parameters and members of a name that the file declares, in order."""
    return [each.variable for each in _declared(declarations, name)]


def words_behind_type(code: Code, kind: str) -> frozenset[str]:
    """The words of declarations with a type, up to their end or body: a look without the parser.

    All names that the file declares with the type are among them.
    """
    return code.once(_behind, code, kind)


def _behind(code: Code, kind: str) -> frozenset[str]:
    text = code.code
    found: set[str] = set()
    first = last = 0
    for at in occurrences(text, kind):
        start = skip(text, at + len(kind))
        if text.startswith("{", start):
            start = closing_brace(text, start) or start + 1
        elif first <= at < last:
            continue  # Its words were found with those of the one before it, to the same end.
        end = _BEHIND_DECLARATION.search(text, start)
        first, last = start, end.start() if end else len(text)
        found.update(_WORD.findall(text, first, last))
    return frozenset(found)


def variables_declared_by(declarations: Declarations, word: Span) -> list[Variable]:
    """The variables that a declaration declares, given the place of its type or of a qualifier."""
    declared = declarations.node_at(word)
    while declared and declared.type not in _OF_VARIABLES:
        if declared.type in _BETWEEN:
            return []
        declared = declared.parent
    if declared is None:
        return []
    declarators = declared.children_by_field_name("declarator")
    found = [_variable(_name_in(each), declared) for each in declarators]
    return [each for each in found if each]


def is_template(declarations: Declarations, found: Variable) -> bool:
    """Whether a variable is declared as a template."""
    word = declarations.node_at(found.type_place)
    while word and word.start_byte >= found.declaration.start:
        word = word.parent
    return word is not None and word.type == "template_declaration"


def is_of_template(declarations: Declarations, found: Variable) -> bool:
    """Whether a variable is a parameter of a template."""
    declared = declarations.declaration_at(found.name)
    return bool(declared and declared.parent and declared.parent.type == "template_parameter_list")


@lru_cache(maxsize=_MOST_LISTS)
def parameters(text: str) -> tuple[Variable, ...]:
    """The parameters in the text between a function's parentheses; none for any other text.

    The spans are places in this text. One without a name has an empty span for it.
    """
    if not text or text.isspace():
        return ()
    data = _HEAD + text.encode("latin-1") + b");"
    node: tree_sitter.Node | None = PARSER.parse(data).root_node
    while node and node.type != "parameter_list":
        node = node.named_children[-1] if node.named_children else None
    if node is None or node.has_error or node.end_byte != len(data) - 1:
        return ()
    return tuple(
        _moved(found, -len(_HEAD))
        for each in node.named_children[1:]
        if each.type.endswith("parameter_declaration")
        and (found := _variable(_name_in(each), each))
    )


@lru_cache(maxsize=_MOST_LISTS)
def declared_by(statement: str) -> tuple[Variable, ...]:
    """The variables that a statement in a function declares; its spans are places in this text."""
    head = b"void f(){"
    root = PARSER.parse(head + statement.encode("latin-1") + b";}").root_node
    found = root.descendant_for_byte_range(len(head), len(head)) if not root.has_error else None
    while found and found.type not in ("declaration", "compound_statement"):
        found = found.parent
    if found is None or found.type != "declaration":
        return ()
    declarators = found.children_by_field_name("declarator")
    every = [_variable(_name_in(each), found) for each in declarators]
    return tuple(_moved(each, -len(head)) for each in every if each)


@lru_cache(maxsize=_MOST_LISTS)
def template_parameters(head: str) -> frozenset[str]:
    """The names of a template's parameters, by its text up to its body."""
    word = PARSER.parse(head.encode("latin-1") + b";").root_node.descendant_for_byte_range(0, 0)
    given = word.parent.child_by_field_name("parameters") if word and word.parent else None
    found: set[str] = set()
    for each in given.named_children if given else ():
        name = each.child_by_field_name("name") or each.child_by_field_name("declarator")
        name = name or (each.named_children[-1] if each.named_children else None)
        if name and name.type in ("identifier", "type_identifier"):
            found.add(_text(name))
    return frozenset(found)


def _moved(found: Variable, by: int) -> Variable:
    def moved(span: Span) -> Span:
        return Span(span.start + by, span.end + by)

    return found._replace(
        name=moved(found.name),
        bounds=tuple(map(moved, found.bounds)),
        value=moved(found.value) if found.value else None,
        type_place=moved(found.type_place),
        declaration=moved(found.declaration),
    )


def _name_in(declared: tree_sitter.Node) -> tree_sitter.Node:
    """The innermost declarator: a name, or what has none."""
    node = declared
    while inner := node.child_by_field_name("declarator") or (
        node.named_children[-1] if node.type in _SAME and node.named_children else None
    ):
        node = inner
    return node


def _declared(declarations: Declarations, name: str) -> list[_Declared]:
    """The variables of a name in a file, in order."""
    return declarations.code.once(_find, declarations, name)


def _find(declarations: Declarations, name: str) -> list[_Declared]:
    found: list[_Declared] = []
    text = declarations.code.code
    for at in occurrences(text, name):
        behind = skip(text, at + len(name))
        if text[behind : behind + 1] not in _BEHIND_DECLARED:
            continue
        place = Span(at, at + len(name))
        if declarations.is_parsed and declarations.declaration_at(place) is None:
            continue
        directive = declarations.code.directive_at(at)
        if directive is None and not may_declare_variable(text, place):
            continue
        declared = declarations.declaration_at(place)
        if declared and (each := variable_at(declarations, place)):
            reach = [directive.span] if directive else declarations.reach(declared)
            found.append(_Declared(each, reach))
    return found


def _variable(node: tree_sitter.Node, declared: tree_sitter.Node) -> Variable | None:
    kind = declared.child_by_field_name("type")
    if kind is None or declared.type not in _OF_VARIABLES:
        return None
    value = declared.child_by_field_name("value") or declared.child_by_field_name("default_value")
    marks = ""
    bounds: list[Span] = []
    own: set[str] = set()
    each = node
    while each != declared:
        what = each.type.removeprefix("abstract_")
        if what == "function_declarator":
            if not _has_values(each, declared):
                return None
            value = each.child_by_field_name("parameters")
        elif what not in _SAME and what not in _NAMES:
            if what not in _MARKS:
                return None
            marks = _MARKS[what] + marks
            own |= _words(each.children)
        value = each.child_by_field_name("value") or value
        if each.child_by_field_name("size"):
            opened = next(one for one in each.children if one.type == "[")
            bounds.append(Span(opened.start_byte, each.end_byte))
        if each.parent is None:
            return None
        each = each.parent
    # `unsigned const` is one type to the grammar.
    is_sized = kind.type == "sized_type_specifier"
    words = _words([*declared.children, *(kind.children if is_sized else ())])
    type_ = _TAG.sub("", _text(kind).partition("{")[0])
    if "<" in type_ or "::" in type_:
        type_ = _SPACED.sub(r"\1", type_)
    if is_sized:
        type_ = " ".join(each for each in type_.split() if each not in words)
    is_const = "const" in words and "*" in marks
    return Variable(
        span_of(node) if node.type in _NAMES else Span(node.start_byte, node.start_byte),
        ("const " if is_const else "") + type_ + marks,
        words | own,
        tuple(bounds),
        span_of(value) if value else None,
        span_of(kind),
        span_of(declared),
        len(declared.children_by_field_name("declarator")) < 2,
        _owner(declared),
    )


def _words(nodes: list[tree_sitter.Node]) -> frozenset[str]:
    return frozenset(_text(each) for each in nodes if each.type in _WORDS)


def _has_values(declarator: tree_sitter.Node, declared: tree_sitter.Node) -> bool:
    """Whether `dim3 grid(x, y);` in a function initializes a variable: by syntax it may be both."""
    name, given = declarator.child_by_field_name("declarator"), declarator.named_children[-1]
    return (
        (declared.parent is not None and declared.parent.type == "compound_statement")
        and (name is not None and name.type in _NAMES)
        and bool(given.named_children)
        and all(
            [inner.type for inner in each.named_children] == ["type_identifier"]
            for each in given.named_children
        )
    )


def _owner(declared: tree_sitter.Node) -> str:
    """The structure that a declaration is in; "" for none."""
    body = declared.parent
    if declared.type != "field_declaration" or body is None or body.parent is None:
        return ""
    name = body.parent.child_by_field_name("name")
    return _text(name) if name else ""


def class_of_function(declarations: Declarations, offset: int) -> str:
    """The class in the name `Class::function` of the definition that an offset is in."""
    node = declarations.node_at(Span(offset, offset))
    while node and node.type != "function_definition":
        node = node.parent
    while node and node.type != "qualified_identifier":
        node = node.child_by_field_name("declarator")
    scope = node.child_by_field_name("scope") if node else None
    return _text(scope) if scope else ""


def _text(node: tree_sitter.Node) -> str:
    return " ".join((node.text or b"").decode("latin-1").split())


def span_of(node: tree_sitter.Node) -> Span:
    return Span(node.start_byte, node.end_byte)
