"""How far patterns look: enough for an example, and one less.

`fixtures/audit/bounds.tsv` has the bounds that matter to an example, the least value with which the
same is found in it, and what is found with one less.
`python -m tests.source.patterns.test_pattern_bounds` writes it again.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import hipport.source.patterns
from hipport.commands.ruleexamples import Example, examples, found_in
from hipport.rulebook.load import load
from tests.support.folders import FIXTURES

TABLE = FIXTURES / "audit" / "bounds.tsv"
RULES = load(is_audit=True)
PREFIX = "hipport.source.patterns."


def bounds() -> Iterator[str]:
    for module in pkgutil.walk_packages(hipport.source.patterns.__path__, PREFIX):
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.isupper() and type(value) is int:
                yield f"{module.name.removeprefix(PREFIX)}.{name}"


def found(example: Example) -> str:
    places = [
        f"{each.start.line}:{each.start.column} {each.code} {each.symbol!r} {each.message}"
        for each in found_in(example, RULES)
    ]
    return "; ".join(places).replace("\n", "\\n") or "nothing"


def found_with(example: Example, bound: str, value: int) -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PREFIX + bound, value)
        return found(example)


def least(example: Example, bound: str) -> int:
    """The least value with which the same is found; 0 if the bound does not matter."""
    whole = found(example)
    if found_with(example, bound, 0) == whole:
        return 0
    module, _, name = (PREFIX + bound).rpartition(".")
    low, high = 0, getattr(importlib.import_module(module), name)
    while high - low > 1:
        middle = (low + high) // 2
        if found_with(example, bound, middle) == whole:
            high = middle
        else:
            low = middle
    return int(high)


def of_module(bound: str) -> Iterator[Example]:
    """The examples of the rules that a module checks."""
    module = bound.split(".")[-2]
    for rule in RULES.findings.values():
        if rule.check == module:
            yield from (each for each in examples(rule) if not each.needs_binaries)


def example_at(place: str) -> Example:
    code = place.partition(":")[0]
    return next(each for each in examples(RULES.findings[code]) if each.place == place)


ROWS = [tuple(line.split("\t")) for line in TABLE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("bound", "place", "value", "otherwise"), ROWS)
def test_enough_and_one_less(bound: str, place: str, value: str, otherwise: str) -> None:
    example = example_at(place)
    assert found_with(example, bound, int(value)) == found(example)
    assert found_with(example, bound, int(value) - 1) == otherwise


if __name__ == "__main__":
    rows = []
    for each in sorted(bounds()):
        for one in of_module(each):
            if border := least(one, each):
                what = found_with(one, each, border - 1)
                rows.append(f"{each}\t{one.place}\t{border}\t{what}\n")
    TABLE.write_text("".join(rows), "utf-8")
