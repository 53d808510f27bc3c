"""What a condition that asks for CUDA decides under HIP, and whether anything is lost by it."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import field

from hipport.lazy_regex import regex
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.names.hip_branches import false_branches
from hipport.source.source_file import Unit
from hipport.source.text.branch_texts import branch_end, two_branches
from hipport.source.text.conditions import as_expression, decided
from hipport.source.text.directives import Directive
from hipport.source.text.source_text import Code

_CHECK = "device_guard"
_LONGEST_BRANCH = 4_000
_DEFINES = regex(r"\s*#\s*define\s+\w+(?:[ \t]+\w+)?\s*")
_STOPS = regex(r"\s*#[ \t]*error\b(?:[^\n\\]|\\\r?\n|\\)*\s*")
_NAMES = regex(r"\w+")


class Keys(RuleKeys, frozen=True):
    rename: dict[str, str] = field(default_factory=dict)
    existence: dict[str, str] = field(default_factory=dict)
    existence_in_hip_libraries: dict[str, str] = field(default_factory=dict)
    newest: int = 0
    """A value above any: a condition that gives the same for it and for HIP loses nothing."""
    latest: int = 0
    """The same for a version: such a condition is no finding if it holds, or only guards errors."""
    workaround: int = 0
    """A version above any of a compiler's: what it leaves out as HIP does is for older ones."""
    plain: Regex = Regex("")
    """A call that does what its group `plain` does without it, or `*pointer`."""
    spelling: Regex = Regex("")
    """What two branches may have differently in the same calls."""
    idle: Regex = Regex("")
    """Statements that change nothing in a program, so that a branch of them is no loss."""
    older: Regex = Regex("")
    """Functions, by a group `older`, that HIP has with the arguments of older versions."""
    assembly: Regex = Regex("")
    untaken: Regex = Regex("")
    """Instructions that no AMD GPU has in any form, by their group `family`."""
    backport: Regex = Regex("")
    """A function that HIP has as NVIDIA's newest GPUs do: older ones take it from an `#else`."""


def _is_never_asked(unit: Unit, directive: Directive) -> bool:
    """Whether it is an `#elif` after a condition that holds for HIP."""
    if directive.keyword != "elif" or not directive.branch:
        return False
    first = unit.code.directive_at(directive.branch[-1][0])
    return first is not None and verdict_under_hip(unit, first) is True


def condition_of(unit: Unit, directive: Directive) -> str:
    return unit.code.code[directive.body.start : directive.body.end]


def asks_only_existence(unit: Unit, directive: Directive, name: str) -> bool:
    """Whether the whole condition asks of a macro whether it is defined, and no more of it."""
    condition = as_expression(directive.keyword, condition_of(unit, directive))
    shape = rf"\bdefined\s*(?:\(\s*{name}\s*\)|{name}\b)"
    rest, asked = re.subn(shape, "", condition)
    return asked > 0 and not re.search(rf"\b{name}\b", rest)


def verdict_under_hip(unit: Unit, directive: Directive, left: str = "") -> bool | None:
    """Whether a condition holds where CUDA's macros are not defined; None if that is not known.

    `left` is a macro that would have another name, but was left in this condition.
    """
    condition = as_expression(directive.keyword, condition_of(unit, directive))
    return _decided(condition, unit.rules, left)


def _is_of_the_past(unit: Unit, rule: FindingRule, directive: Directive) -> bool:
    """Whether HIP takes the branch of the latest version, and loses at most an `#error`.

    A test of the architecture beside that of the version says the rest.
    """
    branch, _ = two_branches(unit.code, directive, _LONGEST_BRANCH)
    tests_device = unit.rules.device_code.architecture_macro in condition_of(unit, directive)
    is_kept = verdict_under_hip(unit, directive) or tests_device or _STOPS.fullmatch(branch)
    return bool(is_kept) and _is_as_for(unit, rule, directive, rule.read(Keys).latest)


def is_for_older_compilers(unit: Unit, rule: FindingRule, directive: Directive) -> bool:
    """Whether a branch works around what older releases of nvcc lack: HIP's compilers are others.

    Not where the condition has a name that becomes HIP's, which changes what it decides.
    """
    keys = rule.read(Keys)
    names = {*_NAMES.findall(condition_of(unit, directive))}
    if not keys.workaround or not names.isdisjoint(keys.rename):
        return False
    is_left_out = verdict_under_hip(unit, directive) is False
    return is_left_out and _is_as_for(unit, rule, directive, keys.workaround)


def is_as_for_newest(unit: Unit, rule: FindingRule, directive: Directive) -> bool:
    """Whether HIP takes the branch that NVIDIA's newest GPUs take."""
    return _is_as_for(unit, rule, directive, rule.read(Keys).newest)


def _is_as_for(unit: Unit, rule: FindingRule, directive: Directive, newest: int) -> bool:
    """Whether HIP takes the branch that the newest GPUs and the latest versions choose."""
    if not newest:
        return False
    condition = as_expression(directive.keyword, condition_of(unit, directive))
    lacking, values = _known_macros(unit.rules)
    known = _newest_macros(unit.rules) | dict.fromkeys(rule.names, newest)
    chosen = decided(condition, lacking - known.keys(), values | known)
    return chosen is not None and chosen is verdict_under_hip(unit, directive)


@lru_cache(maxsize=2)
def _newest_macros(rules: RuleSet) -> dict[str, int]:
    """The macros of architectures and versions, with values above any."""
    guards = _guards(rules)
    newest = ((rule, rule.read(Keys).newest or rule.read(Keys).latest) for rule in guards)
    return {name: value for rule, value in newest if value for name in rule.names}


