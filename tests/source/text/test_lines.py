"""The line at an offset is the same whether it is looked for alone or in a list of all lines."""

from __future__ import annotations

import pytest

from hipport.source.text.lines import Lines


@pytest.mark.parametrize("text", ["", "\n", "ab", "ab\n", "\n\nab\r\n\nc", "ab\n\n"])
def test_the_line_at_each_offset(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        number = len(text[:offset].split("\n"))
        start = len(text[:offset]) - len(text[:offset].split("\n")[-1])
        assert Lines(text).at(offset) == (number, start)
        assert [lines.at(offset) for _ in range(10)] == [(number, start)] * 10
        assert lines.start(number) == start
