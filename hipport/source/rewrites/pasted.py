"""Macros that paste API names together: `#define CU(name) cuda##name`.

The first part is renamed in the definition where every name that the file makes with it has a HIP
counterpart with one and the same first part. A header's macro may be used elsewhere: it stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.model import Span
from hipport.source.code import Directive
from hipport.source.decide import Decisions
from hipport.source.rewrites import is_header, rewrite
from hipport.source.tokens import closing_bracket, occurrences
from hipport.source.unit import Unit

_DEFINITION = re.compile(r"\s*(\w+)\(([^()]*)\)")
_PASTED = re.compile(r"(?<![\w#])(\w+)(\s*##\s*)(\w+)\b(?!\s*##)")
_NAME = re.compile(r"[A-Za-z_]\w*")


def rewrite_pasted(unit: Unit, decisions: Decisions) -> None:
    """Rename the first parts that are certain; a check reports the others."""
    if is_header(unit):
        return
    for directive in unit.code.directives:
        if directive.keyword == "define":
            _rewrite_macro(unit, decisions, directive)


def _rewrite_macro(unit: Unit, decisions: Decisions, directive: Directive) -> None:
    body = unit.code.code[directive.body.start : directive.body.end]
    head = _DEFINITION.match(body)
    if head is None:
        return
    parameters = [each.strip() for each in head[2].split(",")]
    for match in _PASTED.finditer(body, head.end()):
        is_cuda = decisions.rules.stems.match(match[1]) or match[1] in decisions.rules.names
        if match[3] not in parameters or match[1] in parameters or not is_cuda:
            continue
        arguments = list(_arguments(unit, head[1], parameters.index(match[3]), directive))
        new = _new_stem(decisions, match[1], arguments)
        if new and new != match[1]:
            start = directive.body.start + match.start()
            edit = (Span(start, start + len(match[1])), new)
            settles = [Span(start, start + len(match[0]))]
            rewrite(unit, "pasted-name", [edit], settles)


def _new_stem(decisions: Decisions, stem: str, arguments: list[str | None]) -> str:
    """What takes the place of the first part for all the arguments; "" if nothing does."""
    stems = set()
    for argument in arguments:
        decision = decisions.of(stem + argument) if argument else None
        if decision is None or decision.transforms or not decision.new.endswith(argument or " "):
            return ""
        stems.add(decision.new.removesuffix(argument or ""))
    return stems.pop() if len(stems) == 1 else ""


def _arguments(unit: Unit, name: str, index: int, own: Directive) -> Iterator[str | None]:
    """What each use of the macro in the file passes there; None for what is no plain name."""
    text = unit.code.code
    for start in occurrences(text, name):
        end = start + len(name)
        directive = unit.code.directive_at(start)
        if directive is own or (directive and directive.keyword in ("undef", "ifdef", "ifndef")):
            continue
        closed = closing_bracket(text, end) if text.startswith("(", end) else None
        pieces = text[end + 1 : closed].split(",") if closed else []
        argument = pieces[index].strip() if index < len(pieces) else ""
        yield argument if directive is None and _NAME.fullmatch(argument) else None
