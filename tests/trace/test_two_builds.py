"""`hipport trace --diff`: launches that got worse since an older build."""

from __future__ import annotations

from tests.support.folders import FIXTURES
from tests.support.tracing import traced

LIBRARIES = FIXTURES / "trace"


def worse(old: str, new: str, *options: str) -> list[tuple[int, str]]:
    found = traced(LIBRARIES, "--diff", f"lib{old}.so", *options, "solver.hip", f"lib{new}.so")
    return [
        (each["line"], each["message"])
        for each in found["findings"]
        if each["code"] == "HP-TRACE-010"
    ]


def test_what_got_worse_is_at_its_launch() -> None:
    assert worse("before", "solver") == [
        (16, "relax got worse on gfx942: waves 4 to 1, lds 4096 to 40960")
    ]


def test_what_got_better_or_stays_is_nothing() -> None:
    assert worse("solver", "before") == []
    assert worse("solver", "solver") == []


def test_growth_can_be_allowed() -> None:
    assert worse("before", "solver", "--max-growth", "900") == [
        (16, "relax got worse on gfx942: waves 4 to 1")
    ]


def test_code_that_is_gone_is_worse() -> None:
    assert worse("solver", "faults") == [
        (16, "relax got worse on gfx942: no code any more"),
        (17, "shift got worse on gfx942: no code any more"),
    ]
