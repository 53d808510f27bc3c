"""Which parts of Python code do not run on AMD's GPUs, by the conditions around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

import msgspec
import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_backends import backends_compared, is_for_amd
from hipport.source.languages.python_choices import beside_ports
from hipport.source.languages.python_private import only_called_there
from hipport.source.languages.python_syntax import (
    LANGUAGE,
    Module,
    keywords_of,
    module_of,
    pairs_of,
    plain_text,
    span_of,
    text_of,
)
from hipport.source.languages.python_systems import answers_on_system, on_system
from hipport.source.text.ported_names import ported_names
from hipport.source.text.required_texts import has_any

_LEAVING = ("return_statement", "raise_statement", "continue_statement", "break_statement")
_IS = {"is": True, "==": True, "is not": False, "!=": False}
_DEEPEST = 8
_SIDES = 2
_FUNCTION = regex(r"\bdef[ \t]+\w")
_NOT_IMPLEMENTED = regex(r"\braise[ \t]+NotImplementedError\b")
_VERSION = regex(r"(?<=[a-zA-Z])[\d.]+")


def dead_spans(
    data: bytes, words: PythonBranches, parts: Mapping[str, tuple[str, ...]]
) -> list[Span]:
    """What never runs on AMD's GPUs, in order; one span may be inside another.

    `parts` are those of names for NVIDIA, with those for AMD: a class or function for NVIDIA's
    GPUs beside one for AMD's is none of theirs.
    """
    branches = _Branches(module_of(data), words)
    nodes = branches.module.nodes("branch")
    found = (span_of(dead) for node in nodes for dead in branches.dead(node))
    dead = [*found, *map(span_of, _texts_for_amd(branches.module.assignments, words))]
    # Most files name nothing of AMD's that could be beside what is for NVIDIA.
    if has_any(data.decode("latin-1"), chain.from_iterable(parts.values())):
        dead += map(span_of, _ported(branches.module, parts))
    return sorted([*dead, *only_called_there(branches.module, dead)])


def amd_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """What runs on AMD's GPUs alone, in order: those who wrote it had them in mind."""
    branches = _Branches(module_of(data), words)
    found = (each for node in branches.module.nodes("branch") for each in branches.for_amd(node))
    return sorted(map(span_of, found))


def _ported(module: Module, parts: Mapping[str, tuple[str, ...]]) -> Iterator[tree_sitter.Node]:
    """What is for NVIDIA's GPUs beside the same for AMD's."""
    entries = [*map(pairs_of, module.nodes("dictionary")), *map(keywords_of, module.nodes("call"))]
    yield from _with_ports(module.nodes("definition"), parts)
    yield from _beside_entries(entries, parts)
    yield from _values_with_ports(module.assignments, parts)
    yield from beside_ports(module, parts)


def _beside_entries(
    groups: list[list[tuple[str, tree_sitter.Node]]], parts: Mapping[str, tuple[str, ...]]
) -> Iterator[tree_sitter.Node]:
    """The entries of dictionaries, and the arguments of calls, for NVIDIA's GPUs that are beside
    one for AMD's: `cu12` by `rocm6`, `cuda_type=` by `hip_type=`."""
    for entries in groups:
        plain = {_VERSION.sub("", key) for key, _ in entries}
        for key, pair in entries:
            if any(_VERSION.sub("", port) in plain for port in ported_names(key, parts)):
                yield pair


def _values_with_ports(
    assignments: list[tuple[tree_sitter.Node, tree_sitter.Node]],
    parts: Mapping[str, tuple[str, ...]],
) -> Iterator[tree_sitter.Node]:
    """The values of names whose block gives one to the name for AMD, too: `CUDA_X` by `HIP_X`."""
    blocks: dict[int, dict[str, tree_sitter.Node]] = {}
    for left, right in assignments:
        statement = left.parent.parent if left.parent else None
        if statement and statement.parent:
            blocks.setdefault(statement.parent.id, {})[text_of(left)] = right
    for block in blocks.values():
        for name, value in block.items():
            if any(port in block for port in ported_names(name, parts)):
                yield value


def _texts_for_amd(
    assignments: list[tuple[tree_sitter.Node, tree_sitter.Node]], words: PythonBranches
) -> Iterator[tree_sitter.Node]:
    """The strings that are called after AMD: code in them is written for its GPUs."""
    for left, right in assignments:
        if right.type == "string" and re.fullmatch(words.amd_value, text_of(left)):
            yield right


def _with_ports(
    definitions: list[tree_sitter.Node], parts: Mapping[str, tuple[str, ...]]
) -> Iterator[tree_sitter.Node]:
    """The definitions whose block has another under the name for AMD: `CudaX` beside `HipX`."""
    blocks: dict[int, dict[str, tree_sitter.Node]] = {}
    for each in definitions:
        above = each.parent
        while above and above.type == "decorated_definition":
            above = above.parent
        if above:
            block = blocks.setdefault(above.id, {})
            block[text_of(each.child_by_field_name("name"))] = each
    for block in blocks.values():
        for name, each in block.items():
            ports = (block[port] for port in ported_names(name, parts) if port in block)
            if not all(map(_is_stub, ports)):
                yield each


