"""Pointers to ordinary host memory among the arguments of kernel launches."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.languages.cuda_syntax import launch_offsets, parse_launch
from hipport.source.names.declared_types import type_like
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip
from hipport.source.text.source_text import Code

_REACH = 6_000


class Keys(RuleKeys, frozen=True):
    registered: Regex
    given: Regex
    containers: Regex
    """Types of variables that hold host memory."""
    allocated: Regex
    """Values that are host memory."""
    of_class: Regex
    """Where one of them makes an object: what it is depends on the class."""
    overloaded: Regex
    """What gives classes memory of another kind."""
    replaced: Regex
    """What stands before a variable's name where a call gives it other memory."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each argument that the same function got from malloc, new or a std::vector."""
    keys = rule.read(Keys)
    text = unit.code.code
    if unit.code.matches(keys.registered):
        return
    for chevron in launch_offsets(unit.code):
        launch = parse_launch(unit.code, chevron)
        if launch is None or not counts(unit, rule, chevron):
            continue
        nearest = max(0, chevron - _REACH)
        function = text[max(nearest, text.rfind("\n}", nearest, chevron)) : chevron]
        for start, argument in _arguments(text, launch.opened + 1, launch.closed):
            match = re.fullmatch(keys.given, argument)
            if match is None:
                continue
            name = match["name"]
            if argument == name:
                is_host = _is_allocated(function, name, keys, unit.code)
            else:
                is_host = unit.code.may_match(keys.containers) and bool(
                    type_like(unit.declarations, name, start + match.start("name"), keys.containers)
                )
            if is_host:
                unit.report(rule.id, Span(start, start + len(argument)), argument)


def _is_allocated(function: str, name: str, keys: Keys, code: Code) -> bool:
    """Whether a variable holds host memory at the end of a text: it was given no other after."""
    values = (skip(function, at + len(name)) for at in occurrences(function, name))
    given = [
        at
        for at in values
        if function.startswith("=", at)
        and re.match(keys.allocated, value := function[skip(function, at + 1) :])
        and not _is_elsewhere(value, keys, code)
    ]
    return bool(given) and not re.search(
        f"(?:{keys.replaced}){re.escape(name)}\\b", function[given[-1] :]
    )


def _is_elsewhere(value: str, keys: Keys, code: Code) -> bool:
    """Whether `new` may give an object other memory: its class, or a base, has its own."""
    made = re.match(keys.of_class, value)
    if made is None:
        return False
    own = rf"\b(?:struct|class)\s+{re.escape(made['type'])}\s*(?:final\s*)?\{{"
    return code.matches(keys.overloaded) or not code.matches(own)


def _arguments(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """The arguments that hold no bracket but `()` and `[0]`, with their offsets."""
    found = []
    for piece in text[start:end].split(","):
        lead = len(piece) - len(piece.lstrip())
        found.append((start + lead, piece.strip()))
        start += len(piece) + 1
    return found
