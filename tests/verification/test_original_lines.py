"""Which line of the original a converted line was, and where statements begin and end."""

from __future__ import annotations

import pytest

from hipport.verification.known_files import statement
from hipport.verification.original_lines import original_lines


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\n", "a\nb\n", [1, 2, 3]),
        ("a\nb\nc\n", "include\na\nb\nc\n", [1, 1, 2, 3, 4]),
        ("a\nb\nc\nd\n", "a\nBC\nd\n", [1, 2, 4, 5]),
        ("a\nb\nc\n", "a\nc\n", [1, 3, 4]),
        ("a\nb\n", "a\nB1\nB2\n", [1, 2, 2, 3]),
        ("", "include\n", [1, 1]),
        ("same\n" * 3 + "x\n" + "same\n" * 3, "same\n" * 3 + "y\n" + "same\n" * 3, [*range(1, 9)]),
    ],
)
def test_lines_of_the_original(old: str, new: str, expected: list[int]) -> None:
    assert original_lines(old.encode(), new.encode()) == expected


def test_a_long_text_that_differs_everywhere_goes_line_by_line() -> None:
    old = b"".join(b"a%d\n" % each for each in range(25_000))
    assert original_lines(old, old.replace(b"a", b"b")) == list(range(1, 25_002))


TEXT = """#include <a.h>
int f(int a,
      int b)
{
    g(a,

      b);
    h();
#define M(x) do { \\
    u(x, \\
      x); \\
} while (0)
    M(
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (1, [1]),
        (2, [2, 3, 4]),
        (3, [2, 3, 4]),
        (6, [5, 6, 7]),
        (8, [8]),
        (10, [10, 11]),
        (13, [13, 14]),
        (99, [99]),
        (0, [0]),
    ],
)
def test_the_lines_of_a_statement(line: int, expected: list[int]) -> None:
    assert list(statement(TEXT.split("\n"), line)) == expected
