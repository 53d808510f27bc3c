"""Which parts of Python code do not run on AMD's GPUs, by the conditions around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

import msgspec
import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_syntax import (
    LANGUAGE,
    Module,
    function_around,
    module_of,
    plain_text,
    span_of,
    text_of,
)
from hipport.source.text.ported_names import ported_names

_LEAVING = ("return_statement", "raise_statement", "continue_statement", "break_statement")
_IS = {"is": True, "==": True, "is not": False, "!=": False}
_DEEPEST = 8
_SIDES = 2
_WORD = regex(rb"(?<![\w.])[A-Za-z_]\w*")
_VERSION = regex(r"(?<=[a-zA-Z])[\d.]+")
_KEY = regex(rb"[\"'](\w+)[\"']")


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
    definitions = branches.module.nodes("definition")
    entries = branches.module.nodes("dictionary")
    ported = (*_with_ports(definitions, parts), *_beside_entries(entries, parts))
    return sorted([*found, *map(span_of, ported)])


def _beside_entries(
    dictionaries: list[tree_sitter.Node], parts: Mapping[str, tuple[str, ...]]
) -> Iterator[tree_sitter.Node]:
    """The entries for NVIDIA's GPUs of dictionaries that have one for AMD's: `cu12` by `rocm6`."""
    for each in dictionaries:
        entries = _entries(each)
        plain = {_VERSION.sub("", key) for key, _ in entries}
        for key, pair in entries:
            if any(_VERSION.sub("", port) in plain for port in ported_names(key, parts)):
                yield pair


def _entries(dictionary: tree_sitter.Node) -> list[tuple[str, tree_sitter.Node]]:
    """The pairs of a dictionary, each with its key as written."""
    pairs = (each for each in dictionary.named_children if each.type == "pair")
    return [(text_of(each.child_by_field_name("key")), each) for each in pairs]


def printed_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """What functions are given only to show it to people, as it is written there."""
    return sorted(
        span_of(given)
        for name, call in module_of(data).calls
        if re.fullmatch(words.showing, name) and (given := call.child_by_field_name("arguments"))
    )


def shown_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """What functions are given only to show it to people, and what only leads to it."""
    module = module_of(data)
    shown = printed_spans(data, words)
    asked = _only_announced(module, words) if shown else ()
    decided = sorted([*shown, *asked])
    values = _values_shown(module, decided) if shown else ()
    return sorted([*decided, *values, *_recorded(module, words)])


def _only_announced(module: Module, words: PythonBranches) -> Iterator[Span]:
    """The conditions that choose only among what people are shown: `if CUDA_HOME: print("…")`."""
    for node in module.nodes("branch"):
        if node.type != "if_statement":
            continue
        clauses = [node, *node.children_by_field_name("alternative")]
        bodies = [
            each.child_by_field_name("consequence") or each.child_by_field_name("body")
            for each in clauses
        ]
        statements = [each for body in bodies if body for each in body.named_children]
        if statements and all(_is_shown(each, module, words) for each in statements):
            conditions = (each.child_by_field_name("condition") for each in clauses)
            yield from (span_of(each) for each in conditions if each)


def _is_shown(statement: tree_sitter.Node, module: Module, words: PythonBranches) -> bool:
    """Whether a statement does no more than to show something to people."""
    if statement.type == "comment":
        return True
    call = statement.named_children[0] if statement.type == "expression_statement" else None
    function = call.child_by_field_name("function") if call and call.type == "call" else None
    return function is not None and bool(re.fullmatch(words.showing, module.full_name(function)))


def _recorded(module: Module, words: PythonBranches) -> Iterator[Span]:
    """What dictionaries keep beside a device's name, under a key that the file never reads."""
    written: Counter[bytes] = Counter()
    for values in (*_literals(module), *_filled_in(module)):
        if any(
            re.fullmatch(words.key_of_name, key) and re.search(words.asked_name, text_of(value))
            for key, value in values.items()
        ):
            written = written or Counter(match[1] for match in _KEY.finditer(module.data))
            yield from (
                span_of(value)
                for key, value in values.items()
                if written[key.strip("\"'").encode()] == 1
            )


