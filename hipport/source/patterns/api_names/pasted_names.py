"""CUDA names that a macro pastes together: no rename can see them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.graph import reached, turned
from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.source.flow.device_code import counts
from hipport.source.names.counterparts import Decisions
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, word_before
from hipport.source.text.directives import Directive
from hipport.source.warps.pasted_functions import DEFINITION, PASTED, arguments_given, pastings

_PASTING = regex(r"(?<!\w)\w+(?:\s*##\s*\w+)+")
_NAME = regex(r"[A-Za-z_]\w*")
_PASTER = regex(r"(?:\w*_)?(?:CAT|CONCAT|GLUE|JOIN|PASTE)\w*", re.ASCII)


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each pasting whose first part begins like a CUDA name."""
    text = unit.code.code
    done = 0
    while (mark := text.find("##", done)) >= 0:
        done = mark + 2
        match = _PASTING.match(text, word_before(text, mark).start)
        if match is None:
            continue
        done = match.end()
        parts = re.split(r"\s*##\s*", match[0])
        is_cuda = unit.rules.stems.match(parts[0]) or any(map(unit.decisions.of, parts))
        if is_cuda and counts(unit, rule, match.start()) and not _is_own(unit, match, parts):
            unit.report(rule.id, Span(*match.span()), "##".join(parts))
    _find_passed(unit, rule)


def _is_own(unit: Unit, pasting: re.Match[str], parts: list[str]) -> bool:
    """Whether the file defines macros of the names that are built, and CUDA has none of them."""
    text = unit.code.code
    directive = unit.code.directive_at(pasting.start())
    head = DEFINITION.match(text, directive.body.start) if directive else None
    parameters = [each.strip() for each in head[2].split(",")] if head else []
    names = re.compile("".join(r"\w*" if each in parameters else each for each in parts))
    bodies = (each.body for each in unit.code.directives if each.keyword == "define")
    defined = (_NAME.search(text, body.start, body.end) for body in bodies)
    is_defined = any(name and names.fullmatch(name[0]) for name in defined)
    return is_defined and not any(map(names.fullmatch, unit.rules.names))


def _find_passed(unit: Unit, rule: FindingRule) -> None:
    """Report each first part that a macro gets as an argument: `CAT(cuda, x)`."""
    text = unit.code.code
    defined = (text[slice(*each.body)] for each in unit.code.directives if each.keyword == "define")
    bodies = {head[0]: body.strip() for body in defined if (head := _NAME.search(body))}
    stems = {name for name, body in bodies.items() if unit.rules.stems.fullmatch(_value(body))}
    called = {name: set(_NAME.findall(body)) for name, body in bodies.items()}
    pasting = reached(turned(called), [name for name, body in bodies.items() if "##" in body])
    for name in sorted((pasting & bodies.keys()) | set(filter(_PASTER.fullmatch, unit.code.words))):
        for start, arguments in _calls(text, name):
            firsts = arguments[:-1] or arguments
            is_first = any(each in stems or unit.rules.stems.fullmatch(each) for each in firsts)
            if is_first and counts(unit, rule, start):
                call = f"{name}({', '.join(arguments)})"
                unit.report(rule.id, Span(start, start + len(name)), call)


def _value(body: str) -> str:
    """What a macro without parameters stands for."""
    name, _, value = body.partition(" ")
    return "" if "(" in name else value.strip()


def _calls(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Where a macro gets arguments, and which."""
    for start in occurrences(text, name):
        opened = start + len(name)
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed:
            yield start, [each.strip() for each in text[opened + 1 : closed].split(",")]


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Rename the first parts that are certain; a check reports the others."""
    for directive in unit.code.directives:
        if directive.keyword == "define":
            _rewrite_warp_functions(unit, directive)
            if not unit.is_header:
                _rewrite_macro(unit, unit.decisions, directive)


def _rewrite_warp_functions(unit: Unit, directive: Directive) -> None:
    """`__shfl_##kind##_sync`: whatever the argument is, the helper's name begins the same way."""
    for each in pastings(unit, directive):
        edit = Span(each.whole.start, each.end), each.first
        if each.first and rewrite(unit, "warp-function", [edit], [each.whole]):
            unit.helpers.add(unit.rules.warps.header)


def _rewrite_macro(unit: Unit, decisions: Decisions, directive: Directive) -> None:
    body = unit.code.code[directive.body.start : directive.body.end]
    head = DEFINITION.match(body)
    if head is None:
        return
    parameters = [each.strip() for each in head[2].split(",")]
    for match in PASTED.finditer(body, head.end()):
        stem, parameter, end = match["stem"], match["parameter"], match["end"] or ""
        is_cuda = decisions.rules.stems.match(stem) or stem in decisions.rules.names
        if parameter not in parameters or {stem, end}.intersection(parameters) or not is_cuda:
            continue
        arguments = list(arguments_given(unit, head[1], parameters.index(parameter), directive))
        new = _new_stem(decisions, stem, arguments, end)
        if new and new != stem:
            start = directive.body.start + match.start()
            edit = (Span(start, start + len(stem)), new)
            answers = [Span(start, start + len(match[0]))]
            rewrite(unit, "pasted-name", [edit], answers)


def _new_stem(decisions: Decisions, stem: str, arguments: list[str | None], end: str) -> str:
    """What takes the place of the first part for all the arguments; "" if nothing does."""
    stems = set()
    for argument in arguments:
        rest = f"{argument}{end}" if argument else " "
        decision = decisions.of(stem + rest)
        if decision is None or decision.transforms or not decision.new.endswith(rest):
            return ""
        stems.add(decision.new.removesuffix(rest))
    return stems.pop() if len(stems) == 1 else ""
