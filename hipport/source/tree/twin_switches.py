"""Switches of a tree for CUDA, or a library of CUDA's, beside which it has the same one for AMD.

A build for AMD sets the other one: it reads nothing behind CUDA's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from msgspec.structs import replace

from hipport.lazy_regex import regex
from hipport.model import Finding, Severity
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.source.names.hip_branches import false_branches
from hipport.source.text.conditions import decided
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

# What begins with a fixed text is found in a tenth of the time.
_CONDITION = regex(rb"#[ \t]*(?:el)?if[^\n]*")
_CONDITIONS = regex(r"^[ \t]*#[ \t]*(?:el)?if[^\n]*", re.MULTILINE)


def switches_for_amd(data: bytes, rules: RuleSet) -> frozenset[str]:
    """The switches for AMD that a file tests: a question about each file of a tree."""
    conditions = b"\n".join(_CONDITION.findall(data))
    if not any(each.encode() in conditions for each in rules.branches.switches.twins):
        return frozenset()
    lines = "\n".join(_CONDITIONS.findall(data.decode("latin-1")))
    return frozenset(match[0] for match in _for_amd(rules).finditer(lines))


def twin_switches(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[str]]:
    """Tree -> its switches for CUDA with a twin for AMD, but for those that are set there too.

    `trees` has the C and C++ sources of each tree.
    """
    found: dict[str, frozenset[str]] = {}
    for root, sources in trees.items():
        tested = {each for name in sources for each in texts.answer(switches_for_amd, name)}
        twins = {_for_cuda(each, rules) for each in tested}
        for name in sources if twins else ():
            twins.difference_update(_set_for_both(name, twins, texts, rules))
        found[root] = frozenset(twins)
    return found


@lru_cache(maxsize=2)
def _for_amd(rules: RuleSet) -> re.Pattern[str]:
    words = rules.branches.switches
    twin = "|".join(sorted(words.twins, key=len, reverse=True))
    return re.compile(rf"\b(?!(?:{twin})\b)({words.named})({twin})({words.ending})\b")


def _for_cuda(switch: str, rules: RuleSet) -> str:
    twins = rules.branches.switches.twins
    return _for_amd(rules).sub(lambda match: f"{match[1]}{twins[match[2]]}{match[3]}", switch)


def _set_for_both(name: str, twins: set[str], texts: TreeTexts, rules: RuleSet) -> Iterator[str]:
    """The switches behind which a file asks for AMD."""
    if not texts.has(name, ("HIP", "ROC", "AMD")) or not texts.has(name, twins):
        return
    code = texts.code(name)
    around = [
        each.branch[:-1] if each.divides else each.branch
        for each in code.directives
        if each.is_condition
        and (condition := code.code[slice(*each.body)])
        and re.search(rules.device_code.ported_macros, condition)
        and not re.search(rules.device_code.cuda_macros, condition)
    ]
    for switch in twins & code.words if around else ():
        behind = _left_out(code, frozenset((switch,)))
        if not all(behind.isdisjoint(each) for each in around):
            yield switch


@lru_cache(maxsize=8)
def _left_out(code: Code, switches: frozenset[str]) -> frozenset[tuple[int, int]]:
    return false_branches(code, lambda condition: decided(condition, switches, {}))


def without_twins(found: list[Finding], data: bytes, task: Task) -> list[Finding]:
    """The findings without those that no build for AMD has because of such a switch.

    That is what is beside a branch for the twin, and otherwise what a test of the version or
    of the GPU decides: what else is for CUDA alone may wait for its port, and is a look.
    """
    rules = load(is_audit=True)
    if not found or not any(each.encode() in data for each in task.twin_switches):
        return found
    code, switches = Code(data), rules.branches.switches
    left_out = _left_out(code, task.twin_switches)
    if not left_out:
        return found
    chains = _chains_for_amd(code, rules)
    answered = frozenset(each for each in left_out if each[0] in chains)

    def is_in(branches: frozenset[tuple[int, int]], each: Finding) -> bool:
        return code.is_in(branches, code.line_start(each.start.line) + each.start.column - 1)

    def is_read(each: Finding) -> bool:
        is_settled = re.fullmatch(switches.settled, each.code)
        return not is_in(left_out if is_settled else answered, each)

    return [
        _as_look(each, switches.because) if is_in(left_out, each) else each
        for each in found
        if is_read(each)
    ]


def _as_look(found: Finding, because: str) -> Finding:
    if found.severity <= Severity.REVIEW:
        return found
    return replace(found, severity=Severity.REVIEW, message=f"{found.message} ({because})")


def _chains_for_amd(code: Code, rules: RuleSet) -> set[int]:
    """The offsets of the conditionals that test a switch for AMD."""
    return {
        each.branch[-1][0] if each.divides and each.branch else each.span.start
        for each in code.directives
        if each.is_condition and _for_amd(rules).search(code.code[slice(*each.body)])
    }