def _literals(module: Module) -> Iterator[dict[str, tree_sitter.Node]]:
    """The values of dictionaries, by their keys as written: `{"name": name}`."""
    for each in module.nodes("dictionary"):
        yield {key: pair.named_children[-1] for key, pair in _entries(each)}


def _filled_in(module: Module) -> Iterator[dict[str, tree_sitter.Node]]:
    """The same of dictionaries that a function fills in: `record["name"] = name`."""
    found: dict[tuple[Span | None, str], dict[str, tree_sitter.Node]] = {}
    for each in module.nodes("assignment"):
        target, value = each.child_by_field_name("left"), each.child_by_field_name("right")
        if target and value and target.type == "subscript":
            around = function_around(each)
            name = text_of(target.child_by_field_name("value"))
            filled = found.setdefault((around and span_of(around), name), {})
            filled[text_of(target.child_by_field_name("subscript"))] = value
    yield from found.values()


def _values_shown(module: Module, shown: list[Span]) -> Iterator[Span]:
    """The values of names that a function reads nowhere but in these spans, in order."""
    given: dict[tuple[Span, bytes], list[tree_sitter.Node]] = {}
    for each in module.nodes("assignment"):
        target, around = each.child_by_field_name("left"), function_around(each)
        if target and target.type == "identifier" and around:
            given.setdefault((span_of(around), target.text or b""), []).append(each)
    starts = [each.start for each in shown]
    places = _places(module.data, {name for _, name in given})
    for (function, name), assignments in given.items():
        at = places[name]
        inside = at[bisect_left(at, function.start) : bisect_left(at, function.end)]
        reads = sorted({*inside}.difference(each.start_byte for each in assignments))
        nearest = [shown[bisect_right(starts, each) - 1] for each in reads]
        if reads and all(
            span.start <= each < span.end for each, span in zip(reads, nearest, strict=True)
        ):
            values = (each.child_by_field_name("right") for each in assignments)
            yield from (span_of(value) for value in values if value)


def _places(data: bytes, names: set[bytes]) -> dict[bytes, list[int]]:
    """Where these names are as words, in strings too."""
    found: dict[bytes, list[int]] = {name: [] for name in names}
    for match in _WORD.finditer(data):
        if match[0] in found:
            found[match[0]].append(match.start())
    return found


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
            if any(port in block for port in ported_names(name, parts)):
                yield each


class _Branches:
    def __init__(self, module: Module, words: PythonBranches) -> None:
        self.module = module
        self._words = words

    def dead(self, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        """The parts of a conditional that do not run."""
        if node.type == "if_statement":
            yield from self._of_if(node)
            yield from self._beside_port(_compared_in_chain(node))
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
        """Whether a branch fails for want of CUDA: a port makes it pass, and what follows run."""
        if condition is None or last.type != "raise_statement":
            return False
        found = tree_sitter.QueryCursor(_names()).captures(condition).get("name", ())
        names = (self.module.full_name(each) for each in found)
        return not any(re.fullmatch(self._words.amd, each) for each in names)

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
        if node.type == "comparison_operator":
            return self._compared(node, depth)
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
        if re.fullmatch(self._words.other_systems, text):
            is_system = re.fullmatch(self._words.system, self.module.full_name(left))
            return not same if is_system else None
        value = self.holds(left, depth + 1)
        if value is None or right.type not in ("none", "true", "false"):
            return None
        return value == (same if right.type == "true" else not same)

    def _named(self, node: tree_sitter.Node, depth: int) -> bool | None:
        """The value of a name, an attribute or a function's result, judged by its name."""
        if node.type not in ("identifier", "attribute", "call"):
            return None
        name = self.module.full_name(node)
        if re.fullmatch(self._words.amd, name.removesuffix("()")):
            return True
        if re.fullmatch(self._words.nvidia, name.removesuffix("()")):
            return False
        values = self.module.assigned.get(name, ()) if node.type == "identifier" else ()
        return self.holds(values[0], depth + 1) if len(values) == 1 else None


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
