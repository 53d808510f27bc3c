"""Runs the findings that rules/checks describes.

A rule with `names` has each use of them reported, one with `patterns` each match in code. A rule
with `check` names the file in this package whose `check(unit, rule)` judges instead.

An audit leaves out what stands in a conditional that tells AMD from NVIDIA: that was ported. A rule
about ports says `in_ports = true`; one with `once_per_file = true` reports the first place only; no
file in which `unless` is found is looked at. `with_words` are hints that do not by themselves make
a file worth a look: only in files that mention CUDA otherwise do they count.
"""

from __future__ import annotations

import importlib
import re

from hipport.errors import RuleError
from hipport.model import Span
from hipport.rulebook.pattern_modules import pattern_modules
from hipport.rulebook.rules import FindingRule, parse_version
from hipport.source.flow.device_code import device_bodies, in_device_code, is_left_out, is_ported
from hipport.source.source_file import Unit, Use
from hipport.source.text.brackets import NO_QUALIFIERS, skip, skip_back, word_before
from hipport.source.text.required_texts import is_found


def run_checks(unit: Unit) -> None:
    """Run every check whose names the file uses."""
    is_cuda = _is_cuda(unit)
    for rule in unit.rules.triggered:
        if unit.is_copy:
            return
        hints = (*rule.hints, *(rule.data.get("with_words", ()) if is_cuda else ()))
        if unit.uses.keys().isdisjoint(rule.names) and unit.hints.isdisjoint(hints):
            continue
        needed = unit.rules.only_with.get(rule.id)
        if needed and not unit.code.has(needed):
            continue
        if rule.where == "device" and not device_bodies(unit):
            continue
        if rule.rocm_until and unit.options.rocm >= parse_version(rule.rocm_until):
            continue
        if "unless" in rule.data and is_found(rule.data["unless"], unit.code.uncommented):
            continue
        if rule.check:
            _run(unit, rule)
        else:
            _report_uses(unit, rule)
            _report_patterns(unit, rule)


def _run(unit: Unit, rule: FindingRule) -> None:
    """Run the check in code that a rule names; its keys are what the rule's author gave."""
    try:
        importlib.import_module(pattern_modules()[rule.check]).check(unit, rule)
    except (LookupError, TypeError, ValueError, AttributeError, re.error) as error:
        if rule.id not in unit.rules.own_codes:
            raise
        raise RuleError(
            f"{rule.id}: the check {rule.check} cannot use its keys: {error!r}",
            remedy="take its keys from the rulebook's finding with it",
        ) from error


def _is_cuda(unit: Unit) -> bool:
    """Whether the file is CUDA's by its name, has device functions, or uses a CUDA name."""
    keywords = unit.rules.vocabulary["device_function_keywords"]
    return (
        unit.language == "cuda"
        or unit.code.has(keywords)
        or any(name in unit.rules.names for name in unit.uses)
    )


def counts(unit: Unit, rule: FindingRule, offset: int) -> bool:
    """Whether a place is one that the rule is about: `where`, and not ported already."""
    if rule.where == "device" and not in_device_code(unit, offset):
        return False
    if not unit.rules.is_audit and is_left_out(unit, offset):
        return False
    is_audited = unit.rules.is_audit and not rule.claims and not rule.data.get("in_ports")
    return not (is_audited and is_ported(unit, offset))


def _report_patterns(unit: Unit, rule: FindingRule) -> None:
    lines: set[int] = set()
    for pattern in rule.patterns:
        if not unit.code.may_match(pattern):
            continue
        for match in re.finditer(pattern, unit.code.code, re.MULTILINE):
            start, end = match.span("symbol") if "symbol" in match.groupdict() else match.span()
            if not counts(unit, rule, start):
                continue
            line = unit.code.position(start).line
            if not (rule.once_per_line and line in lines):
                lines.add(line)
                unit.report(rule.id, Span(start, end), unit.code.text[start:end].strip())
                if rule.data.get("once_per_file"):
                    return


def _report_uses(unit: Unit, rule: FindingRule) -> None:
    reported: set[tuple[int, str]] = set()
    for use in unit.of(rule.names):
        if (use.qualifier or "") not in (rule.qualifiers or ("",)) or use.is_pasted:
            continue
        if not _stands_where(unit, use, rule.where) or not counts(unit, rule, use.span.start):
            continue
        span = qualified(unit.code.code, use.span) if rule.where == "namespace" else use.span
        symbol = rule.symbol or unit.code.slice(span)
        line = unit.code.position(span.start).line
        once = (line, "" if rule.where == "namespace" else symbol)
        if rule.once_per_line and once in reported:
            continue
        reported.add(once)
        unit.report(rule.id, span, symbol)
        if rule.data.get("once_per_file"):
            return


def qualified(text: str, span: Span) -> Span:
    """The whole of a name such as `cuda::std::atomic`, given one component of it."""
    start, end = span
    while (before := skip_back(text, start)) and text[before - 2 : before] == "::":
        word = word_before(text, before - 2)
        if word.start == word.end or text[word.start : word.end] in NO_QUALIFIERS:
            break
        start = word.start
    while match := re.compile(r"\s*::\s*[A-Za-z_]\w*").match(text, end):
        end = match.end()
    return Span(start, end)


def _stands_where(unit: Unit, use: Use, where: str) -> bool:
    if where == "condition":
        directive = unit.code.directive_at(use.span.start)
        return directive is not None and directive.keyword in ("if", "ifdef", "ifndef", "elif")
    if where == "namespace":
        return is_namespace(unit, use.span)
    return True


def is_namespace(unit: Unit, span: Span) -> bool:
    """Whether the name qualifies another, or is a using directive's or namespace alias's."""
    text = unit.code.code
    after = skip(text, span.end)
    if text.startswith("::", after):
        return True
    start = max(text.rfind(mark, 0, span.start) for mark in ";{}\n")
    words = text[start + 1 : span.start].split()
    return (
        text.startswith(";", after)
        and "namespace" in words
        and (words[0] == "using" or "=" in words)
    )
