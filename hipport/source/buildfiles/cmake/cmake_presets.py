"""Converts the cache variables of a CMakePresets.json."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.cmake_rules import cmake_rules
from hipport.source.buildfiles.build_file import BuildFile
from hipport.source.buildfiles.flag_lists import translated

RULE = "cmake.tsv"
# A variable with a value, or with an object that holds its type and value.
_VARIABLE = regex(r'"(?P<name>\w+)"\s*:\s*(?:\{[^{}]*?"value"\s*:\s*)?"(?P<value>(?:[^"\\]|\\.)*)"')


def convert_presets(file: BuildFile) -> None:
    """Convert presets; a variable whose value cannot be converted stays unchanged."""
    variables = cmake_rules(file.rules).variables
    for match in _VARIABLE.finditer(file.text):
        rule = variables.get(match["name"])
        if rule is None or rule.action not in ("rename", "targets", "flags"):
            continue
        name, value = Span(*match.span("name")), Span(*match.span("value"))
        new = match["value"]
        if rule.action == "targets":
            if not file.choices.targets:
                continue
            new = ";".join(file.choices.targets)
        elif rule.action == "flags":
            new = " ".join(translated(file, new.split(), value))
        file.edit(name, rule.hip, RULE)
        file.edit(value, new, RULE)
        file.handled.append(value)
