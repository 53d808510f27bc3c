"""Where Python asks a GPU's compute capability only to know whether it has bfloat16."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_syntax import (
    Module,
    keywords_of,
    module_of,
    span_of,
    text_of,
)


def typed_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """The conditions for bfloat16, and the values of names for it, that a capability decides."""
    module = module_of(data)
    asking = (*_conditions(module, words), *_values(module, words))
    return sorted(span_of(each) for each in asking if _is_since_ampere(each, words))


def _is_since_ampere(node: tree_sitter.Node, words: PythonBranches) -> bool:
    written = (node.text or b"").decode("latin-1")
    return re.search(words.since_ampere, written) is not None


def _conditions(module: Module, words: PythonBranches) -> Iterator[tree_sitter.Node]:
    """`bfloat16 if … else float16`, and an `if` that does nothing but to choose like that."""
    for node in module.nodes("branch"):
        if node.type == "conditional_expression":
            first, condition = node.named_children[:2]
            if re.fullmatch(words.bfloat, text_of(first)):
                yield condition
        elif node.type == "if_statement":
            asked = node.child_by_field_name("condition")
            body = node.child_by_field_name("consequence")
            statements = body.named_children if body else []
            if asked and statements and all(_is_chosen(each, words) for each in statements):
                yield asked


def _is_chosen(statement: tree_sitter.Node, words: PythonBranches) -> bool:
    """Whether a statement gives a name bfloat16, or a function's caller."""
    if statement.type == "return_statement":
        value = statement.named_children[:1]
        return bool(value) and re.fullmatch(words.bfloat, text_of(value[0])) is not None
    inner = statement.named_children[:1] if statement.type == "expression_statement" else []
    if not inner or inner[0].type != "assignment":
        return False
    return re.fullmatch(words.bfloat, text_of(inner[0].child_by_field_name("right"))) is not None


def _values(module: Module, words: PythonBranches) -> Iterator[tree_sitter.Node]:
    """The values of names that say whether there is bfloat16: `use_bf16 = …`."""
    named = [(text_of(name), value) for name, value in module.assignments]
    for call in module.nodes("call"):
        for name, each in keywords_of(call):
            value = each.child_by_field_name("value")
            if value:
                named.append((name, value))
    yield from (value for name, value in named if re.fullmatch(words.bfloat, name))
