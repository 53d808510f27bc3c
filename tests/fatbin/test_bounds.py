"""Every bound of the readers at its border: enough, and one less.

`fixtures/damaged/bounds.tsv` has for each file the bounds that matter to it, the least value with
which it is read as it is without, and what is said with one less, or what is left.
`python -m tests.fatbin.test_bounds` writes it again.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

import pytest

import hipport.fatbin
from hipport.fatbin.limits import Limits
from tests.fatbin.test_damaged_bytes import LIMITS, NAMES, TABLES, content, outcome

TABLE = TABLES / "bounds.tsv"
_NAMES = ("_MAX", "_MOST", "_LARGEST", "_LONGEST", "MAX_")
FIELDS = [name for name in vars(Limits) if name.startswith("max_") and name != "max_stream"]
# These bound time, or the output of other programs.
_LEFT_OUT = {"max_seconds", "max_debug_entries"}


def constants() -> Iterator[str]:
    for module in pkgutil.walk_packages(hipport.fatbin.__path__, "hipport.fatbin."):
        if not module.name.endswith("_child"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if name.startswith(_NAMES) and isinstance(value, int):
                    yield f"{module.name.removeprefix('hipport.fatbin.')}.{name}"


def read_with(name: str, bound: str, value: int) -> dict[str, str]:
    """What a file says and holds under one bound."""
    if bound in FIELDS:
        return outcome(content(name), Limits(**{"max_size": LIMITS.max_size, bound: value}))
    module, _, constant = bound.rpartition(".")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(f"hipport.fatbin.{module}.{constant}", value)
        return outcome(content(name))


@cache
def sound(name: str) -> dict[str, str]:
    return outcome(content(name))


def least(name: str, bound: str) -> int:
    """The least value with which all is read; 0 if the bound does not matter to this file."""
    if read_with(name, bound, 0) == sound(name):
        return 0
    low, high = 0, 1
    while read_with(name, bound, high) != sound(name):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if read_with(name, bound, middle) == sound(name):
            high = middle
        else:
            low = middle
    return high


def difference(name: str, bound: str, value: int) -> str:
    now = read_with(name, bound, value)
    return now["said"] or "; ".join(now[key] for key in now if now[key] != sound(name)[key])


ROWS = [tuple(line.split("\t")) for line in TABLE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("bound", "name", "value", "said"), ROWS)
def test_enough_and_one_less(bound: str, name: str, value: str, said: str) -> None:
    assert read_with(name, bound, int(value)) == sound(name)
    assert difference(name, bound, int(value) - 1) == said


if __name__ == "__main__":
    rows = []
    for each in [*(field for field in FIELDS if field not in _LEFT_OUT), *sorted(constants())]:
        known = {0}
        for file in NAMES:
            if (border := least(file, each)) not in known:
                rows.append(f"{each}\t{file}\t{border}\t{difference(file, each, border - 1)}\n")
                known |= {border} if each not in FIELDS else set()
    TABLE.write_text("".join(rows), "utf-8")
