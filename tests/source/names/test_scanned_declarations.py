"""What a text declares and defines, as far as a scan of it shows."""

import pytest

from hipport.source.names.scanned_declarations import FEW, defined_in

TEXT = """
__device__ int declared(int a);
int defined(int a) { return called(a); }
int two_lines \\
  (int a)
{ return a; }
int S::member(int a) const { return -negated(a); }
int operator+(S a, S b) { return 0; }
int é(int a) { return a; }
int mentioned = 1;
"""
NAMES = ["declared", "defined", "called", "two_lines", "member", "negated", "operator+", "é"]


@pytest.mark.parametrize("others", [0, FEW])
def test_what_is_defined(others: int) -> None:
    code = TEXT.encode().decode("latin-1")
    names = [each.encode().decode("latin-1") for each in (*NAMES, "mentioned", "missing")]
    found = defined_in(code, [*names, *(f"other{number}" for number in range(others))])
    expected = ("defined", "two_lines", "member", "operator+", "é")
    assert found == {each.encode().decode("latin-1") for each in expected}
