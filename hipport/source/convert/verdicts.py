"""Verdicts on a file's findings: one per place, for the ROCm release and GPUs that are targeted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from hipport.model import Finding, Position, Severity
from hipport.rulebook.device_features import common, features, targets_of_file
from hipport.rulebook.finding_rules import FindingRule, Verdict
from hipport.rulebook.model import is_release_in
from hipport.rulebook.rules import RuleSet
from hipport.source.options import Options

_LEFT_OUT = "none"


def judged(
    found: Iterable[Finding], rules: RuleSet, options: Options, data: bytes
) -> list[Finding]:
    """A file's findings with the verdicts that `--rocm` and `--targets` allow, in their order.

    Without `--targets` those count that the file says it is for.
    """
    found = list(found)
    if found and not options.targets:
        options = options._replace(targets=targets_of_file(rules, found[0].path, data))
    verdicts = (_judge_one(each, rules.finding(each.code), rules, options) for each in found)
    return [each for each in verdicts if each]


def specific(
    found: list[Finding], rules: RuleSet, wholes: Mapping[Position, Position]
) -> list[Finding]:
    """The findings, of those at one place only the ones whose rules have the highest rank.

    `wholes` says of which statements some findings' places are parts: a statement is one place.
    """
    ranks = [rules.finding(each.code).rank for each in found]
    if not any(ranks):
        return found
    ranked = list(zip(found, ranks, strict=True))
    by_line: dict[int, list[tuple[Finding, int]]] = defaultdict(list)
    highest: dict[Position, int] = {}
    for each, rank in ranked:
        by_line[each.start.line].append((each, rank))
        whole = wholes.get(each.start, each.start)
        highest[whole] = max(rank, highest.get(whole, rank))
    return [
        each
        for each, rank in ranked
        if highest[wholes.get(each.start, each.start)] == rank
        and not any(
            rank < other_rank and _is_same_place(each, other)
            for other, other_rank in by_line[each.start.line]
        )
    ]


def _is_same_place(one: Finding, other: Finding) -> bool:
    overlap = one.start < other.end and other.start < one.end
    return overlap or one.symbol == other.symbol


def _judge_one(
    finding: Finding, rule: FindingRule, rules: RuleSet, options: Options
) -> Finding | None:
    """The finding as the first verdict of its rule that holds words it; None if left out."""
    if rule.kept and finding.severity == Severity.INFO:
        return finding  # Conversion fixes it, whatever the targets are.
    for verdict in rule.verdict:
        if not _holds(verdict, rules, options):
            continue
        if verdict.severity == _LEFT_OUT:
            return None
        because = verdict.because
        return replace(
            finding,
            severity=Severity.parse(verdict.severity),
            message=f"{finding.message} ({because})" if because else finding.message,
            suggestion=verdict.suggestion or finding.suggestion,
        )
    return finding


def _holds(verdict: Verdict, rules: RuleSet, options: Options) -> bool:
    """Whether all conditions of a verdict are met; those on targets need targets to be given."""
    if not is_release_in(options.rocm, verdict.rocm_from, verdict.rocm_before):
        return False
    if verdict.depends_on_targets and not options.targets:
        return False
    each_has = [features(rules, target) for target in options.targets]
    some, every = frozenset().union(*each_has), common(each_has)
    return (
        every.issuperset(verdict.all or ())
        and (verdict.any is None or not some.isdisjoint(verdict.any))
        and some.isdisjoint(verdict.none or ())
    )
