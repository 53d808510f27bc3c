"""Calls of the headers in rules/helpers: functions with CUDA's meaning, where HIP has none.

A file includes the header or contains its text. A kernel in a string contains what it calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hipport.model import Severity
from hipport.rulebook.words import DeviceFunctions, Warps
from hipport.source.convert.helper_excerpt import excerpt
from hipport.source.convert.runtime_include import before_macros
from hipport.source.flow.device_code import is_ported
from hipport.source.names.counterparts import Decision
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.include_directives import bom_length, first_place, include_guard, includes
from hipport.source.warps.kept_warps import is_native

_WARPS, _DEVICE = "rewrite:warp-function", "rewrite:device-function"
_OWN, _LEFT = "HP-SEM-002", "HP-API-001"
CALLED = "HP-HELP-001"
"""The finding that names a function and the helper that is called for it."""


def use_helper(unit: Unit, use: Use, decision: Decision) -> None:
    """Call the helper that does what the function does in CUDA."""
    if decision.helpers == unit.rules.warps.header:
        stays, rule = is_native(unit, use.span.start), _WARPS
    else:
        stays, rule = _stays(unit, use, decision), _DEVICE
    unit.counts[decision.rule.library, not stays] += 1
    if stays:
        return
    space = decision.new.partition("::")[0]
    outer = "::" if space in unit.code.words and use.qualifier is None else ""
    unit.edit(use.span.start, use.span.end, f"{outer}{decision.new}", rule)
    unit.helpers.add(decision.helpers)
    if rule == _DEVICE:
        unit.report(CALLED, use.span, use.name, {"new": decision.new, "header": decision.helpers})
        unit.answered.add([use.span])


def _stays(unit: Unit, use: Use, decision: Decision) -> bool:
    """Whether a function is left and reported: the tree's own, or one in a branch for NVIDIA."""
    if use.name in unit.warps.own:
        unit.report(_OWN, use.span, use.name, {"place": "another file of this tree"})
        unit.answered.add([use.span])
        return True
    if not is_ported(unit, use.span.start):
        return False
    if PurePosixPath(unit.path).name != decision.helpers:
        advice = f"{decision.new} of {decision.helpers} computes the same."
        unit.report(_LEFT, use.span, use.name, {"advice": advice}, severity=Severity.REVIEW)
    return True


def write_helpers(unit: Unit) -> None:
    """Write the helpers that a kernel in a string calls before its text."""
    made = " ".join(each.new.decode("latin-1") for each in unit.edits)
    place = len(unit.code.text) - len(unit.code.text.lstrip("\r\n"))
    for words, rule in _needed(unit):
        names = re.findall(rf"\b{words.namespace}::(\w+)", made)
        text = unit.rules.helper(words.header).read_text("utf-8")
        unit.edit(place, place, excerpt(text, names).replace("\n", unit.newline), rule)


def include_helpers(unit: Unit) -> None:
    """Include the headers of helpers, or write their texts out, behind the runtime header if that
    is included under no condition."""
    included = [name for name, _ in includes(unit.code)]
    needed = [
        each for each in _needed(unit) if not any(one.endswith(each[0].header) for one in included)
    ]
    if not needed:
        return
    place = _place(unit)
    newline = unit.newline
    for words, rule in needed:
        if unit.contains_helpers:
            new = unit.rules.helper(words.header).read_text("utf-8").replace("\n", newline)
        else:
            new = f'#include "{unit.up}{words.header}"{newline}'
        if place > bom_length(unit.code.text) and not unit.code.text.endswith("\n", 0, place):
            new = newline + new
        unit.edit(place, place, new, rule)


def _needed(unit: Unit) -> Iterator[tuple[Warps | DeviceFunctions, str]]:
    rules = unit.rules
    every = ((rules.warps, _WARPS), (rules.device_functions, _DEVICE))
    return (each for each in every if each[0].header in unit.helpers)


def _place(unit: Unit) -> int:
    guard = include_guard(unit.code)
    early = before_macros(unit)
    if early is not None:
        return early
    place = first_place(unit.code)
    for name, directive in includes(unit.code):
        if unit.rules.is_runtime_header(name) and directive.branch in ((), guard):
            end = unit.code.text.find("\n", directive.span.end)
            return max(place, end + 1 if end >= 0 else len(unit.code.text))
    return place
