"""Which code a device may be given, and in which order the runtime takes it."""

from __future__ import annotations

from hipport.fatbin.processors import rank, settings
from hipport.fatbin.target_id import parse_target

# The first is taken if there is any; what has the same rank is on one line.
IN_ORDER = [
    ["gfx942:sramecc+:xnack-"],
    ["gfx942:sramecc+", "gfx942:xnack-"],
    ["gfx942"],
    ["gfx9-4-generic:sramecc+:xnack-"],
    ["gfx9-4-generic:sramecc+", "gfx9-4-generic:xnack-"],
    ["gfx9-4-generic"],
    ["amdgcnspirv"],
]
NEVER = ["gfx90a", "gfx9-generic", "gfx942:xnack+", "gfx942:sramecc-", "gfx9-4-generic:xnack+"]


def test_the_order_in_which_code_is_taken() -> None:
    device = parse_target("gfx942:sramecc+:xnack-")
    ranks = [{rank(parse_target(text), device) for text in same} for same in IN_ORDER]
    found = [each for (each,) in ranks if each is not None]
    assert len(found) == len(IN_ORDER) == len(set(found)) and found == sorted(found)
    assert {rank(parse_target(text), device) for text in NEVER} == {None}


def test_the_settings_that_code_for_a_device_fixes() -> None:
    for codes, device, wanted in (
        ("gfx942", "gfx942", "gfx942"),
        ("gfx942:xnack+", "gfx942", "gfx942:xnack+ gfx942:xnack-"),
        ("gfx9-4-generic:sramecc-", "gfx942", "gfx942:sramecc+ gfx942:sramecc-"),
        ("gfx942:xnack+ gfx90a:sramecc+", "gfx942", "gfx942:xnack+ gfx942:xnack-"),
        ("gfx942:xnack+", "gfx942:xnack-", "gfx942:xnack-"),
        (
            "gfx942:xnack+ gfx942:sramecc+",
            "gfx942",
            "gfx942:sramecc+:xnack+ gfx942:sramecc-:xnack+ "
            "gfx942:sramecc+:xnack- gfx942:sramecc-:xnack-",
        ),
        ("gfx1201", "gfx1201", "gfx1201"),
    ):
        known = [parse_target(text) for text in codes.split()]
        expected = [parse_target(text) for text in wanted.split()]
        assert settings(known, parse_target(device)) == expected
