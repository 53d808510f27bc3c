"""Every row of fixtures/transforms/special.tsv: a call that CUDA documents, and what it becomes.

The rows are the known changes of arguments, names and forms between CUDA and HIP or the roc*
libraries; the calls have the parameters of CUDA's own declarations.
"""

from __future__ import annotations

import csv
from collections import Counter
from typing import NamedTuple

import pytest

from tests.support.converting import convert
from tests.support.folders import FIXTURES

TABLE = FIXTURES / "transforms" / "special.tsv"


class Row(NamedTuple):
    """`row` counts the lines of the table of facts; `findings` are codes, in alphabetical order."""

    row: str
    cuda: str
    transform: str
    argument: str
    target: str
    call: str
    converted: str
    findings: str


def rows() -> list[Row]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Row(*line, *[""] * (8 - len(line))) for line in list(lines)[1:]]


ROWS = rows()


def program(statement: str) -> str:
    return "void f() { " + statement.replace("\\n", "\n") + " }\n"


@pytest.mark.parametrize("row", ROWS, ids=[f"{each.row}-{each.cuda}" for each in ROWS])
def test_the_call_becomes_exactly_this(row: Row) -> None:
    options = ("--libs", "roc") if row.target == "roc" else ()
    result = convert("a.cpp", program(row.call).encode(), options)
    included = '#include "hipport_warp32.h"\n' if "warp32::" in row.converted else ""
    assert result.output.decode() == included + program(row.converted)
    assert " ".join(sorted({each.code for each in result.findings})) == row.findings
    again = convert("a.cpp", result.output, options)
    assert again.output == result.output


def test_all_rows_are_there() -> None:
    assert [row.row for row in ROWS] == [str(number) for number in range(2, 284)]
    kinds = Counter(row.transform for row in ROWS)
    assert kinds["add_argument"] == 78
    assert kinds["replace_argument"] == 59
    assert kinds["cast_argument"] == 40
    assert kinds["remove_argument"] == 22
    assert len(kinds) == 24
