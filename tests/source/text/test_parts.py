"""What is found in a part of a text alone is found once, also for the versions that follow."""

from __future__ import annotations

from hipport.model import Span
from hipport.source.text.source_text import Code

TEXT = b"int a; // }\nvoid f() {\n  if (a) {\n}\n}\nvoid g() { }\n"


def test_parts_end_where_a_line_is_a_brace_alone() -> None:
    code = Code(TEXT)
    parts = [code.code[slice(*each)] for each in code.parts]
    assert parts == ["int a;     \nvoid f() {\n  if (a) {\n}\n", "}\nvoid g() { }\n"]
    assert [Code(data).parts for data in (b"", b"x")] == [[Span(0, 0)], [Span(0, 1)]]


def test_a_part_that_a_version_before_had_is_not_looked_through_again() -> None:
    looked: list[str] = []

    def length(text: str) -> int:
        looked.append(text)
        return len(text)

    one, two, three = (Code(data) for data in (b"ab cd", b"x ab cd", b"x"))
    assert [one.of_part(length, Span(0, 2)), one.of_part(length, Span(0, 2))] == [2, 2]
    two.follow(one)
    assert [two.of_part(length, Span(2, 4)), two.of_part(length, Span(5, 7))] == [2, 2]
    assert looked == ["ab", "cd"]
    three.follow(two)
    assert three.of_part(length, Span(0, 1)) == 1


def test_what_is_asked_counts_too() -> None:
    code = Code(b"ab ab")
    found = [code.of_part(str.count, Span(0, 5), each) for each in ("a", "ab ", "a")]
    assert found == [2, 1, 2]
