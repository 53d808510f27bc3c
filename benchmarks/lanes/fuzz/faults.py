"""Faults that are put into converted programs: the comparison has to see each of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.lanes.programs import HELPER, facts

_FAITHFUL = re.compile(r"\bwarp32::(\w+_sync)\(\s*([^,()]+|\([^()]*\)-?\w*),")


def faults() -> dict[str, Callable[[Path], None]]:
    """What spoils a folder of converted programs, by name."""
    in_helper = {
        each["name"]: _helper_with(each["search"], each["replace"])
        for each in facts()["fault"]
        if each["file"] == HELPER
    }
    return {"widened": widen, **in_helper}


def _helper_with(search: str, replace: str) -> Callable[[Path], None]:
    def spoil(converted: Path) -> None:
        path = converted / HELPER
        text = path.read_text("utf-8")
        assert text.count(search) == 1, search
        path.write_text(text.replace(search, replace), "utf-8")

    return spoil


def widen(converted: Path) -> None:
    """HIP's own functions with a mask of 64 bits, in place of those for warps of 32 lanes."""
    for path in converted.glob("*.cu"):
        text = _FAITHFUL.sub(r"__\1((unsigned long long)(\2),", path.read_text("utf-8"))
        path.write_text(text, "utf-8")
