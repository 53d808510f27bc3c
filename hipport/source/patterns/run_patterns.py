"""Finds what rules/checks describes, and makes or suggests the edits of rules/rewrites.

A rule with `names` has each use of them reported, one with `patterns` each match in code. A rule
with `check` names a file in this package whose `find(unit, rule)` judges instead. A rewrite is
made by `fix(unit, rule)` of the file of its name, or by the patterns of its edits.

An audit leaves out what is in a conditional that distinguishes AMD from NVIDIA: it is ported.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import cast

from hipport.errors import RuleError
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.model import parse_version
from hipport.rulebook.pattern_modules import pattern_modules
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.source.flow.device_code import counts, device_bodies
from hipport.source.flow.sought_names import is_sought
from hipport.source.names.qualified_names import is_namespace, qualified
from hipport.source.names.uses import Use, has_needed, includes_known
from hipport.source.patterns.excused_files import is_excused
from hipport.source.patterns.pattern_matches import (
    is_conditional,
    is_shown,
    is_told,
    pattern_matches,
)
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit


def find_patterns(unit: Unit) -> None:
    """Report every finding whose names or texts the file has."""
    _find_all(unit, _triggered(unit))


def find_named(unit: Unit, rules: Iterable[FindingRule]) -> None:
    """Report those of some findings whose names the file has."""
    _find_all(unit, (rule for rule in rules if not rule.names.isdisjoint(unit.uses)))


def _find_all(unit: Unit, rules: Iterable[FindingRule]) -> None:
    for rule in rules:
        if unit.is_copy:
            return
        if not has_needed(unit.code, rule, unit.rules):
            continue
        if rule.where == "device" and not device_bodies(unit):
            continue
        if rule.rocm_until and unit.options.rocm >= parse_version(rule.rocm_until):
            continue
        reported = len(unit.findings)
        if rule.check:
            _find(unit, rule)
        else:
            _report_uses(unit, rule)
            _report_patterns(unit, rule)
        # Asked last: it takes a search of the whole text, and most rules find nothing.
        is_in_doubt = (rule.unless or rule.only_if) and len(unit.findings) > reported
        if is_in_doubt and is_excused(rule, unit.code.uncommented):
            del unit.findings[reported:]


def fix_patterns(unit: Unit, *, only_warps: bool = False) -> None:
    """Make or suggest every rewrite that the file has a text for; or those that keep warps."""
    for rule in unit.rules.rewrites:
        is_wanted = rule.keeps_warps if only_warps else not unit.hints.isdisjoint(rule.when)
        if is_wanted and unit.code.has(rule.when):
            if any(edit.pattern for edit in rule.edits.values()):
                _fix_by_pattern(unit, rule)
            else:
                _fixer(rule.name)(unit, rule)


def _triggered(unit: Unit) -> list[FindingRule]:
    """The findings of which the file has a name or a text."""
    rules = unit.rules
    has_words = not unit.hints.isdisjoint(rules.findings.index.words)
    return rules.findings.triggered_by(unit.uses, unit.hints, is_cuda=has_words and _is_cuda(unit))


def _find(unit: Unit, rule: FindingRule) -> None:
    """Run the pattern that a rule names; its keys are what the rule's author gave."""
    try:
        _finder(rule.check)(unit, rule)
    except (LookupError, TypeError, ValueError, re.error) as error:
        if rule.id not in unit.rules.own_codes:
            raise
        raise RuleError(
            f"{rule.id}: the check {rule.check} cannot use its keys: {error!r}",
            remedy="take its keys from the rulebook's finding with it",
        ) from error


@cache
def _finder(name: str) -> Callable[[Unit, FindingRule], None]:
    module = importlib.import_module(pattern_modules()[name])
    return cast(Callable[[Unit, FindingRule], None], module.find)


@cache
def _fixer(name: str) -> Callable[[Unit, RewriteRule], None]:
    module = importlib.import_module(pattern_modules()[name])
    return cast(Callable[[Unit, RewriteRule], None], module.fix)


def _fix_by_pattern(unit: Unit, rule: RewriteRule) -> None:
    """Replace what each pattern names `symbol`, in code for the compilers that it is about."""
    if not rule.on_hosts and unit.language != "cuda" and not device_bodies(unit):
        return
    for name, edit in rule.edits.items():
        for match in unit.code.finditer(edit.pattern, re.NOFLAG):
            span = Span(*match.span("symbol"))
            rewrite(unit, name, [(span, edit.replacement)], [span])


def _is_cuda(unit: Unit) -> bool:
    """Whether the file is CUDA's by its name, has device functions, or uses a CUDA name.

    For an audit, one of CUDA's headers says so, too.
    """
    return (
        unit.language == "cuda"
        or unit.code.has(unit.rules.device_code.function_keywords)
        or any(name in unit.rules.names for name in unit.uses)
        or (unit.rules.is_audit and includes_known(unit.code, unit.decisions))
    )


def _report_patterns(unit: Unit, rule: FindingRule) -> None:
    lines: set[int] = set()
    places: set[int] = set()
    for span in pattern_matches(unit, rule):
        if span.start in places:
            continue  # Another pattern of the rule has it, too.
        if not counts(unit, rule, span.start) or is_shown(unit, rule, span.start):
            continue
        if is_told(unit, rule, span) or (rule.unconditional and is_conditional(unit, span.start)):
            continue
        line = unit.code.position(span.start).line
        if not (rule.once_per_line and line in lines):
            lines.add(line)
            places.add(span.start)
            unit.report(rule.id, span, unit.code.slice(span).strip())
            if rule.once_per_file:
                return


def _report_uses(unit: Unit, rule: FindingRule) -> None:
    reported: set[tuple[int, str]] = set()
    for use in unit.of(rule.names):
        if (use.qualifier or "") not in (rule.qualifiers or ("",)) or use.is_pasted:
            continue
        if not _is_where(unit, use, rule.where) or not counts(unit, rule, use.span.start):
            continue
        if is_told(unit, rule, use.span) or is_shown(unit, rule, use.span.start):
            continue
        if is_sought(unit.code, use.name, use.span.start):
            continue
        span = qualified(unit.code.code, use.span) if rule.where == "namespace" else use.span
        symbol = rule.symbol or unit.code.slice(span)
        line = unit.code.position(span.start).line
        once = (line, "" if rule.where == "namespace" else symbol)
        if rule.once_per_line and once in reported:
            continue
        reported.add(once)
        unit.report(rule.id, span, symbol)
        if rule.once_per_file:
            return


def _is_where(unit: Unit, use: Use, where: str) -> bool:
    if where == "condition":
        directive = unit.code.directive_at(use.span.start)
        return directive is not None and directive.is_condition
    if where == "namespace":
        return is_namespace(unit.code.code, use.span)
    return True
