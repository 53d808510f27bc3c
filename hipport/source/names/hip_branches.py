"""Which branches of conditionals are for AMD: ported code, and what a HIP build leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.text.brackets import occurrences
from hipport.source.text.conditions import as_expression, decided
from hipport.source.text.directives import Directive
from hipport.source.text.include_directives import include_guard
from hipport.source.text.ported_names import ported_names
from hipport.source.text.required_texts import has_any
from hipport.source.text.source_text import Code

_NEWER = 999_999
_OLDEST = 300
_INNERMOST = regex(r"\([^()]*\)")
_OFF = r"^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+0[ \t]*\r?$"
_CONSTANTS = tuple(
    f"{before}{value}" for before in ("if ", "if (", "if(", "if !", "&& ", "|| ") for value in "01"
)
"""What conditions that are decided by a number have: looked for, as few files have any."""


def is_in_port(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether an offset is in a conditional that has one branch for AMD, another for NVIDIA."""
    branch = code.branch_at(offset)
    if not branch:
        return False
    ported = _ported(code, rules)
    return bool(ported) and any(opened in ported for opened, _ in branch)


def is_for_nvcc_beside_hip(
    code: Code, rules: RuleSet, offset: int, defined: frozenset[str]
) -> bool:
    """Whether nvcc's macros alone switch on what is at an offset, in a file with branches for AMD.

    `defined` are macros that the headers it includes define.
    """
    branch = code.branch_at(offset)
    return bool(branch) and not _for_nvcc(code, rules, defined).isdisjoint(branch)


@lru_cache(maxsize=1)
def _for_nvcc(code: Code, rules: RuleSet, defined: frozenset[str]) -> frozenset[tuple[int, int]]:
    macros = (rules.device_code.macros_of_nvcc & code.words) - defined
    if not macros or not _ported(code, rules):
        return frozenset()
    own = {
        code.code[slice(*each.body)].split(maxsplit=1)[0].partition("(")[0]
        for each in code.directives
        if each.keyword == "define" and code.code[slice(*each.body)].strip()
    }
    return false_branches(code, lambda condition: decided(condition, macros - own, {}))


def chooses_port(code: Code, rules: RuleSet, directive: Directive) -> bool:
    """Whether a condition is of a conditional that has one branch for AMD, another for NVIDIA."""
    return _opened_by(directive) in _ported(code, rules)


def names_port(code: Code, rules: RuleSet, name: str) -> bool:
    """Whether code names the same for AMD too: `RAJA::hip_exec` beside `RAJA::cuda_exec`."""
    ports = ported_names(name, rules.file_kinds.port_parts)
    return any(any(True for _ in occurrences(code.code, each)) for each in ports)


def _opened_by(directive: Directive) -> int:
    """The offset of the conditional that a directive opens or continues."""
    is_first = directive.keyword.startswith("if") or not directive.branch
    return directive.span.start if is_first else directive.branch[-1][0]


def _is_in(
    find: Callable[[Code, RuleSet], frozenset[tuple[int, int]]],
    code: Code,
    rules: RuleSet,
    offset: int,
) -> bool:
    """Whether an offset is in one of the branches that a function finds: most are in none."""
    branch = code.branch_at(offset)
    return bool(branch) and not find(code, rules).isdisjoint(branch)


@lru_cache(maxsize=1)
def _ported(code: Code, rules: RuleSet) -> frozenset[int]:
    """The offsets of the conditionals with a test of AMD's macros that NVIDIA's do not share."""
    amd, cuda = rules.device_code.ported_macros, rules.device_code.cuda_macros
    if not code.has_word(amd):
        return frozenset()
    found: set[int] = set()
    guard = {opened for opened, _ in include_guard(code)}
    for directive in code.directives:
        if not directive.is_condition or directive.span.start in guard:
            continue
        condition = code.code[directive.body.start : directive.body.end]
        is_shared = "||" in condition and re.search(cuda, condition)
        is_one_of_all = any(
            re.fullmatch(rf"[\s!(]*defined[\s(]*{amd}[\s)]*", each) for each in _all_of(condition)
        )
        if re.search(amd, condition) and (is_one_of_all or not is_shared):
            found.add(_opened_by(directive))
    return frozenset(found)


