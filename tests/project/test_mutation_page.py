"""The page about mutants has the figures of the results beside it."""

from __future__ import annotations

from benchmarks.mutation.table import PAGE, page


def test_the_page_is_that_of_the_results() -> None:
    assert PAGE.read_text("utf-8") == page()
