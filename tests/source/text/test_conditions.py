"""What a condition of the preprocessor decides."""

from __future__ import annotations

import pytest

from hipport.source.text.conditions import decided


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("LEVEL < 600 and defined(LEVEL)", False),
        ("not defined(LEVEL) or other()", True),
        ("!defined(LEVEL) && NEWER >= 2", True),
        ("NEWER >= 2 and other", None),
    ],
)
def test_operators_that_have_words(condition: str, holds: bool | None) -> None:
    assert decided(condition, {"LEVEL"}, {"NEWER": 3}) is holds


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("IS_ENABLED(LEVEL)", False),
        ("OursDefined(NEWER) && !OursDefined(LEVEL)", True),
        ("OursDefined(NONE)", False),
        ("OursDefined(OTHER)", None),
        ("UNDEFINED(LEVEL)", None),
        ("OursDefined(LEVEL, 2)", None),
        ("level(LEVEL)", None),
    ],
)
def test_macros_that_ask_whether_another_is_set(condition: str, holds: bool | None) -> None:
    assert decided(condition, {"LEVEL"}, {"NEWER": 3, "NONE": 0}) is holds
