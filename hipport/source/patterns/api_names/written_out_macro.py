"""Macros of a library that HIP's lacks, and whose text it has the parts of."""

from __future__ import annotations

from collections.abc import Mapping

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit


class FixKeys(RuleKeys, frozen=True):
    texts: Mapping[str, str]
    """Macro -> its text, with {} for its arguments."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write the text in place of each use; the arguments keep their places and edits."""
    keys = rule.read(FixKeys)
    for use in list(unit.of(frozenset(keys.texts))):
        call = parse_call(unit.code, use.span)
        if call is None or use.qualifier or use.is_member or unit.code.directive_at(use.span.start):
            continue
        before, _, behind = keys.texts[use.name].partition("{}")
        edits = [
            (Span(use.span.start, call.opened + 1), before),
            (Span(call.closed, call.closed + 1), behind),
        ]
        if rewrite(unit, "written-out-macro", edits, [use.span]):
            # It was reported when names were looked at: it was to stay.
            place = unit.code.position(use.span.start)
            unit.findings = [each for each in unit.findings if each.start != place]
