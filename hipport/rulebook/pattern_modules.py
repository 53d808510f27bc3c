"""Which patterns there are: a finding's key `check` names one of hipport/source/patterns."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[1] / "source" / "patterns"


@cache
def pattern_modules() -> dict[str, str]:
    """Pattern -> its module. A pattern is a file in a folder for its topic."""
    return {
        path.stem: f"hipport.source.patterns.{path.parent.name}.{path.stem}"
        for path in sorted(_FOLDER.glob("*/[a-z]*.py"))
        if path.parent.name != "rewrites"
    }
