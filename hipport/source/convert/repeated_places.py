"""Leaves out findings in a branch that HIP leaves out, where the other branch has the same."""

from __future__ import annotations

from hipport.model import Finding
from hipport.source.convert.verdicts import specific
from hipport.source.patterns.preprocessor.device_guard import branches_left_out
from hipport.source.source_file import Unit


def without_repeats(unit: Unit) -> list[Finding]:
    """The findings without those that another branch of the same conditional has, which HIP takes.

    Such as those about a call that newer releases of CUDA want with other arguments.
    """
    alike: dict[tuple[str, str], list[Finding]] = {}
    # One that a specific finding replaces stands for nothing in the branch that HIP takes.
    for each in specific(unit.findings, unit.rules, unit.wholes):
        if unit.code.directive_at(unit.code.line_start(each.start.line)):
            continue
        alike.setdefault((each.code, each.symbol), []).append(each)
    several = [group for group in alike.values() if len(group) > 1]
    left_out = branches_left_out(unit.code, unit.rules) if several else frozenset()
    repeated: set[int] = set()
    for group in several if left_out else ():
        around = [set(unit.code.branch_at(unit.code.line_start(each.start.line))) for each in group]
        taken = {opened for each in around if each.isdisjoint(left_out) for opened, _ in each}
        for finding, branches in zip(group, around, strict=True):
            if any(opened in taken for opened, _ in branches & left_out):
                repeated.add(id(finding))
    return [each for each in unit.findings if id(each) not in repeated]