def loses_nothing(unit: Unit, rule: FindingRule, directive: Directive) -> bool:
    """Whether a condition gives HIP all that is worth having."""
    return (
        _is_never_asked(unit, directive)
        or _leaves_out_nothing(unit, rule, directive)
        or _is_the_same(unit, rule, directive)
        or _is_backport(unit, rule, directive)
        or _is_of_the_past(unit, rule, directive)
    )


def takes_other_macro(unit: Unit, directive: Directive) -> bool:
    """Whether a condition only asks for the device pass, and gets HIP's macro for that."""
    return any(
        asks_only_existence(unit, directive, name)
        for rule in _guards(unit.rules)
        for name in rule.read(Keys).existence
    )


def is_left_out_idly(unit: Unit, directive: Directive) -> bool:
    """Whether a test of the architecture leaves out hints to NVIDIA's GPUs, and nothing else."""
    return any(
        _leaves_out_nothing(unit, rule, directive)
        for rule in _guards(unit.rules)
        if not set(rule.names).isdisjoint(_NAMES.findall(condition_of(unit, directive)))
    )


def _leaves_out_nothing(unit: Unit, rule: FindingRule, directive: Directive) -> bool:
    """Whether a condition leaves out a branch that is blank, but for comments, or idle."""
    if verdict_under_hip(unit, directive) is not False:
        return False
    branch, other = two_branches(unit.code, directive, _LONGEST_BRANCH)
    idle = rule.read(Keys).idle
    is_idle = idle and not other.strip() and re.fullmatch(rf"(?:\s*(?:{idle}))*\s*", branch)
    return branch.isspace() or bool(branch and is_idle)


def _is_the_same(unit: Unit, rule: FindingRule, directive: Directive) -> bool:
    """Whether a condition has an `#else` that does the same without calls for NVIDIA's GPUs."""
    keys = rule.read(Keys)
    branch, other = two_branches(unit.code, directive, _LONGEST_BRANCH)
    if not keys.plain or not branch.strip() or not other.strip() or len(branch) == _LONGEST_BRANCH:
        return False
    one, two = (_in_plain_words(keys, each) for each in (branch, other))
    return one == two


def _in_plain_words(keys: Keys, branch: str) -> str:
    text = re.sub(keys.plain, lambda match: match["plain"] or f"*{match['pointer']}", branch)
    return "".join(re.sub(keys.spelling, "", text).split())


def _is_backport(unit: Unit, rule: FindingRule, directive: Directive) -> bool:
    """Whether a condition gives HIP nothing where older GPUs get what HIP has."""
    backport = rule.read(Keys).backport
    branch, other = two_branches(unit.code, directive, _LONGEST_BRANCH)
    if not backport or not branch.isspace() or not re.fullmatch(backport, other, re.DOTALL):
        return False
    return is_as_for_newest(unit, rule, directive)


def older_function(unit: Unit, rule: FindingRule, directive: Directive) -> str:
    """What both branches of a condition call, and HIP's as it has it; "" for none."""
    older = rule.read(Keys).older
    branches = two_branches(unit.code, directive, _LONGEST_BRANCH)
    if not older or not all(branches):
        return ""
    called = [[match["older"] for match in re.finditer(older, each)] for each in branches]
    other, taken = called if verdict_under_hip(unit, directive) is False else called[::-1]
    return next((each for each in taken if each in other), "")


def gives_assembly(unit: Unit, rule: FindingRule, directive: Directive) -> bool:
    """Whether HIP gets inline assembly: in its branch, or by a macro that it does not define."""
    assembly = rule.read(Keys).assembly
    branch, other = two_branches(unit.code, directive, _LONGEST_BRANCH)
    taken = branch if verdict_under_hip(unit, directive) else other
    if not taken and _DEFINES.fullmatch(branch):
        return bool(assembly) and unit.code.matches(assembly)
    return bool(assembly) and re.search(assembly, taken) is not None


def shared_instruction(unit: Unit, rule: FindingRule, directive: Directive) -> str:
    """The family of instructions that both branches of a condition have, and no AMD GPU."""
    untaken = rule.read(Keys).untaken
    branches = two_branches(unit.code, directive, _LONGEST_BRANCH)
    if not untaken or not all(branches):
        return ""
    one, two = ([each["family"] for each in re.finditer(untaken, branch)] for branch in branches)
    return one[0] if one and set(one) == set(two) else ""


@lru_cache(maxsize=256)
def _decided(condition: str, rules: RuleSet, left: str) -> bool | None:
    lacking, values = _known_macros(rules)
    return decided(condition, lacking | {left}, values)


@lru_cache(maxsize=2)
def _guards(rules: RuleSet) -> tuple[FindingRule, ...]:
    """The rules that this check is for."""
    return tuple(rules.findings.checked_by(_CHECK))


@lru_cache(maxsize=2)
def _known_macros(rules: RuleSet) -> tuple[set[str], dict[str, int]]:
    """The macros that HIP's compiler does not define, and the values of those that it does."""
    guards = _guards(rules)
    renames = [rule.read(Keys).rename for rule in guards]
    values = {name: 1 for each in renames for name in (*each, *each.values())}
    return {name for rule in guards for name in rule.names} - values.keys(), values


@lru_cache(maxsize=1)
def branches_left_out(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    """The branches that HIP leaves out because CUDA's macros are not defined there."""
    lacking, values = _known_macros(rules)
    if lacking.isdisjoint(code.words):
        return frozenset()
    return false_branches(code, lambda condition: decided(condition, lacking, values))


def loses(unit: Unit, directive: Directive | None) -> bool:
    """Whether a condition leaves something out of HIP, or stops it, once HIP comes to it."""
    if directive is None:
        return False
    return verdict_under_hip(unit, directive) is not True or branch_end(unit.code, directive)[1] > 0
