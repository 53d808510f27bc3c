"""Walking over code by brackets and words."""

from __future__ import annotations

import pytest

from hipport.model import Span
from hipport.source.text.brackets import (
    closing_brace,
    closing_bracket,
    closing_brackets,
    opening_bracket,
    word_before,
)

LENGTHS = (0, 1, 63, 64, 65, 128, 199, 200, 201, 1000)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_word_is_found_whole_however_long(length: int) -> None:
    text = f"x ({'é_9'[: length % 4]}{'w' * length} \t"
    end = len(text) - 2
    assert word_before(text, len(text)) == Span(3, end)


@pytest.mark.parametrize("length", LENGTHS)
def test_the_opening_bracket_is_found_however_far(length: int) -> None:
    text = f"f({'[y]' * (length % 3)}{'x' * length})"
    assert opening_bracket(text, len(text) - 1) == 1
    assert opening_bracket(text[2:], len(text) - 3) is None


def test_the_brackets_of_a_whole_text_are_those_found_one_by_one() -> None:
    text = "} ) n { f(a[1], {2}) { g(; } } ( [ { x } ] { unclosed ( y )"
    places = [at for at, char in enumerate(text) if char in "([{"]
    closed = closing_brackets(text, Span(0, len(text)))
    found = [closed.get(at) for at in places]
    assert found == [closing_bracket(text, at) for at in places]
    assert None in found
    assert len(set(found)) > 6


def test_a_bracket_that_nothing_closes_hides_no_brace() -> None:
    text = "#define CALL(f) f(\nf() { a[1] = CALL(g) 2); if (x) { h(; } }\ng() { "
    places = [at for at, char in enumerate(text) if char == "{"]
    ends = [text.rindex("}"), text.index("}"), None]
    assert [closing_brace(text, at) for at in places] == ends


BRANCHES = """\
#if A
f(int x) {
  if (x) {
#else
f(long x) {
#endif
  g();
#if A
  }
#endif
}
h() { }
"""


def test_branches_of_a_directive_open_the_same_brackets() -> None:
    braces = [at for at, char in enumerate(BRANCHES) if char == "{"]
    closed = [closing_brace(BRANCHES, at) for at in braces]
    outer = BRANCHES.index("}\nh()")
    assert closed == [outer, BRANCHES.index("  }") + 2, outer, BRANCHES.rindex("}")]


def test_a_branch_that_closes_what_was_open_before_counts_once() -> None:
    text = "f() {\n#ifdef A\n  a(); }\n#else\n  b(); }\n#endif\ng() { }\n"
    assert closing_brace(text, text.index("{")) == text.index("}")
    assert closing_brace(text, text.rindex("{")) == text.rindex("}")
