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
