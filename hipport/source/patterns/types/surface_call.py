"""Calls of surface functions with a boundary mode, and those that return what they read."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.model import parse_version
from hipport.rulebook.typed import RuleKeys
from hipport.source.languages.cuda_syntax import Call, parse_call
from hipport.source.names.uses import Use
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip, skip_back


class Keys(RuleKeys, frozen=True):
    arguments: dict[str, int]
    since: str
    modes: dict[str, str]


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such call; a conversion leaves out the mode that HIP has anyway."""
    keys = rule.read(Keys)
    counts: dict[str, int] = keys.arguments
    for use in unit.of(rule.names):
        call = parse_call(unit.code, use.span)
        if use.qualifier or call is None:
            continue
        if _returns(unit, use):
            unit.report(rule.id, use.span, use.name, {"reason": "HIP's form does not return it"})
        elif unit.options.rocm < parse_version(keys.since):
            continue
        elif len(call.arguments) == counts.get(use.name, 0) + 1 > 1:
            if not unit.rules.is_audit:
                _drop_mode(unit, rule, use, call)
            reason = f"it takes no boundary mode from ROCm {keys.since} on"
            unit.report(rule.id, use.span, use.name, {"reason": reason})


def _returns(unit: Unit, use: Use) -> bool:
    """Whether this is `x = surf2Dread<float>(surface, x, y)`."""
    text = unit.code.code
    if not text.startswith("<", skip(text, use.span.end)):
        return False
    before = skip_back(text, use.span.start)
    return text[before - 1 : before] not in ("", ";", "{", "}", ")")


def _drop_mode(unit: Unit, rule: FindingRule, use: Use, call: Call) -> None:
    keys = rule.read(Keys)
    last = call.arguments[-1]
    cut = Span(call.arguments[-2].end, last.end)
    name = keys.modes.get(unit.code.slice(last), "surface-mode")
    rewrite(unit, name, [(cut, "")], [use.span])
