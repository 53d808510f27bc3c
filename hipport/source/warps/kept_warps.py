"""A warp keeps its 32 lanes: where conversion sees to that, and which code has HIP's warps already.

CUDA's warp functions become those of a header of rules/helpers, which means on wavefronts of 32 and
of 64 lanes what CUDA means. Code that was ported by hand counts on the wavefront, and stays.
"""

from __future__ import annotations

import re

from hipport.source.flow.device_code import is_ported
from hipport.source.names.counterparts import Decision
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.include_directives import bom_length, first_place, include_guard, includes
from hipport.source.warps.helper_excerpt import excerpt
from hipport.source.warps.ported_warps import defined_in, has_helper, is_hip, names_in


def use_helper(unit: Unit, use: Use, decision: Decision) -> None:
    """Call the helper that means what the function means in CUDA."""
    native = is_native(unit, use.span.start)
    unit.counts[decision.rule.library, not native] += 1
    if not native:
        space = unit.rules.warps.namespace
        outer = "::" if space in unit.code.words and use.qualifier is None else ""
        new = f"{outer}{decision.new}"
        unit.edit(use.span.start, use.span.end, new, "rewrite:warp-function")
        unit.needs_helper = True


def is_call_of_overload(unit: Unit, use: Use, decision: Decision) -> bool:
    """Whether a use calls a warp function for which the file declares a further type of values.

    The helpers take values of any type. What a macro of the file makes of the name is its own, but
    for one under a condition, which stands in for the function where CUDA is too old to have it.
    """
    if not decision.is_helper or use.is_member or use.qualifier:
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
    return not unit.code.words.isdisjoint(native_names(unit))


def is_native_size(unit: Unit, offset: int) -> bool:
    """Whether the warp size at an offset is the wavefront's: others of the tree may count on it."""
    return bool(unit.warps.native) or is_native(unit, offset)


def native_names(unit: Unit) -> frozenset[str]:
    """The names for warps on AMD that mean something in the file."""
    theirs = frozenset(unit.rules.warps.native) - unit.warps.own
    if unit.code.words.isdisjoint(theirs | unit.warps.native):
        return names_in(unit.code, unit.rules)
    # What the file defines itself hides what its headers define.
    hidden = defined_in(unit.code)
    return ((theirs | unit.warps.native) - hidden) | names_in(unit.code, unit.rules)


def write_helper(unit: Unit) -> None:
    """Write the helpers that a kernel in a string calls before its text."""
    space = f"{unit.rules.warps.namespace}::"
    made = " ".join(each.new.decode("latin-1") for each in unit.edits)
    names = re.findall(rf"\b{space}(\w+)", made)
    text = unit.rules.helper(unit.rules.warps.header).read_text("utf-8")
    place = len(unit.code.text) - len(unit.code.text.lstrip("\r\n"))
    new = excerpt(text, names).replace("\n", unit.newline)
    unit.edit(place, place, new, "rewrite:warp-function")


def include_helper(unit: Unit) -> None:
    """Include the header of helpers, or write its text out, behind the runtime header if that is
    included under no condition."""
    header, runtime = unit.rules.warps.header, unit.rules.runtime_header.header
    if any(name.endswith(header) for name, _ in includes(unit.code)):
        return
    place = first_place(unit.code)
    guard = include_guard(unit.code)
    for name, directive in includes(unit.code):
        known = unit.rules.headers.get(name)
        is_runtime = name == runtime or (known is not None and known.hip == runtime)
        if is_runtime and directive.branch in ((), guard):
            end = unit.code.text.find("\n", directive.span.end)
            place = max(place, end + 1 if end >= 0 else len(unit.code.text))
            break
    newline = unit.newline
    if unit.options.inline_helpers:
        new = unit.rules.helper(header).read_text("utf-8").replace("\n", newline)
    else:
        new = f'#include "{unit.up}{header}"{newline}'
    if place > bom_length(unit.code.text) and not unit.code.text.endswith("\n", 0, place):
        new = newline + new
    unit.edit(place, place, new, "rewrite:warp-function")


def is_shown(unit: Unit, offset: int) -> bool:
    """Whether the statement at an offset prints what it names."""
    text = unit.code.code
    start = max(text.rfind(mark, 0, offset) for mark in ";{}") + 1
    return re.search(unit.rules.warps.device.showing, text[start:offset]) is not None
