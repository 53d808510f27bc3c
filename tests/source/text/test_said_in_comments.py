"""Which lines comments are about."""

from __future__ import annotations

import pytest

from hipport.source.text.said_in_comments import lines_said, said_in
from hipport.source.text.source_text import Code


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("int a = 1;  // red and blue\nint b = 2;\n", {1}),
        ("// red\n// and blue\nint a = 1;\nint b = 2;\n", {3}),
        ("/* red\n   and blue */\nint a = 1;\n", {3}),
        # One of both words is not enough, nor are two comments with a line between them.
        ("// red\nint a = 1;\n// blue\nint b = 2;\n", set()),
        ("// red\n\n// blue\nint a = 1;\n", set()),
        # One beside code does not go on in the next line.
        ("int a = 1;  // red\n// blue\nint b = 2;\n", set()),
        ("// red and blue", {2}),
    ],
)
def test_the_lines_that_comments_are_about(text: str, lines: set[int]) -> None:
    code = Code(text.encode())
    assert lines_said(code, code.comments, ["red", "blue"]) == lines


def test_a_long_comment_is_looked_at_in_part() -> None:
    code = Code(b"// " + b"x" * 5000 + b" red\nint a = 1;\n")
    assert lines_said(code, code.comments, ["red"]) == set()


def test_what_is_said_of_is_left() -> None:
    text = "int a = 1;\nint b[] = {  // red\n  2,\n  3};\nint c = 4;  // red\nint d;\n"
    code = Code(text.encode())
    left = [line.strip() for line in said_in(code.code, code, code.comments, ["red"]).split("\n")]
    assert left == ["", "int b[] = {", "2,", "", "int c = 4;", "", ""]
    assert said_in(code.code, code, code.comments, ["blue"]) == ""
