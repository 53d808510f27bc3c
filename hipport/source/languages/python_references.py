"""What Python code refers to, by full names: modules, functions, attributes, classes, arguments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.languages.python_syntax import (
    may_fail,
    module_of,
    plain_text,
    span_of,
    text_of,
)

_VALUES = ("integer", "true", "false")
_JOINED = ("list", "tuple", "concatenated_string", "parenthesized_expression")
_BLOCKS = ("module", "block")
_DEEPEST = 4
_SIDES = 2
_NUMBERS = ("integer", "float")
# Constants have names in capitals, whatever module or class has them.
_LIMIT = regex(
    rb"[(\[{]\s*\d+\s*(?:,\s*\d+\s*){0,40},?\s*[)\]}]|(?:\w+\.){0,4}[A-Z][A-Z\d]*(?:_[A-Z\d]+)*"
)


class Reference(NamedTuple):
    """Something that code refers to.

    `name` is its full dotted name as far as the file's imports say, calls in it written `()`;
    `written` is what is reported, "" for its spelling in the file. Of references with the same
    `statement`, an offset, one is enough to say.
    """

    name: str
    written: str
    span: Span
    statement: int
    is_optional: bool = False
    """Of an import, whether the file does without it where it fails."""


class References:
    """All that a file refers to, each kind of it when it is asked for."""

    def __init__(self, data: bytes) -> None:
        self.module = module_of(data)

    def imports(self) -> Iterator[Reference]:
        """Every module imported, and every name taken from one."""
        known: dict[int, bool] = {}
        for each in self.module.imports:
            statement = self.module.root.descendant_for_byte_range(each.statement, each.statement)
            is_optional = each.is_sought or may_fail(statement, known)
            yield Reference(each.name, each.name, each.span, each.statement, is_optional)

    def calls(self) -> Iterator[Reference]:
        """Every function called."""
        for name, node in self.module.calls:
            function = node.child_by_field_name("function")
            if function is not None:
                yield Reference(name, "", span_of(function), node.start_byte)

    def uses(self) -> Iterator[Reference]:
        """Every attribute with all that is before its dots: `torch.version.cuda`."""
        for node in self.module.nodes("attribute"):
            if node.parent is None or node.parent.type != "attribute":
                name = self.module.full_name(node)
                yield Reference(name, "", span_of(node), node.start_byte)

    def classes(self) -> Iterator[Reference]:
        """Every class with each of its bases: `FusedAdamBuilder(deepspeed.CUDAOpBuilder)`."""
        for node in self.module.nodes("class"):
            name = node.child_by_field_name("name")
            bases = node.child_by_field_name("superclasses")
            for base in bases.named_children if name and bases else ():
                full = f"{text_of(name)}({self.module.full_name(base)})"
                yield Reference(full, text_of(name), span_of(name or node), node.start_byte)

    def passed(self) -> Iterator[Reference]:
        """Every literal that a function is given, also in a list, or by a name with one value.

        `subprocess.run(["nvidia-smi", "-L"])` gives `subprocess.run(nvidia-smi)` and
        `subprocess.run(-L)`, `Config(num_stages=4)` itself.
        """
        for name, node in self.module.calls:
            given = node.child_by_field_name("arguments")
            for each in given.named_children if given else ():
                key = ""
                value: tree_sitter.Node | None = each
                if each.type == "keyword_argument":
                    key = text_of(each.child_by_field_name("name")) + "="
                    value = each.child_by_field_name("value")
                for text, literal in self._literals(value, 0):
                    span = span_of(each if key else literal)
                    yield Reference(f"{name}({key}{text})", key + text, span, _statement(node))

    def compared(self) -> Iterator[Reference]:
        """Every number, list of them, or constant that something is compared with, by its source.

        After `cap = torch.cuda.get_device_capability()`, `cap[0] >= 8` gives
        `torch.cuda.get_device_capability() >= 8`, and `cap >= Arch.ADA` the same with that name.
        """
        # Loads what only few files need.
        from hipport.source.languages.python_origins import Origins

        origins = Origins(self.module)
        for node in self.module.nodes("comparison"):
            if len(node.named_children) != _SIDES:
                continue
            value, limit = node.named_children
            if limit.type in _NUMBERS or _LIMIT.fullmatch(limit.text or b""):
                sign = text_of(node.children[1])
                text = " ".join((limit.text or b"").decode("utf-8", "replace").split())
                name = f"{origins.of(value)} {sign} {text}"
                yield Reference(name, text_of(value), span_of(value), _statement(node))

    @cached_property
    def _looped(self) -> dict[str, list[tree_sitter.Node]]:
        """Name of a loop -> what the loop goes over."""
        found: dict[str, list[tree_sitter.Node]] = {}
        for node in self.module.nodes("loop"):
            name, values = node.child_by_field_name("left"), node.child_by_field_name("right")
            if name and values:
                found.setdefault(text_of(name), []).append(values)
        return found

    def _literals(
        self, node: tree_sitter.Node | None, depth: int
    ) -> Iterator[tuple[str, tree_sitter.Node]]:
        """The literals in an expression, each with its text."""
        if node is None or depth > _DEEPEST:
            return
        if node.type == "string":
            yield plain_text(node), node
        elif node.type in _VALUES:
            yield text_of(node), node
        elif node.type in _JOINED:
            for each in node.named_children:
                yield from self._literals(each, depth + 1)
        elif node.type == "conditional_expression":
            first, _, other = node.named_children[:3]
            yield from self._literals(first, depth + 1)
            yield from self._literals(other, depth + 1)
        elif node.type == "binary_operator":
            for side in ("left", "right"):
                yield from self._literals(node.child_by_field_name(side), depth + 1)
        elif node.type == "identifier":
            name = text_of(node)
            values = self.module.assigned.get(name) or self._looped.get(name, [])
            if len(values) == 1 and values[0].type != "identifier":
                yield from self._literals(values[0], depth + 1)


def _statement(node: tree_sitter.Node) -> int:
    """Where the statement begins that a node is in; for a decorator, what it decorates."""
    while node.parent and node.parent.type not in _BLOCKS:
        node = node.parent
    return node.start_byte
