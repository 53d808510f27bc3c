"""The ROCm release that was asked for."""

from __future__ import annotations

import re

from hipport.errors import UsageError
from hipport.rulebook.load import load
from hipport.rulebook.model import parse_version


def parse_rocm(text: str, place: str = "--rocm") -> tuple[int, ...]:
    """The ROCm release that was asked for at a place, the newest known if none was."""
    newest = load().rocm
    if not text:
        return newest
    if not re.fullmatch(r"\d{1,4}(\.\d{1,4}){0,2}", text, re.ASCII):
        raise UsageError(f"{place} {text}: not a version", remedy="write it like 6.4")
    version = parse_version(text)
    if version[:2] > newest:
        known = ".".join(map(str, newest))
        raise UsageError(
            f"{place} {text}: the rulebook knows ROCm up to {known}", remedy=f"give {known}"
        )
    return version
