"""Runs the converter on bytes, the way `hipport convert` does for one file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from hipport.rulebook.load import load
from hipport.rulebook.model import parse_version
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.tree.file_task import language_of
from tests.support.source_cases import Expected

OPTIONS = {"--launch": "launch", "--libs": "libs", "--rocm": "rocm", "--targets": "targets"}
"""The options of `hipport convert` that a case may set, and what they are called inside."""
READ = {"--rocm": parse_version, "--targets": lambda value: tuple(value.split(","))}
SWITCHES = {"--unsafe": "unsafe", "--guards": "guards"}
NEGATED = {"--no-helpers": "helpers"}
REPEATED = {"--kernel-string": "kernel_strings"}


@dataclass(frozen=True, slots=True)
class Converted:
    output: bytes
    findings: list[Expected]


def convert(path: str, source: bytes, options: tuple[str, ...] = ()) -> Converted:
    """The converted bytes and the findings, in order, as cases write them."""
    result = convert_source(source, path, language_of(path), decisions_for(options))
    findings = [
        Expected(*each.start, each.severity.word, each.code, each.symbol)
        for each in result.findings
    ]
    return Converted(result.data, findings)


@cache
def decisions_for(options: tuple[str, ...]) -> Decisions:
    """What is decided with these options of `hipport convert`."""
    chosen: dict[str, Any] = {}
    words = iter(options)
    for option in words:
        if option in SWITCHES:
            chosen[SWITCHES[option]] = True
        elif option in NEGATED:
            chosen[NEGATED[option]] = False
        elif option in REPEATED:
            chosen[REPEATED[option]] = (*chosen.get(REPEATED[option], ()), next(words))
        else:
            value = next(words)
            chosen[OPTIONS[option]] = READ.get(option, str)(value)
    return Decisions(load(), default_options(load())._replace(**chosen))
