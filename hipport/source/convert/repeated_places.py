"""Leaves out findings in a branch that HIP leaves out, where another branch settles them."""

from __future__ import annotations

import re

from hipport.model import Finding
from hipport.source.convert.verdicts import specific
from hipport.source.flow.cuda_conditions import (
    branches_left_out,
    is_left_out_idly,
    takes_other_macro,
)
from hipport.source.source_file import Unit
from hipport.source.text.branch_texts import other_does_the_same
from hipport.source.text.directives import Directive


def without_repeats(unit: Unit) -> list[Finding]:
    """The findings without those that another branch of the same conditional has, which HIP takes.

    Such as those about a call that newer releases of CUDA want with other arguments. Nor is there
    one about what only NVIDIA's GPUs need, where HIP's branch does the same without, or a hint.
    """
    kept = _without_twins(unit)
    settled = re.compile(unit.rules.branches.left_out.settled)
    asking = [each for each in kept if settled.fullmatch(each.code)]
    left_out = branches_left_out(unit.code, unit.rules) if asking else frozenset()
    chained = _chained(unit) if left_out else {}
    answered: set[int] = set()
    for each in asking if left_out else ():
        at = unit.code.line_of(each.start)
        branches = [one for one in unit.code.branch_at(at) if one in left_out]
        if not unit.code.directive_at(at) and _is_answered(unit, branches, chained):
            answered.add(id(each))
    return [each for each in kept if id(each) not in answered]


def _without_twins(unit: Unit) -> list[Finding]:
    alike: dict[tuple[str, str], list[Finding]] = {}
    # One that a specific finding replaces stands for nothing in the branch that HIP takes.
    for each in specific(unit.findings, unit.rules, unit.wholes):
        if unit.code.directive_at(unit.code.line_of(each.start)):
            continue
        alike.setdefault((each.code, each.symbol), []).append(each)
    several = [group for group in alike.values() if len(group) > 1]
    left_out = branches_left_out(unit.code, unit.rules) if several else frozenset()
    repeated: set[int] = set()
    for group in several if left_out else ():
        around = [set(unit.code.branch_at(unit.code.line_of(each.start))) for each in group]
        taken = {opened for each in around if each.isdisjoint(left_out) for opened, _ in each}
        for finding, branches in zip(group, around, strict=True):
            if any(opened in taken for opened, _ in branches & left_out):
                repeated.add(id(finding))
    return [each for each in unit.findings if id(each) not in repeated]


def _chained(unit: Unit) -> dict[tuple[int, int], Directive]:
    """Branch -> the `#elif` that it follows."""
    chained = (each for each in unit.code.directives if each.keyword == "elif" and each.branch)
    return {each.branch[-1]: each for each in chained}


def _is_answered(
    unit: Unit, left_out: list[tuple[int, int]], chained: dict[tuple[int, int], Directive]
) -> bool:
    """Whether one of the branches that HIP leaves out has another that does the same, or a hint."""
    for opened, number in left_out:
        directive = unit.code.directive_at(opened)
        if directive is None or takes_other_macro(unit, directive):
            continue
        own = chained.get((opened, number)) if number else directive
        if own and is_left_out_idly(unit, own):
            return True
        if other_does_the_same(unit.code, directive, number, unit.rules.branches.left_out.stops):
            return True
    return False