def _is_stub(definition: tree_sitter.Node) -> bool:
    """Whether a function, or each of a class, only says that it is not implemented."""
    text = text_of(definition)
    return 0 < len(_FUNCTION.findall(text)) <= len(_NOT_IMPLEMENTED.findall(text))


class _Branches:
    def __init__(self, module: Module, words: PythonBranches) -> None:
        self.module = module
        self._words = words
        self._backends = backends_compared(module, words)
        self._answers = answers_on_system(module, words.systems)

    def dead(self, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        """The parts of a conditional that do not run."""
        if node.type == "if_statement":
            yield from self._of_if(node)
            yield from self._beside_port(_compared_in_chain(node))
            yield from self._before_port(node)
        elif node.type == "match_statement":
            yield from self._beside_port(_compared_in_match(node))
        elif node.type == "decorated_definition":
            if any(map(self._skips, (each for each in node.children if each.type == "decorator"))):
                yield node
        elif node.type == "conditional_expression":
            first, condition, other = node.named_children[:3]
            holds = self.holds(condition)
            if holds is not None:
                yield other if holds else first
        else:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            ends = text_of(node.child_by_field_name("operator")) == "or"
            if left and right and self.holds(left) is ends:
                yield right

    def _before_port(self, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        """The branches for NVIDIA's GPUs that are followed by one for AMD's: `if is_cuda(): …
        elif is_hip(): …`, whatever else their conditions ask for."""
        branches = []
        for each in (node, *node.children_by_field_name("alternative")):
            condition = each.child_by_field_name("condition")
            body = each.child_by_field_name("consequence")
            if condition and body:
                branches.append((list(_parts_of(condition)), body))
        ports = [any(map(self._is_for_amd, parts)) for parts, _ in branches]
        for number, (parts, body) in enumerate(branches):
            if any(ports[number + 1 :]) and not ports[number] and any(map(self._is_theirs, parts)):
                yield body

    def _is_theirs(self, node: tree_sitter.Node) -> bool:
        name = self.module.full_name(node).removesuffix("()")
        is_named = re.fullmatch(self._words.nvidia_value, name) is not None
        return is_named or (self.holds(node) is False and node.type != "not_operator")

    def for_amd(self, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        """The parts of a conditional that run on AMD's GPUs alone."""
        if node.type == "if_statement":
            for each in (node, *node.children_by_field_name("alternative")):
                condition = each.child_by_field_name("condition")
                body = each.child_by_field_name("consequence")
                if condition and body and self._is_for_amd(condition):
                    yield body
        elif node.type == "conditional_expression":
            first, condition = node.named_children[:2]
            if self._is_for_amd(condition):
                yield first

    def _is_for_amd(self, node: tree_sitter.Node, depth: int = 0) -> bool:
        """Whether a condition holds on no other GPUs; `is_cuda() or is_hip()` may."""
        if depth > _DEEPEST:
            return False
        if node.type == "parenthesized_expression":
            return any(self._is_for_amd(each, depth + 1) for each in node.named_children[:1])
        if node.type == "boolean_operator":
            sides = [node.child_by_field_name(side) for side in ("left", "right")]
            each_is = [side is not None and self._is_for_amd(side, depth + 1) for side in sides]
            is_or = text_of(node.child_by_field_name("operator")) == "or"
            return all(each_is) if is_or else any(each_is)
        if node.type == "not_operator":
            return False
        values = self.module.assigned.get(text_of(node), ()) if node.type == "identifier" else ()
        if len(values) == 1 and self._is_for_amd(values[0], depth + 1):
            return True
        return self.holds(node) is True and self._names_amd(node)

    def _names_amd(self, node: tree_sitter.Node) -> bool:
        found = tree_sitter.QueryCursor(_names()).captures(node).get("name", ())
        names = (self.module.full_name(each) for each in found)
        return any(re.fullmatch(self._words.amd, each) for each in names)

    def _beside_port(self, branches: list[_Branch]) -> Iterator[tree_sitter.Node]:
        """The branches for a value of NVIDIA's, where the same is compared with one of AMD's."""
        ported = {each.what for each in branches if re.fullmatch(self._words.amd_value, each.value)}
        for each in branches:
            if each.what in ported and re.fullmatch(self._words.nvidia_value, each.value):
                yield each.body

    def _of_if(self, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        decided = False
        for each in (node, *node.children_by_field_name("alternative")):
            condition = each.child_by_field_name("condition")
            body = each.child_by_field_name("consequence") or each.child_by_field_name("body")
            if decided:
                yield each
                continue
            holds = self.holds(condition) if condition else None
            if holds is False and body:
                yield body
            elif holds and body:
                decided = True
                last = body.named_children[-1:]
                if last and last[0].type in _LEAVING and not self._refuses(condition, last[0]):
                    yield from _after(node)

    def _refuses(self, condition: tree_sitter.Node | None, last: tree_sitter.Node) -> bool:
        """Whether a branch gives up for want of CUDA: a port makes it pass, and go on."""
        if condition is None:
            return False
        # What asks for a vendor means it; what is missing may be AMD's as well.
        is_missing = text_of(condition).endswith(" is None")
        if last.type != "raise_statement" and not (is_missing and text_of(last) == "return False"):
            return False
        return not self._names_amd(condition)

    def _skips(self, decorator: tree_sitter.Node) -> bool:
        what = decorator.named_children[0]
        name = self.module.full_name(what.child_by_field_name("function") or what)
        if re.fullmatch(self._words.skipping_amd, name):
            return True
        given = what.child_by_field_name("arguments")
        first = given.named_children[:1] if given else []
        return bool(first and re.fullmatch(self._words.skipping, name) and self.holds(first[0]))

    def holds(self, node: tree_sitter.Node, depth: int = 0) -> bool | None:
        """Whether a condition is true on AMD's GPUs; None if that depends on something else."""
        if depth > _DEEPEST:
            return None
        if node.type == "parenthesized_expression":
            return self.holds(node.named_children[0], depth + 1) if node.named_children else None
        if node.type == "not_operator":
            value = node.child_by_field_name("argument")
            holds = self.holds(value, depth + 1) if value else None
            return None if holds is None else not holds
        if node.type == "boolean_operator":
            sides = [node.child_by_field_name(side) for side in ("left", "right")]
            values = [self.holds(side, depth + 1) if side else None for side in sides]
            ends = text_of(node.child_by_field_name("operator")) == "or"
            if ends in values:
                return ends
            return None if None in values else not ends
        on_this_system = on_system(node, self.module, self._words.systems)
        if on_this_system is not None:
            return on_this_system
        if node.type == "comparison_operator":
            of_backend = is_for_amd(node, self._backends, self._words)
            return self._compared(node, depth) if of_backend is None else of_backend
        return self._named(node, depth)

    def _compared(self, node: tree_sitter.Node, depth: int) -> bool | None:
        """`torch.version.hip is not None`, `CUDA_HOME == "/opt/rocm"`."""
        if len(node.named_children) != 2:
            return None
        left, right = node.named_children
        same = _IS.get(text_of(node.child_by_field_name("operators")))
        if same is None:
            return None
        text = plain_text(right)
        if right.type == "string" and re.fullmatch(self._words.folder, text):
            return same
        value = self.holds(left, depth + 1)
        if value is None or right.type not in ("none", "true", "false"):
            return None
        return value == (same if right.type == "true" else not same)

    def _named(self, node: tree_sitter.Node, depth: int) -> bool | None:
        """The value of a name, an attribute or a function's result, judged by its name."""
        if node.type not in ("identifier", "attribute", "call"):
            return None
        names = {self.module.full_name(node).removesuffix("()"), text_of(node)}
        if any(re.fullmatch(self._words.amd, each) for each in names):
            return True
        if any(re.fullmatch(self._words.nvidia, each) for each in names):
            return False
        if node.type == "call":
            return self._answers.get(text_of(node.child_by_field_name("function")))
        values = self.module.assigned.get(text_of(node), ()) if node.type == "identifier" else ()
        return self.holds(values[0], depth + 1) if len(values) == 1 else None


def _parts_of(condition: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What a condition asks for, each by itself: the sides of `and` and `or`."""
    if condition.type in ("parenthesized_expression", "boolean_operator"):
        for each in condition.named_children:
            yield from _parts_of(each)
    else:
        yield condition


class _Branch(msgspec.Struct, frozen=True):
    """A branch for one value of what is compared."""

    what: str
    value: str
    body: tree_sitter.Node


def _compared_in_chain(node: tree_sitter.Node) -> list[_Branch]:
    """The branches of `if x == A: … elif x == B: …`."""
    found = []
    for each in (node, *node.children_by_field_name("alternative")):
        condition = each.child_by_field_name("condition")
        body = each.child_by_field_name("consequence")
        if not (condition and body) or condition.type != "comparison_operator":
            continue
        operator = text_of(condition.child_by_field_name("operators"))
        if len(condition.named_children) == _SIDES and operator in ("==", "is"):
            left, right = condition.named_children
            found.append(_Branch(text_of(left), _value(right), body))
    return found


def _compared_in_match(node: tree_sitter.Node) -> list[_Branch]:
    body = node.child_by_field_name("body")
    clauses = [each for each in body.named_children if each.type == "case_clause"] if body else []
    return [
        _Branch("", _value(each.named_children[0]), inside)
        for each in clauses
        if (inside := each.child_by_field_name("consequence"))
    ]


def _value(node: tree_sitter.Node) -> str:
    return plain_text(node) or text_of(node).strip("\"'")


@cache
def _names() -> tree_sitter.Query:
    return tree_sitter.Query(LANGUAGE, "[(identifier) (attribute)] @name")


def _after(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The statements behind one, in its block."""
    while node.next_named_sibling:
        node = node.next_named_sibling
        yield node
