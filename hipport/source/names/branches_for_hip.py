"""Which branches of code that is written for HIP no build of it takes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise

from hipport.rulebook.rules import RuleSet
from hipport.source.names.hip_branches import false_branches, is_in_port
from hipport.source.text.brackets import occurrences
from hipport.source.text.conditions import decided
from hipport.source.text.directives import Branch, Directive
from hipport.source.text.include_directives import include_guard
from hipport.source.text.source_text import Code


@lru_cache(maxsize=2)
def speaks_hip(code: Code, rules: RuleSet) -> bool:
    """Whether code uses names of HIP's, whatever the conditions: no other compiler knows them."""
    return any(
        code.directive_at(at) is None and not is_in_port(code, rules, at)
        for name in sorted(rules.hip_names() & code.words)
        for at in occurrences(code.code, name)
    )


def is_left_out(code: Code, rules: RuleSet, offset: int, defined: Collection[str]) -> bool:
    """Whether an offset of code for HIP is in a branch that a build for AMD leaves out.

    `defined` are macros that the headers it includes define. The line of a condition is in none of
    its branches.
    """
    left_out = _left_out(code, rules, frozenset(defined))
    return bool(left_out) and not left_out.isdisjoint(_around(code, offset))


def compiled(code: Code, rules: RuleSet, defined: Collection[str]) -> Iterator[tuple[int, str]]:
    """The pieces of code for HIP that a build for AMD has, macros too, and where they are."""
    text, left_out = code.code, _left_out(code, rules, frozenset(defined))
    first = code.directives[0].span.start if code.directives else len(text)
    yield 0, text[:first]
    for directive, following in pairwise([*code.directives, None]):
        if directive is None:
            continue
        start, end = directive.span.end, following.span.start if following else len(text)
        if left_out.isdisjoint(code.branch_at(start)):
            yield start, text[start:end]
            if directive.keyword == "define":
                yield directive.body.start, text[slice(*directive.body)]


def _around(code: Code, offset: int) -> Branch:
    directive = code.directive_at(offset)
    if directive is not None and directive.opens:
        return directive.branch
    if directive is not None and directive.divides and directive.is_condition:
        return directive.branch[:-1]
    return code.branch_at(offset)


@lru_cache(maxsize=2)
def _left_out(code: Code, rules: RuleSet, defined: frozenset[str]) -> frozenset[tuple[int, int]]:
    words = rules.device_code
    redefined = defined.union(_name(code, each) for each in code.directives if _defines(each))
    unknown = words.macros_of_cuda_only - redefined
    chosen = dict.fromkeys(_chosen(code), 1)

    def holds(condition: str) -> bool | None:
        set_for_amd = dict.fromkeys(re.findall(words.macros_set_for_amd, condition), 1)
        return decided(condition, unknown, set_for_amd | chosen)

    false = false_branches(code, holds)
    return false | _alternatives(code, chosen)


def _alternatives(code: Code, chosen: dict[str, int]) -> frozenset[tuple[int, int]]:
    """The branches before one for what the file defines itself: it chose among them."""
    asked: dict[int, list[tuple[int, bool]]] = {}
    for each in code.directives:
        if each.opens or (each.divides and each.is_condition and each.branch):
            opened, number = (each.span.start, 0) if each.opens else each.branch[-1]
            text = code.code[slice(*each.body)].strip()
            name = text.removeprefix("defined").strip(" ()\t")
            is_plain = each.keyword == "ifdef" or text.startswith("defined")
            asked.setdefault(opened, []).append((number, is_plain and name in chosen))
    return frozenset(
        (opened, number)
        for opened, several in asked.items()
        if any(is_chosen for _, is_chosen in several)
        for number, is_chosen in several
        if not is_chosen
    )


def _chosen(code: Code) -> Iterator[str]:
    """The macros without a text that the file defines for good, before it asks for them."""
    always = ((), include_guard(code))
    removed = {_name(code, each) for each in code.directives if each.keyword == "undef"}
    for each in code.directives:
        if _defines(each) and each.branch in always:
            text = code.code[slice(*each.body)].strip()
            is_first = text.isidentifier() and text not in removed
            if is_first and next(iter(occurrences(code.code, text))) > each.span.start:
                yield text


def _defines(directive: Directive) -> bool:
    return directive.keyword == "define"


def _name(code: Code, directive: Directive) -> str:
    """The macro that a `#define` or `#undef` is about."""
    return code.code[slice(*directive.body)].strip().partition(" ")[0].partition("(")[0]
