"""Rewrites that rules/rewrites.toml describes by a pattern alone."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.flow.device_code import device_bodies
from hipport.source.patterns.make_rewrites import rewrite
from hipport.source.source_file import Unit


def rewrite_patterns(unit: Unit) -> None:
    """Replace what each pattern names `symbol`, in code for a device compiler."""
    if unit.language != "cuda" and not device_bodies(unit):
        return
    for name, rule in unit.rules.rewrites.items():
        if "pattern" not in rule or not unit.code.has((rule["hint"],)):
            continue
        for match in re.finditer(rule["pattern"], unit.code.code):
            span = Span(*match.span("symbol"))
            rewrite(unit, name, [(span, rule.get("replacement", ""))], [span])
