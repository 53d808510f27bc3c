"""Which launches got worse between two builds of the same sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from hipport.model import Finding
from hipport.rulebook.finding_rules import FindingRule
from hipport.trace.block_sizes import choice
from hipport.trace.launch_findings import shown
from hipport.trace.model import BinaryKernel, Match, Trace

DEFAULT_GROWTH = 10
"""Percentage by which registers and bytes may grow before growth is reported."""
_GROWING = ("vgpr", "agpr", "lds", "scratch")
_ALWAYS = ("vspill",)
"""What is reported even if it grows only a little."""


def worsened(old: Trace, new: Trace, rule: FindingRule, growth: int) -> Iterator[Finding]:
    """A finding for each launch and change, with the targets that it is for.

    Both traces have the same sources, and so the same launches."""
    for before, after in zip(old.matches, new.matches, strict=True):
        if after.launch.is_query:
            continue
        for kernel in before.kernels:
            changes: dict[str, list[str]] = defaultdict(list)
            now = {each.target: each for each in new.of_launch(after, kernel)}
            for each in old.of_launch(before, kernel):
                said = _changes(each, now.get(each.target), after, growth)
                if said and each.target not in changes[said]:
                    changes[said].append(each.target)
            for said, targets in changes.items():
                yield rule.finding(
                    after.launch.path,
                    shown(old, kernel),
                    after.launch.start,
                    after.launch.end,
                    {"changes": said, "targets": ", ".join(targets)},
                )


def _changes(old: BinaryKernel, new: BinaryKernel | None, match: Match, growth: int) -> str:
    """What got worse, in words; "" if nothing did."""
    if new is None:
        return "no code any more"
    return ", ".join(f"{word} {one} to {two}" for word, one, two in _worse(old, new, match, growth))


def _worse(
    old: BinaryKernel, new: BinaryKernel, match: Match, growth: int
) -> Iterable[tuple[str, int, int]]:
    threads, dynamic = match.launch.block.product, match.launch.lds.product
    if threads is not None:
        before, after = (choice(each, threads, dynamic or 0) for each in (old, new))
        if before and after and after.occupancy.waves < before.occupancy.waves:
            yield "waves", before.occupancy.waves, after.occupancy.waves
    for column in (*_GROWING, *_ALWAYS):
        one, two = old.resources[column], new.resources[column]
        allowed = 0 if column in _ALWAYS else growth
        if one is not None and two is not None and two * 100 > one * (100 + allowed):
            yield column, one, two
