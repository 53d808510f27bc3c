"""Findings about launches and kernels, each at its line of the source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from hipport.fatbin.processors import rank
from hipport.fatbin.target_id import parse_target
from hipport.model import Finding, Severity
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.trace.block_sizes import choice, choices, lds_limit
from hipport.trace.model import BinaryKernel, Certainty, Definition, Match, Trace
from hipport.trace.thresholds import DEFAULT_OCCUPANCY

_BLOCK, _LDS, _ABSENT, _UNREGISTERED = (f"HP-TRACE-00{number}" for number in range(1, 5))
_UNLAUNCHED, _SPILLS, _OCCUPANCY, _BETTER = (f"HP-TRACE-00{number}" for number in range(5, 9))
_NO_CODE = "HP-TRACE-009"
_GAIN = 1.25
"""How many times as many busy lanes another block must have to be reported."""


class Thresholds(NamedTuple):
    """The lowest severity that is reported."""

    occupancy: int = DEFAULT_OCCUPANCY


class _Fault(NamedTuple):
    """What is wrong with a launch on one target. `words` fill in the message."""

    target: str
    words: tuple[tuple[str, str], ...]


class _Wanted(NamedTuple):
    """The thresholds for a launch."""

    targets: tuple[str, ...]
    thresholds: Thresholds


def findings(
    trace: Trace, rules: Mapping[str, FindingRule], thresholds: Thresholds
) -> list[Finding]:
    """All findings, by file and line."""
    found: list[Finding] = []
    for match in trace.matches:
        if match.kernels and not match.launch.is_query:
            found += _of_launch(trace, match, rules, thresholds)
    found += _of_definitions(trace, rules)
    return sorted(found, key=lambda each: (each.path, each.start, each.code))


def _of_launch(
    trace: Trace, match: Match, rules: Mapping[str, FindingRule], thresholds: Thresholds
) -> Iterator[Finding]:
    wanted = _Wanted(trace.targets, thresholds)
    kernels = [trace.of_launch(match, kernel) for kernel in match.kernels]
    for code, check in _CHECKS.items():
        # A launch that may be of several kernels is at fault only if all of them are.
        per_kernel = [list(check(each, match, wanted)) for each in kernels]
        if all(per_kernel):
            yield from _reported(trace, match, rules[code], per_kernel[0])


def _reported(
    trace: Trace, match: Match, rule: FindingRule, faults: list[_Fault]
) -> Iterator[Finding]:
    """A finding for the targets with the same words."""
    by_words: dict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
    for fault in faults:
        if fault.target not in by_words[fault.words]:
            by_words[fault.words].append(fault.target)
    launch = match.launch
    is_certain = match.certainty is Certainty.CERTAIN
    doubt = "" if is_certain else f"; the match is likely, not certain: {match.reason}"
    for words, targets in by_words.items():
        yield rule.finding(
            launch.path,
            shown(trace, match.kernels[0]),
            launch.start,
            launch.end,
            {**dict(words), "targets": ", ".join(targets), "doubt": doubt},
            severity=None if is_certain else min(rule.severity, Severity.REVIEW),
        )


def shown(trace: Trace, kernel: str) -> str:
    """A kernel's name without its result and parameters."""
    text = trace.readable.get(kernel, kernel).removeprefix("void ")
    depth = 0
    for at in range(len(text) - 1, 0, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return text[:at] if text.endswith(")") else text
    return text


def _too_large(kernels: list[BinaryKernel], match: Match, _: _Wanted) -> Iterator[_Fault]:
    threads = match.launch.block.product
    for each in kernels:
        limit = each.resources["group"]
        if threads is not None and limit and threads > limit:
            yield _Fault(each.target, (("threads", str(threads)), ("limit", str(limit))))


def _too_much_lds(kernels: list[BinaryKernel], match: Match, _: _Wanted) -> Iterator[_Fault]:
    dynamic = match.launch.lds.product
    for each in kernels:
        static, limit = each.resources["lds"], lds_limit(each.target)
        if static is None or limit is None or dynamic is None or static + dynamic <= limit:
            continue
        numbers = {"static": static, "dynamic": dynamic, "bytes": static + dynamic, "limit": limit}
        yield _Fault(each.target, tuple((word, f"{value:,}") for word, value in numbers.items()))


def _absent(kernels: list[BinaryKernel], _: Match, wanted: _Wanted) -> Iterator[_Fault]:
    codes = tuple(dict.fromkeys(each.target for each in kernels))
    for target in wanted.targets:
        if target not in codes and not _is_served(target, codes):
            yield _Fault(target, (("present", ", ".join(codes)),))


@lru_cache(maxsize=256)
def _is_served(target: str, codes: tuple[str, ...]) -> bool:
    """Whether code for one of the targets would be loaded on a device."""
    return any(rank(parse_target(code), parse_target(target)) is not None for code in codes)


def _unregistered(kernels: list[BinaryKernel], _: Match, __: _Wanted) -> Iterator[_Fault]:
    ours = [each for each in kernels if not each.is_nvidia]
    if all(each.registered is False for each in ours):
        yield from (_Fault(each.target, ()) for each in ours)


def _spilling(kernels: list[BinaryKernel], match: Match, _: _Wanted) -> Iterator[_Fault]:
    for each in kernels:
        spilled = each.resources["vspill"]
        if match.launch.in_loop and spilled:
            yield _Fault(each.target, (("spilled", str(spilled)),))


def _crowded(kernels: list[BinaryKernel], match: Match, wanted: _Wanted) -> Iterator[_Fault]:
    threads, dynamic = match.launch.block.product, match.launch.lds.product
    for each in kernels:
        found = None if threads is None else choice(each, threads, dynamic or 0)
        if found is None:
            continue
        waves, most = found.occupancy.waves, found.occupancy.most
        if waves * 100 >= wanted.thresholds.occupancy * most:
            continue
        words = {
            "threads": str(threads),
            "waves": str(waves),
            "most": str(most),
            "limited": found.limit,
        }
        yield _Fault(each.target, tuple(words.items()))


def _better(kernels: list[BinaryKernel], match: Match, _: _Wanted) -> Iterator[_Fault]:
    """Other blocks that keep more lanes busy; not where the LDS depends on the block."""
    threads = match.launch.block.product
    if threads is None or match.launch.lds.product != 0:
        return
    for each in kernels:
        now = choice(each, threads)
        if now is None:
            continue
        every = choices(each)
        best = max((other.share for other in every), default=0.0)
        if best >= _GAIN * now.share:
            sizes = ", ".join(str(other.size) for other in every if other.share == best)
            words = {"threads": str(threads), "sizes": sizes, "now": _percent(now.share)}
            yield _Fault(each.target, (*words.items(), ("then", _percent(best))))


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


_CHECKS: dict[str, Callable[[list[BinaryKernel], Match, _Wanted], Iterator[_Fault]]] = {
    _BLOCK: _too_large,
    _LDS: _too_much_lds,
    _ABSENT: _absent,
    _UNREGISTERED: _unregistered,
    _SPILLS: _spilling,
    _OCCUPANCY: _crowded,
    _BETTER: _better,
}


def _of_definitions(trace: Trace, rules: Mapping[str, FindingRule]) -> Iterator[Finding]:
    """Kernels that nothing launches, and those without code."""
    launched = {kernel for match in trace.matches for kernel in match.kernels}
    launching = {match.launch.name.last for match in trace.matches if match.launch.name}
    by_definition = trace.by_definition()
    with_code = {(each.name.last, each.name.scope) for each in trace.origins.values()}
    for each in trace.definitions:
        if not each.has_body:
            continue
        name = each.name.last
        is_used = name in launching or name in trace.mentioned
        kernels = by_definition.get(id(each), [])
        if kernels and not is_used and launched.isdisjoint(kernels):
            yield _at(each, rules[_UNLAUNCHED], {"number": str(len(kernels))})
        elif (name, each.name.scope) not in with_code:
            use = "it is launched or mentioned" if is_used else "nothing launches it either"
            severity = None if name in launching else Severity.INFO
            yield _at(each, rules[_NO_CODE], {"use": use}, severity)


def _at(
    definition: Definition,
    rule: FindingRule,
    words: Mapping[str, str],
    severity: Severity | None = None,
) -> Finding:
    place = definition.start
    return rule.finding(definition.path, definition.shown, place, place, words, severity=severity)
