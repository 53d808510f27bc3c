"""A warp keeps its 32 lanes: where conversion sees to that, and which code has HIP's warps already.

CUDA's warp functions become those of a header of rules/helpers, which means on wavefronts of 32 and
of 64 lanes what CUDA means. Code that was ported by hand counts on the wavefront, and stays.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.device_code import device_bodies, device_body_at, is_ported
from hipport.source.names.branches_for_hip import is_left_out, speaks_hip
from hipport.source.names.counterparts import Decision
from hipport.source.names.hip_branches import is_for_nvcc_beside_hip
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip_back
from hipport.source.text.include_directives import include_guard
from hipport.source.text.required_texts import is_found
from hipport.source.text.source_text import Code
from hipport.source.tree_warps import TreeWarps
from hipport.source.warps.ported_warps import defined_in, has_helper, is_hip, names_in

_NAME = regex(r"[A-Za-z_]\w*")


def is_call_of_overload(unit: Unit, use: Use, decision: Decision) -> bool:
    """Whether a use calls a warp function for which the file declares a further type of values.

    The helpers take values of any type. What a macro of the file makes of the name is its own, but
    for one under a condition, which stands in for the function where CUDA is too old to have it.
    """
    if decision.helpers != unit.rules.warps.header or use.is_member or use.qualifier:
        return False
    if unit.declarations.scope(use.span) is not None:
        return False
    guard = include_guard(unit.code)
    return not any(
        each.keyword == "define"
        and each.branch in ((), guard)
        and re.match(rf"\s*{use.name}\b", unit.code.slice(each.body))
        for each in unit.code.directives
    )


def is_native(unit: Unit, offset: int) -> bool:
    """Whether warps at an offset are HIP's wavefronts already.

    They are in files that include HIP's headers, in conditionals that test for AMD, and in files
    that use what their tree, or PyTorch, has for warps on AMD. A file with the helpers was
    converted: its warps have 32 lanes.
    """
    if unit.is_native or is_hip(unit.code, unit.rules) or is_ported(unit, offset):
        return True
    if unit.warps.is_hip and not has_helper(unit.code, unit.rules):
        return True
    return bool(native_names(unit))


def uses_tensor_cores(unit: Unit, offset: int) -> bool:
    """Whether the function around an offset is for tensor cores, which need whole wavefronts.

    Or one whose warps wait for each other. Outside of functions, whether the file is about these,
    or what has its name at the offset, such as a constant, is used in one of them.
    """
    words, text = unit.rules.warps, unit.code.text
    if body := device_body_at(unit, offset):
        return _has(words.tensor_cores, text[slice(*body)])
    if _has(words.roles, text):
        return True
    name = _NAME.match(text, offset)
    if name is None or not _has(words.tensor_cores, text):
        return False
    return any(
        any(occurrences(unit.code.code, name[0], *body))
        and _has(words.tensor_cores, text[slice(*body)])
        for body in device_bodies(unit)
    )


@lru_cache(maxsize=256)
def _has(pattern: str, text: str) -> bool:
    """Whether a text matches: asked for each finding in it."""
    return is_found(pattern, text)


def is_for_hip(unit: Unit) -> bool:
    """Whether a file is HIP's, or a header that only such files include."""
    return unit.warps.is_hip or unit.warps.is_in_hip or is_hip(unit.code, unit.rules)


def is_left_out_of_hip_code(unit: Unit, offset: int) -> bool:
    """Whether no build of a file has what is at an offset, as the file is written for HIP."""
    code, rules = unit.code, unit.rules
    if not code.branch_at(offset):
        return False
    if unit.warps.is_hip or is_hip(code, rules) or speaks_hip(code, rules):
        return is_left_out(code, rules, offset, unit.warps.macros)
    directive = code.directive_at(offset)
    is_text = directive is None or directive.keyword == "define"
    return is_text and is_for_nvcc_beside_hip(code, rules, offset, unit.warps.macros)


def is_native_size(unit: Unit, offset: int) -> bool:
    """Whether the warp size at an offset is the wavefront's: others of the tree may count on it."""
    return bool(unit.warps.native) or is_native(unit, offset)


def native_names(unit: Unit) -> frozenset[str]:
    """The names for warps on AMD that the file uses, and that mean something in it."""
    return _native_names(unit.code, unit.warps, unit.rules)


@lru_cache(maxsize=2)
def _native_names(code: Code, warps: TreeWarps, rules: RuleSet) -> frozenset[str]:
    used = code.words & ((frozenset(rules.warps.native) - warps.own) | warps.native)
    used = frozenset(name for name in used if _is_used_plainly(code.code, name))
    # What the file defines itself hides what its headers define.
    return (used - defined_in(code, used)) | (code.words & names_in(code, rules))


def _is_used_plainly(text: str, name: str) -> bool:
    """Whether code has a name without a namespace before it: CUB has `cub::WARP_BALLOT`."""
    return any(not text.endswith("::", 0, skip_back(text, at)) for at in occurrences(text, name))


def is_shown(unit: Unit, offset: int) -> bool:
    """Whether the statement at an offset prints what it names."""
    text = unit.code.code
    start = max(text.rfind(mark, 0, offset) for mark in ";{}") + 1
    return re.search(unit.rules.warps.device.showing, text[start:offset]) is not None
