"""What tests of the system, and of Triton's name for it, answer in Python on AMD's GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import tree_sitter

from hipport.source.languages.python_syntax import Module, is_said, plain_text, text_of

_SIGNS = {"==": True, "is": True, "in": True, "!=": False, "is not": False, "not in": False}
_LISTS = ("tuple", "list", "set", "parenthesized_expression")
_SIDES = 2


def on_system(
    node: tree_sitter.Node, module: Module, systems: Mapping[str, tuple[str, ...]]
) -> bool | None:
    """Whether a test holds on the system, whose names are given; None if it tests another thing."""
    if node.type == "comparison_operator" and len(node.named_children) == _SIDES:
        value, other = node.named_children
        sign = _SIGNS.get(text_of(node.child_by_field_name("operators")))
        names, texts = _names(value, module, systems), list(_texts(other))
        return (
            (not names.isdisjoint(texts)) == sign if names and texts and sign is not None else None
        )
    function = node.child_by_field_name("function") if node.type == "call" else None
    given = node.child_by_field_name("arguments")
    if function is None or given is None or function.type != "attribute":
        return None
    owner = function.child_by_field_name("object")
    if owner is None or text_of(function.child_by_field_name("attribute")) != "startswith":
        return None
    names, beginnings = _names(owner, module, systems), tuple(_texts(given))
    return any(each.startswith(beginnings) for each in names) if names and beginnings else None


def answers_on_system(module: Module, systems: Mapping[str, tuple[str, ...]]) -> dict[str, bool]:
    """The answers of the file's own functions that do no more than to test the system, by name."""
    found: dict[str, bool] = {}
    named: set[str] = set()
    for each in module.nodes("definition"):
        name, body = text_of(each.child_by_field_name("name")), each.child_by_field_name("body")
        if each.type != "function_definition" or body is None:
            continue
        statements = [child for child in body.named_children if not is_said(child)]
        returned = statements[0] if len(statements) == 1 else None
        value = returned.named_children[:1] if returned is not None else []
        if returned is not None and returned.type == "return_statement" and value:
            holds = on_system(value[0], module, systems)
            if holds is not None and name not in named:
                found[name] = holds
        if name in named:
            found.pop(name, None)
        named.add(name)
    return found


def _names(
    node: tree_sitter.Node, module: Module, systems: Mapping[str, tuple[str, ...]]
) -> frozenset[str]:
    """What the system is called by a name or a call; nothing if these are about another thing."""
    values = module.assigned.get(text_of(node), ()) if node.type == "identifier" else ()
    name = module.full_name(values[0] if len(values) == 1 else node)
    return frozenset(systems.get(name, ()))


def _texts(node: tree_sitter.Node) -> Iterator[str]:
    """The texts of a string, of a list, or of arguments."""
    if node.type == "string":
        yield plain_text(node)
    elif node.type in (*_LISTS, "argument_list"):
        for each in node.named_children:
            yield from _texts(each)
