"""String literals that name a CUDA function, in files that look functions up by name."""

from __future__ import annotations

import re

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.patterns.pattern_matches import is_shown, statement_at
from hipport.source.source_file import Unit

_RELEASE = regex(r"\s*,\s*(?:&?\w+\s*,\s*)?([1-9]\d0\d0)\b")
"""CUDA's release as a number, 12030, behind a name or the place for its address."""


class Keys(RuleKeys, frozen=True):
    with_counterpart: str
    """What to do about a function that HIP or AMD's library has under another name."""
    without_counterpart: str
    exported: dict[str, str] = msgspec.field(default_factory=dict)
    """HIP function -> what its library calls it, where headers have a macro for that."""
    told: Regex = Regex("")
    """What is before a name that is filled into a text for people, from the statement's start."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each literal that is exactly a CUDA function's name, and not only shown."""
    keys = rule.read(Keys)
    for span in unit.code.literals:
        name = unit.code.text[span.start + 1 : span.end - 1]
        api = unit.rules.api(name)
        if not (api and api.kind == "function" and api.hip != name):
            continue
        if is_shown(unit, rule, span.start) or _is_called_before(unit, name, span.start):
            continue
        if keys.told and _is_told(unit, keys.told, span.start):
            continue
        library = unit.rules.libraries[unit.rules.names[name]]
        hip = keys.exported.get(api.hip, api.hip)
        words = {"hip": hip, "library": library.file, "release": _release(unit, span.end)}
        template = keys.with_counterpart if api.hip else keys.without_counterpart
        words["advice"] = template.format_map(words)
        unit.report(rule.id, Span(span.start + 1, span.end - 1), name, words)


def _is_told(unit: Unit, told: str, offset: int) -> bool:
    before = unit.code.text[statement_at(unit, offset) : offset]
    return re.fullmatch(told, before) is not None


def _release(unit: Unit, offset: int) -> str:
    """What to do about CUDA's release behind a name: it says which parameters are meant."""
    release = _RELEASE.match(unit.code.code, offset)
    if release is None:
        return ""
    return f"; compare its parameters with those that CUDA has as of {release[1]}, asked for here"


def _is_called_before(unit: Unit, name: str, offset: int) -> bool:
    """Whether the statement around an offset has called the function: its name is for a message."""
    statement = unit.code.code[statement_at(unit, offset) : offset]
    return re.search(rf"\b{name}\s*\(", statement) is not None
