"""References to textures and surfaces: what is declared with one of CUDA's templates."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip

_DECLARATIONS = frozenset(("declaration", "field_declaration", "type_definition"))


class Keys(RuleKeys, frozen=True):
    template: str
    argument: str = ""
    """The template's first argument, where only this one makes it CUDA's."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each declaration with the template, and each use of a name, each once per line."""
    keys = rule.read(Keys)
    text, template = unit.code.code, keys.template
    spans = [use.span for use in unit.of(rule.names)]
    for at in occurrences(text, template):
        end = at + len(template)
        opened = skip(text, end)
        argument = skip(text, opened + 1) if keys.argument else opened + 1
        is_its = text.startswith("<", opened) and text.startswith(keys.argument, argument)
        if is_its and _is_declared(unit, Span(at, end)):
            spans.append(Span(at, argument + len(keys.argument)))
    reported: set[tuple[int, str]] = set()
    for span in sorted(spans):
        symbol = unit.code.slice(span)
        once = (unit.code.position(span.start).line, symbol)
        if once not in reported and counts(unit, rule, span.start):
            reported.add(once)
            unit.report(rule.id, span, symbol)


def _is_declared(unit: Unit, name: Span) -> bool:
    """Whether something is declared with a template, as a parameter is not."""
    node = unit.declarations.node_at(name)
    whole = node.parent if node else None
    return bool(whole and whole.parent and whole.parent.type in _DECLARATIONS)
