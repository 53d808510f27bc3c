"""What a `try` of Python does only where a module can be imported, and leaves out in silence."""

from __future__ import annotations

import re

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.languages.python_syntax import module_of, span_of

_CATCHING = regex(rb"\b(?:(?:Import|ModuleNotFound)Error|(?:Base)?Exception)\b")
_ELSE = "else_clause"
_STATEMENTS = ("import_statement", "import_from_statement", "expression_statement")
_RETURN = regex(rb"\breturn\b")
_NOTHING = regex(rb"(?:\s|pass\b|continue\b|return(?:[ \t]+None)?\b|\.\.\.|#[^\n]*+)*")


def skipped_spans(data: bytes, modules: str) -> list[Span]:
    """The bodies that import one of these modules, where the `except` does nothing, in order.

    So is the `else` behind, which only follows where the body did not fail.
    """
    module = module_of(data)
    bodies = set()
    for each in module.imports:
        if not re.match(modules, each.name):
            continue
        node = module.root.descendant_for_byte_range(each.statement, each.statement)
        while node and node.parent and node.parent.type not in ("function_definition", "module"):
            above = node.parent
            is_body = above.type == "try_statement" and above.child_by_field_name("body") == node
            if is_body and _is_silent(above, _ELSE):
                bodies.add(span_of(node))
                bodies.update(span_of(each) for each in above.children if each.type == _ELSE)
            node = above
    return sorted(bodies)


def warmed_spans(data: bytes) -> list[Span]:
    """The bodies that import modules and only call something, where the `except` passes it over.

    Where it returns, what follows may need the module.
    """
    module = module_of(data)
    bodies = set()
    for each in module.nodes("import"):
        body = each.parent
        above = body.parent if body else None
        is_body = above is not None and above.child_by_field_name("body") == body
        if body and above and is_body and above.type == "try_statement":
            is_passed = _is_silent(above) and not _RETURN.search(above.text or b"")
            bodies.update([span_of(body)] if is_passed and _only_calls(body) else [])
    return sorted(bodies)


def absent_spans(data: bytes) -> list[Span]:
    """The bodies that are to fail: the `except` passes it over, and the `else` raises."""
    bodies = []
    for each in module_of(data).nodes("try"):
        body = each.child_by_field_name("body")
        last = each.named_children[-1]
        raises = any(
            one.type == "raise_statement" for part in last.children for one in part.children
        )
        if body and last.type == _ELSE and raises and _is_passed_over(each):
            bodies.append(span_of(body))
    return bodies


def _is_passed_over(node: tree_sitter.Node) -> bool:
    """Whether a `try` does nothing where its body fails."""
    clauses = [each for each in node.named_children if each.type == "except_clause"]
    return bool(clauses) and all(
        _NOTHING.fullmatch(each.named_children[-1].text or b"") for each in clauses
    )


def _only_calls(body: tree_sitter.Node) -> bool:
    """Whether a block has imports and calls, whose answers nothing takes."""
    statements = [each for each in body.named_children if each.type != "comment"]
    calls = [each for each in statements if each.type == "expression_statement"]
    is_plain = all(each.type in _STATEMENTS for each in statements)
    return bool(calls) and is_plain and all(each.named_children[0].type == "call" for each in calls)


def _is_silent(node: tree_sitter.Node, *besides: str) -> bool:
    """Whether a `try` catches failed imports, and none of its other parts does anything."""
    others = [each for each in node.named_children[1:] if each.type not in ("comment", *besides)]
    if any(each.type != "except_clause" for each in others):
        return False
    catches = False
    for clause in others:
        *caught, block = (each for each in clause.named_children if each.type != "comment")
        if not _NOTHING.fullmatch(block.text or b""):
            return False
        catches |= not caught or any(_CATCHING.search(each.text or b"") for each in caught)
    return catches
