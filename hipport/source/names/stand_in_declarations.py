"""Declarations that stand in for CUDA's own where its headers are left out.

`#ifdef USE_CUDA` includes cuda_runtime.h, and its `#else` has `typedef void *cudaStream_t;`: what
the rest of the file calls so is CUDA's in one build and the file's own in the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.names.hip_branches import is_in_port
from hipport.source.text.directives import Branch
from hipport.source.text.include_directives import includes
from hipport.source.text.source_text import Code

_TEST = regex(r"\s*(?P<without>!\s*)?defined\s*[\s(]\s*(?P<macro>\w+)\s*\)?\s*\Z")

_WORD = regex(r"\w+")
_MAPPED = regex(r"(?P<parameters>(?:\([^()]*\))?)(?P<name>\w+)(?P=parameters)")
_TYPEDEF = regex(r"\btypedef\s+(?:::\s*)?(?P<name>\w+)\s+\Z")
_ALIAS = regex(r"\s*=\s*(?:::\s*)?(?P<name>\w+)\s*;")
_LONGEST = 200

_Test = tuple[str, bool]
"""A macro, and whether it is defined in the branch."""


def stands_in(code: Code, rules: RuleSet, offset: int, new: str) -> bool:
    """Whether a name of CUDA's is declared at an offset only where no header of CUDA's is included.

    Renaming it, to `new`, together with its uses leaves both builds as they were. Not in files that
    know HIP, which give CUDA's names to AMD, nor where CUDA's release decides: a build for AMD
    takes the branch for old ones beside HIP's headers.
    """
    branch = code.branch_at(offset)
    knows_hip = new in code.words or not rules.hip_names().isdisjoint(code.words)
    if not branch or knows_hip or is_in_port(code, rules, offset):
        return False
    if any(_asks_for_release(code, rules, opened) for opened, _ in branch):
        return False
    own = frozenset(_tests(code, branch))
    if any((macro, False) in own for macro in rules.device_code.compiler_macros):
        return True
    return any(
        _is_other(there, branch) or _contradicts(code, there, own)
        for there in _with_headers(code, rules)
    )


def maps_to_hip(code: Code, rules: RuleSet, name: Span) -> bool:
    """Whether a name of CUDA's is a macro of one of HIP's names, or another name of HIP's type."""
    directive = code.directive_at(name.start)
    if directive is None:
        text, rule = code.code, rules.api(code.slice(name))
        before = _TYPEDEF.search(text, max(0, name.start - _LONGEST), name.start)
        alias = before or _ALIAS.match(text, name.end)
        return alias is not None and rule is not None and alias["name"] == rule.hip
    if directive.keyword != "define":
        return False
    definition = "".join(code.code[name.end : directive.span.end].split())
    mapped = _MAPPED.fullmatch(definition.replace("(...)", "(__VA_ARGS__)"))
    return mapped is not None and mapped["name"] in rules.hip_names()


def is_for_name_of_hip(code: Code, rules: RuleSet, offset: int) -> bool:
    """Whether an offset is in a macro that gives nvcc one of HIP's names for CUDA's."""
    directive = code.directive_at(offset)
    if directive is None or directive.keyword != "define":
        return False
    name = _WORD.search(code.code, *directive.body)
    return name is not None and name.end() <= offset and name[0] in rules.hip_names()


@lru_cache(maxsize=1)
def _with_headers(code: Code, rules: RuleSet) -> frozenset[Branch]:
    """The branches that include a header of CUDA's: nearly all of them bring the runtime's."""
    return frozenset(
        directive.branch
        for name, directive in includes(code)
        if directive.branch and (header := rules.headers.get(name)) and header.action == "map"
    )


def _asks_for_release(code: Code, rules: RuleSet, opened: int) -> bool:
    """Whether a conditional asks for what no build for AMD has: CUDA's version, or its compiler."""
    directive = code.directive_at(opened)
    if directive is None:
        return False
    words = _WORD.findall(code.code, *directive.body)
    return not rules.device_code.macros_of_cuda_only.isdisjoint(words)


def _is_other(there: Branch, branch: Branch) -> bool:
    """Whether two branches are of one conditional: never both are compiled."""
    for one, other in zip(there, branch, strict=False):
        if one != other:
            return one[0] == other[0]
    return False


def _contradicts(code: Code, there: Branch, own: frozenset[_Test]) -> bool:
    """Whether one branch asks that a macro be defined, the other that it be not."""
    return any((macro, not is_set) in own for macro, is_set in _tests(code, there))


def _tests(code: Code, branch: Branch) -> Iterator[_Test]:
    """The macros that each of the nested branches asks for alone."""
    for opened, number in branch:
        directive = code.directive_at(opened)
        if directive is None or number > 1:
            continue
        text = code.code[slice(*directive.body)].strip()
        if directive.keyword in ("ifdef", "ifndef"):
            is_set = directive.keyword == "ifdef"
            macro = text
        elif found := _TEST.match(text):
            is_set, macro = not found["without"], found["macro"]
        else:
            continue
        if number == 0 or _is_else(code, opened):
            yield macro, is_set == (number == 0)


def _is_else(code: Code, opened: int) -> bool:
    """Whether the second branch of a conditional is its `#else`."""
    return any(
        each.keyword == "else" and each.branch[-1:] == ((opened, 1),) for each in code.directives
    )