def is_left_out_of_hip(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether an offset is in a branch that a test of AMD's macros takes away from AMD."""
    return _is_in(_left_out, code, rules, offset)


@lru_cache(maxsize=1)
def _left_out(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    """The branches, as `Code.branch_at` names them, that are false where AMD's macros are set."""
    amd = rules.device_code.macros_set_for_amd
    if not code.has_word(amd):
        return frozenset()
    found = false_branches(code, lambda condition: _holds(condition, amd))
    return found.difference(include_guard(code))


def false_branches(code: Code, holds: Callable[[str], bool | None]) -> frozenset[tuple[int, int]]:
    """The branches that no compilation takes, by what is known of their conditions."""
    found: set[tuple[int, int]] = set()
    covered: set[int] = set()
    for directive in code.directives:
        if not directive.opens and not (directive.divides and directive.branch):
            continue
        opened, number = (directive.span.start, 0) if directive.opens else directive.branch[-1]
        body = code.code[directive.body.start : directive.body.end]
        condition = as_expression(directive.keyword, body)
        verdict = holds(condition)
        if verdict is False or opened in covered:
            found.add((opened, number))
        if verdict:
            covered.add(opened)
    return frozenset(found)


def is_for_some_releases(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether a test of the release of ROCm, or of one of its parts, decides about an offset."""
    branch = code.branch_at(offset)
    return bool(branch) and any(opened in _for_releases(code, rules) for opened, _ in branch)


@lru_cache(maxsize=1)
def _for_releases(code: Code, rules: RuleSet) -> frozenset[int]:
    """The offsets of the conditionals that test for a release of ROCm or of one of its parts."""
    release = re.compile(rules.device_code.release_macros, re.ASCII)
    return frozenset(
        each.span.start if each.opens or not each.branch else each.branch[-1][0]
        for each in code.directives
        if each.is_condition and release.search(code.code, *each.body)
    )


def is_never_compiled(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether an offset is in code that no build has: behind `#if 0`, `#ifdef notdef`, or so."""
    return _is_in(_never_compiled, code, rules, offset)


@lru_cache(maxsize=1)
def _never_compiled(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    undefined = rules.device_code.macros_never_defined
    off = _switched_off(code)
    is_asked = off or not undefined.isdisjoint(code.words)
    if not is_asked and not has_any(_conditions(code), _CONSTANTS):
        return frozenset()
    return false_branches(code, lambda condition: decided(condition, undefined, off))


def _switched_off(code: Code) -> dict[str, int]:
    """The macros that a file defines as 0 before its conditions ask for them, in any build."""
    if not code.matches(_OFF):
        return {}
    defined: dict[str, list[str]] = {}
    asked: set[str] = set()
    guard = include_guard(code)
    for each in code.directives:
        text = code.code[slice(*each.body)]
        name, _, value = text.strip().partition(" ")
        if each.keyword == "define":
            is_certain = each.branch in ((), guard) and name not in asked
            defined.setdefault(name, []).append(value.strip() if is_certain else "")
        elif each.keyword == "undef":
            defined.setdefault(name, []).append("")
        elif each.is_condition:
            asked.update(re.findall(r"\w+", text))
    return {name: 0 for name, values in defined.items() if values == ["0"] and name in asked}


def _conditions(code: Code) -> str:
    """The preprocessor lines of a text that have conditions."""
    conditions = (each.span for each in code.directives if each.is_condition)
    return "".join(code.code[start:end] for start, end in conditions)


def is_behind_library(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether an offset is behind a test of what a library for NVIDIA alone defines, included."""
    return _is_in(_behind_library, code, rules, offset)


@lru_cache(maxsize=1)
def _behind_library(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    macros = rules.device_code.library_macros
    is_used = code.has_word(macros) and any(
        re.search(rules.device_code.library_headers, code.text[slice(*each.body)])
        for each in code.directives
        if each.keyword == "include"
    )
    if not is_used:
        return frozenset()
    undefined = set(re.findall(macros, code.code))
    return false_branches(code, lambda condition: decided(condition, undefined, {}))


def is_without_cuda(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether an offset is in code for builds without CUDA: what a project has for the CPU."""
    return _is_in(_without_cuda, code, rules, offset)


@lru_cache(maxsize=1)
def _without_cuda(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    cuda = rules.device_code.macros_set_for_cuda
    if not code.has_word(cuda):
        return frozenset()
    return false_branches(code, lambda condition: _holds(condition, cuda))


def is_for_device_compiler(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether host compilers leave out what is at an offset, as under `#ifdef __CUDACC__`."""
    return _is_in(_for_device_compiler, code, rules, offset)


@lru_cache(maxsize=1)
def _for_device_compiler(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    macros = code.words.intersection(rules.device_code.compiler_macros)
    return false_branches(code, lambda condition: decided(condition, macros, {}))


def is_for_nvidia_gpus(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether a test of the architecture takes the code at an offset away from AMD's GPUs."""
    return _is_in(_for_nvidia_gpus, code, rules, offset)


@lru_cache(maxsize=1)
def _for_nvidia_gpus(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    macro = rules.device_code.architecture_macro
    if macro not in code.words:
        return frozenset()
    return false_branches(code, lambda condition: decided(condition, (macro,), {}))


def is_for_older_gpus(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether an offset is in a branch for NVIDIA's GPUs up to some generation.

    NVIDIA's newer GPUs leave it out, and so does AMD.
    """
    return _is_in(_up_to_some, code, rules, offset) or _is_in(_beside_newer, code, rules, offset)


@lru_cache(maxsize=1)
def _up_to_some(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    """The first branches of such conditionals, as `Code.branch_at` names them.

    One beside an `#else` that is empty, or only says that the GPU is not supported, is replaced by
    nothing, and is none of them.
    """
    macro = rules.device_code.architecture_macro
    if macro not in code.words:
        return frozenset()
    stops = re.compile(rules.device_code.stops)
    others = {each.branch[-1][0] for each in code.directives if each.divides and each.branch}
    replaced = {
        each.branch[-1][0]
        for each, following in pairwise(code.directives)
        if each.keyword == "else" and each.branch
        if (other := code.code[each.span.end : following.span.start].strip())
        if following.keyword != "error" and not stops.search(other)
    }
    conditions = {
        each.span.start: code.code[slice(*each.body)]
        for each in code.directives
        if each.keyword == "if" and (each.span.start in replaced or each.span.start not in others)
    }
    return frozenset(
        (start, 0)
        for start, condition in conditions.items()
        if _ends_before_some(condition, macro, has_other=start in replaced)
    )


@lru_cache(maxsize=1)
def _beside_newer(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    """The branches behind one that compilers without the macro take, and those for newer GPUs."""
    macro = rules.device_code.architecture_macro
    if macro not in code.words or not re.search(rf"!\s*defined[\s(]*{macro}\b", code.code):
        return frozenset()
    without = _for_nvidia_gpus(code, rules)
    newer = false_branches(code, lambda condition: decided(condition, (), {macro: _NEWER}))
    return frozenset((opened, number) for opened, number in without & newer if number)


def _ends_before_some(condition: str, macro: str, *, has_other: bool) -> bool:
    """Whether a test of the architecture leaves out newer ones, and compilers without any.

    Beside an `#else`, it has to begin with some: what it ends for may be all that AMD can use.
    """
    if not re.search(rf"\b{macro}\s*<", condition):
        return False
    newest = decided(condition, (), {macro: _NEWER})
    if has_other:
        # CUDA 9 compiles for none of those that are older than the oldest here.
        is_of_past = newest is False and decided(condition, (), {macro: _OLDEST}) is False
        is_left_out = decided(condition, (macro,), {}) is False
        return (is_of_past and is_left_out) or decided(condition, (), {macro: 0}) is False
    without = decided(condition, (macro,), {})
    return without is False and newest is False


@lru_cache(maxsize=256)
def _holds(condition: str, macros: str) -> bool | None:
    """Whether a condition holds where the macros that match are set; None without one of them."""
    values = dict.fromkeys(re.findall(macros, condition), 1)
    return decided(condition, (), values) if values else None


def _all_of(condition: str) -> list[str]:
    """The conditions outside parentheses that `&&` joins; none where `||` joins any there."""
    plain = re.sub(r"\\\r?\n", " ", condition)
    while plain != (outer := _INNERMOST.sub(lambda match: "\0" * len(match[0]), plain)):
        plain = outer
    if "||" in plain:
        return []
    ends = [match.start() for match in re.finditer("&&", plain)]
    text = re.sub(r"\\\r?\n", " ", condition)
    return [
        text[start:end]
        for start, end in zip([0, *(at + 2 for at in ends)], [*ends, None], strict=True)
    ]
