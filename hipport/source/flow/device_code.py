"""Where a file's device functions are, and which places a rule is about: found without a parse."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.device_functions import definition
from hipport.source.flow.function_marks import marks
from hipport.source.names.hip_branches import (
    is_behind_library,
    is_for_older_gpus,
    is_for_some_releases,
    is_in_port,
    is_left_out_of_hip,
    is_never_compiled,
    is_without_cuda,
)
from hipport.source.names.stand_in_declarations import is_for_name_of_hip
from hipport.source.source_file import Unit
from hipport.source.text.source_text import Code

_LIBRARY = "library"
"""The check whose findings are about a library as a whole."""


def device_bodies(unit: Unit) -> list[Span]:
    """The bodies of the functions that run only on the device, in order."""
    return _bodies(unit.code, unit.rules)


def in_device_code(unit: Unit, offset: int) -> bool:
    """Whether an offset is in a function that runs only on the device."""
    return device_body_at(unit, offset) is not None


def device_body_at(unit: Unit, offset: int) -> Span | None:
    """The body of such a function around an offset."""
    bodies = device_bodies(unit)
    index = bisect_right(bodies, offset, key=lambda body: body.start) - 1
    return bodies[index] if index >= 0 and offset < bodies[index].end else None


def is_ported(unit: Unit, offset: int) -> bool:
    """Whether an offset is in a conditional that has one branch for AMD, another for NVIDIA."""
    return is_in_port(unit.code, unit.rules, offset)


def counts(unit: Unit, rule: FindingRule, offset: int) -> bool:
    """Whether a place is one that the rule is about: `where`, and not ported already."""
    if rule.where == "device" and not in_device_code(unit, offset):
        return False
    if rule.by_release and is_for_some_releases(unit.code, unit.rules, offset):
        return False
    if not unit.rules.is_audit and is_left_out(unit, offset):
        return False
    is_audited = unit.rules.is_audit and not rule.claims and not rule.in_ports
    is_settled = is_audited and (
        is_ported(unit, offset)
        or is_left_out(unit, offset)
        or is_for_name_of_hip(unit.code, unit.rules, offset)
        or is_for_older_gpus(unit.code, unit.rules, offset)
        or is_without_cuda(unit.code, unit.rules, offset)
        or (rule.check != _LIBRARY and is_behind_library(unit.code, unit.rules, offset))
    )
    return not is_settled


def is_of_no_build_for_amd(unit: Unit, offset: int) -> bool:
    """Whether nothing is to be ported at an offset: it is ported, or nobody compiles it."""
    return is_ported(unit, offset) or is_never_compiled(unit.code, unit.rules, offset)


def is_left_out(unit: Unit, offset: int) -> bool:
    """Whether an offset is in a branch that a test of AMD's macros takes away from AMD."""
    return is_left_out_of_hip(unit.code, unit.rules, offset)


@lru_cache(maxsize=1)
def _bodies(code: Code, rules: RuleSet) -> list[Span]:
    words = rules.device_code
    text = code.code
    bodies: list[Span] = []
    for (start, end), keywords in marks(code, rules):
        if words.host_keyword in keywords or (bodies and start < bodies[-1].end):
            continue  # That of a lambda is one of its function.
        neighbours = text[max(0, start - 60) : start].rpartition("\n")[2]
        # Attributes count as a name: behind a macro `__device__ __attribute__((…))`, what comes
        # next is taken for device code, such as a namespace of functions that begin with the macro.
        function = definition(text, end, ())
        if function is None or words.host_keyword in neighbours:
            continue
        if words.host_keyword not in text[end : function.body.start]:
            bodies.append(function.body)
    return bodies
