"""Whether a file needs HIP's runtime header, and where the include goes.

nvcc includes cuda_runtime.h in every CUDA file; HIP's compilers include nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.names.counterparts import Decisions
from hipport.source.names.hip_branches import is_for_device_compiler
from hipport.source.source_file import Unit
from hipport.source.text.brackets import LAUNCH, occurrences
from hipport.source.text.directives import Branch, Directive
from hipport.source.text.include_directives import (
    bom_length,
    first_place,
    include_guard,
    includes,
)
from hipport.source.text.source_text import Code
from hipport.source.warps.ported_warps import is_hip


def covers_all(code: Code, rules: RuleSet, branches: list[Branch]) -> bool:
    """Whether an include in these branches is seen whatever the conditions are.

    Branches of one conditional are taken to cover it, and tests for a device compiler to hold.
    A branch that holds all code of a file covers what there is.
    """
    guard = include_guard(code)
    numbers: dict[Branch, set[int]] = {}
    for branch in branches:
        outer = branch[len(guard) :] if branch[: len(guard)] == guard else branch
        if not outer:
            return True
        opened, number = outer[0]
        numbers.setdefault(((opened, 0),), set()).add(number)
        opening = code.directive_at(opened)
        words = rules.device_code.compiler_macros
        if opening and any(word in code.slice(opening.body) for word in words):
            return True
    has_several = any(len(each) > 1 for each in numbers.values())
    return has_several or any(_holds_all(code, branch) for branch in branches)


def _holds_all(code: Code, branch: Branch) -> bool:
    """Whether a file has neither code nor includes outside a branch of its conditionals."""
    starts = [each.span.start for each in code.directives]
    ends = [0, *(each.span.end for each in code.directives)]
    texts = zip(ends, [*starts, len(code.code)], strict=True)
    places = [end for end, start in texts if code.code[end:start].strip()]
    places += [each.span.start for _, each in includes(code)]
    return all(code.branch_at(at)[: len(branch)] == branch for at in places)


def before_macros(unit: Unit) -> int | None:
    """Where nvcc's sources have to include the header because macros of theirs come before it.

    Their names may be those of parameters and functions in the header, which nvcc has read before.
    """
    return unit.code.once(_before_macros, unit, "")


def _before_macros(unit: Unit, _: str) -> int | None:
    code, rules = unit.code, unit.rules
    if unit.language != "cuda" or unit.is_header or unit.is_embedded or is_hip(code, rules):
        return None
    first = first_place(code)
    of_runtime = (
        each.span.start
        for name, each in includes(code)
        if not each.branch and rules.is_runtime_header(name)
    )
    end = next(of_runtime, first)
    name_of = regex(rf"\s*(?:{rules.runtime_header.own_macros})\b")
    for each in code.directives:
        if each.span.start >= end:
            break
        if each.keyword == "define" and name_of.match(code.slice(each.body)):
            start = each.branch[0][0] if each.branch else each.span.start
            return min(first, code.code.rfind("\n", 0, start) + 1 or bom_length(code.text))
    return None


def needs_runtime(unit: Unit, decisions: Decisions, *, has_launch: bool) -> bool:
    """Whether the file needs the header: a CUDA file that uses anything of it, or a header of one.

    Clang predefines `__device__` etc., so another file needs the header only if it
    holds device code under no condition, uses more than the keywords, and has no HIP include.
    """
    is_header = unit.language not in ("c", "cuda")
    if unit.language == "c" or unit.warps.is_in_hip or (is_header and unit.warps.is_hip):
        return False  # HIP's header is in one that it includes, or in all that include it.
    uses = has_launch or _uses_runtime(unit, decisions)
    words = unit.code.words & decisions.device_words
    # Those that conversion is about to write count too.
    written = {word for each in unit.attributeless for word in each.words.split()}
    for name in unit.uses:
        decision = decisions.of(name)
        if decision and decision.rule.kind == "macro":
            written.update(decisions.device_words.intersection(decision.new.split()))
    if unit.language == "cuda":
        is_used = any(True for word in words for _ in occurrences(unit.code.code, word))
        return uses or bool(written) or (is_used and not unit.warps.is_hip)
    if not (words or written) or _has_hip_include(unit):
        return False
    guard = include_guard(unit.code)
    keywords = unit.rules.device_code.keywords
    found = written | {
        word
        for word in words
        for at in occurrences(unit.code.code, word)
        if unit.code.directive_at(at) is None and unit.code.branch_at(at) in ((), guard)
    }
    return bool(found & keywords) and (uses or bool(found - unit.rules.device_code.clang_keywords))


def is_for_device_compiler_alone(unit: Unit, decisions: Decisions) -> bool:
    """Whether host compilers leave out all that needs the header: they may lack it, too."""
    code = unit.code
    if unit.attributeless or code.words.isdisjoint(unit.rules.device_code.compiler_macros):
        return False
    places = _places(unit, decisions)
    return all(
        is_for_device_compiler(code, unit.rules, at) or _is_condition(code.directive_at(at))
        for at in places
    )


def left_out_by(unit: Unit, decisions: Decisions) -> str:
    """The line `#ifndef NAME` that all is behind which needs the header, if there is one.

    A macro that is there may be defined by a header: with none, the include is there, as it was.
    """
    code, guard = unit.code, include_guard(unit.code)
    found: set[str] = set()
    for at in () if unit.attributeless else _places(unit, decisions):
        branch = code.branch_at(at)
        outer = branch[len(guard) :] if branch[: len(guard)] == guard else branch
        opening = code.directive_at(outer[0][0]) if outer and outer[0][1] == 0 else None
        if opening is None or opening.keyword != "ifndef":
            return ""
        if _holds_all(code, branch[: len(branch) - len(outer) + 1]):
            return ""  # What guards the file, in some way.
        found.add(code.slice(opening.body).strip())
    name = found.pop() if len(found) == 1 else ""
    is_own = any(
        each.keyword == "define" and code.slice(each.body).split()[:1] == [name]
        for each in code.directives
    )
    return f"#ifndef {name}" if name.isidentifier() and not is_own else ""


def _places(unit: Unit, decisions: Decisions) -> Iterator[int]:
    """Where a file has what needs the header; what takes least time to find comes first."""
    code = unit.code
    for use in unit.of(filter(decisions.of, unit.uses)):
        yield use.span.start
    for name, directive in includes(code):
        if decisions.header(name):
            yield directive.span.start
    for launch in LAUNCH.finditer(code.code):
        yield launch.start()
    for word in code.words & decisions.device_words:
        yield from occurrences(code.code, word)


def _is_condition(directive: Directive | None) -> bool:
    return directive is not None and directive.is_condition


def _has_hip_include(unit: Unit) -> bool:
    folder = unit.rules.runtime_header.header.partition("/")[0]
    return any(name.startswith(f"{folder}/") for name, _ in includes(unit.code))


def _uses_runtime(unit: Unit, decisions: Decisions) -> bool:
    libraries = unit.rules.runtime_header.libraries
    return any(
        decision.rule.library in libraries
        for name in unit.uses
        if (decision := decisions.of(name)) and unit.of([name])
    )
