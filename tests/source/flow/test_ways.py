"""Names lead to others by what they stand for."""

from __future__ import annotations

import pytest

from hipport.source.flow.ways import Ways

STANDS_FOR = {
    "lane": ("index", "WARP"),
    "index": ("threadIdx",),
    "WARP": ("SIZE",),
    "SIZE": (),
    "one": ("other",),
    "other": ("one",),
    "both": ("one", "lane"),
}


@pytest.mark.parametrize(
    ("names", "lead_there"),
    [
        (["threadIdx"], True),
        (["lane"], True),
        (["both"], True),
        (["unknown", "lane"], True),
        (["WARP"], False),
        (["one"], False),
        (["unknown"], False),
        ([], False),
    ],
)
def test_names_lead_to_an_end_by_any_way(names: list[str], lead_there: bool) -> None:
    ways = Ways({"threadIdx"})
    assert ways.lead_there(names, lambda name: STANDS_FOR.get(name, ())) is lead_there


def test_what_is_known_of_a_name_is_not_asked_for_again() -> None:
    asked: list[str] = []

    def stands_for(name: str) -> tuple[str, ...]:
        asked.append(name)
        return STANDS_FOR.get(name, ())

    ways = Ways({"threadIdx"})
    first = [ways.lead_there([name], stands_for) for name in STANDS_FOR]
    assert first == [True, True, False, False, False, False, True]
    asked.clear()
    assert [ways.lead_there([name], stands_for) for name in STANDS_FOR] == first
    assert asked == []
