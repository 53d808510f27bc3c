"""Writes README.md from the results beside it: `python -m benchmarks.mutation.table`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
PAGE = FOLDER / "README.md"


class Run(NamedTuple):
    """The last run of a package, drawn with a seed that no run before had."""

    package: str
    seed: int
    results: str
    tests: str
    """What was run, as on the command line."""


_PATTERNS = "tests/source tests/rulebook/test_hip_moves.py"
RUNS = (Run("hipport/source/patterns", 907, "patterns.jsonl", _PATTERNS),)
_HEAD = """\
# Mutants

Does a test fail if the program does something else? `python -m benchmarks.mutation` draws places
in a package at random and changes each in a small way: `<` becomes `<=`, `and` becomes `or`, a
constant another, a returned value `None`, a call nothing. A mutant is killed if a test fails that
reaches its function. Some do the same as the program, so that no test can kill them: a bound that
no input reaches, an option that only saves time. They count as survivors here.

```console
$ python -m benchmarks.mutation --count 130 --seed 1 --results new.jsonl -- PACKAGE TESTS…
$ python -m benchmarks.mutation.table     # this page, from benchmarks/mutation/results
```

| package | tests | seed | mutants | killed | score |
|---|---|---|---|---|---|
"""
_SURVIVORS = """
## What survived

"""


def page() -> str:
    rows, lists = "", ""
    for run in RUNS:
        text = (FOLDER / "results" / run.results).read_text("utf-8")
        found = [json.loads(line) for line in text.splitlines()]
        alive = [each for each in found if each["verdict"] != "killed"]
        killed = len(found) - len(alive)
        rows += f"| `{run.package}` | `{run.tests}` | {run.seed} | {len(found)} | {killed} "
        rows += f"| {killed / len(found):.1%} |\n"
        lists += f"`{run.package}`:\n\n"
        for each in sorted(alive, key=lambda one: (one["path"], one["line"])):
            name = each["path"].removeprefix(f"{run.package}/")
            lists += f"- {name}, line {each['line']}: `{_short(each['what'])}`\n"
        lists += "\n"
    return _HEAD + rows + _SURVIVORS + lists.rstrip("\n") + "\n"


def _short(what: str) -> str:
    """What was there and what is, each cut off where it is long."""
    sides = (side.strip().replace("`", "'") for side in what.split("  ->  "))
    return " → ".join(side if len(side) <= 60 else f"{side[:57]}…" for side in sides)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
