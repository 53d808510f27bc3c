"""What a Python file refers to, in an order that does not change from run to run."""

from __future__ import annotations

from hipport.source.languages.python_references import References


def test_of_two_names_at_one_place_the_shorter_comes_first() -> None:
    chain = b"a.b()" + b".c()" * 20
    uses = [each.span.end for each in References(chain).uses()]
    assert len(uses) == 21
    assert uses == sorted(uses)
