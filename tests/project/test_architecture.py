"""docs/architecture.md shows the packages as they are: the folders and the contracts of imports."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.support.folders import CHECKOUT

PAGE = (CHECKOUT / "docs/architecture.md").read_text("utf-8")
CONTRACTS = {
    "hipport": "imports point one way",
    "hipport/source": "within the sources, imports point one way",
    "hipport/fatbin": "within the fatbin reader, imports point one way",
    "hipport/rulebook": "within the rulebook, imports point one way",
}


def rows(folder: str) -> list[set[str]]:
    """What the table about a folder names, row by row."""
    table = PAGE.partition(f"| `{folder}/` |")[2].partition("\n\n")[0].splitlines()[2:]
    return [set(re.findall(r"`(\w+)`", line.split("|")[1])) for line in table]


@pytest.mark.parametrize("folder", CONTRACTS)
def test_a_table_is_in_the_order_in_which_imports_point(folder: str) -> None:
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    layers = next(each["layers"] for each in contracts if each["name"] == CONTRACTS[folder])
    assert rows(folder) == [
        {name.rpartition(".")[2] for name in each.split(" | ")} for each in layers
    ]


@pytest.mark.parametrize("folder", CONTRACTS)
def test_a_table_names_all_that_is_in_the_folder(folder: str) -> None:
    there = {
        path.stem
        for path in (CHECKOUT / folder).iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert set().union(*rows(folder)) == there - {"__init__"}


def test_the_files_on_the_way_are_there() -> None:
    named = re.findall(r"`(hipport/[\w/]+\.py)`", PAGE)
    assert len(named) > 15
    assert [name for name in named if not (CHECKOUT / name).is_file()] == []
