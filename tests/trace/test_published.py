"""Launches of published packages, traced in their wheels, against what was read in the sources."""

from __future__ import annotations

import itertools
import json
import re
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hipport
from tests.support.fetch import fetch

pytestmark = [pytest.mark.real, pytest.mark.slow]

SAMPLE = tomllib.loads(Path(__file__).with_name("published.toml").read_text("utf-8"))


def traced(package: str, folder: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """The launches of a package by file and line."""
    sample = SAMPLE[package]
    archive = fetch(package.partition("-")[0], *sample["sources"])
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    command = ("trace", "--isolated", "-q", "--fail-on", "never", "-o", "trace.json")
    ran = hipport(*command, sample["folder"], fetch(package, *sample["wheel"]), cwd=tree)
    assert ran.code == 0, ran.err
    launches = json.loads((tree / "trace.json").read_text())["launches"]
    return {(each["path"], each["line"]): each for each in launches}


def instances(name: str, values: dict[str, list[Any]]) -> Iterator[str]:
    """A name with each value for the parameters in its template arguments."""
    _, opened, arguments = name.partition("<")
    used = {
        keys: every
        for keys, every in values.items()
        if opened and all(re.search(rf"\b{key}\b", arguments) for key in keys.split(", "))
    }
    for chosen in itertools.product(*used.values()):
        found = arguments
        for keys, value in zip(used, chosen, strict=True):
            parts = [value] if isinstance(value, str) else value
            for key, part in zip(keys.split(", "), parts, strict=True):
                found = re.sub(rf"\b{key}\b", part, found)
        yield name.partition("<")[0] + opened + found


def without_parameters(readable: str) -> str:
    return readable.removeprefix("void ").rpartition("(")[0]


@pytest.mark.parametrize("package", SAMPLE)
def test_every_launch_has_the_kernels_that_its_source_names(package: str, tmp_path: Path) -> None:
    sample = SAMPLE[package]
    found = traced(package, tmp_path)
    assert set(found) >= {(path, line) for path, line, _, _ in sample["launches"]}
    for path, line, name, block in sample["launches"]:
        launch = found[path, line]
        kernels = [without_parameters(each["readable"]) for each in launch["kernels"]]
        expected = list(instances(name, sample["values"]))
        assert sorted(kernels) == sorted(expected), (path, line)
        sizes = launch["block"]["values"]
        assert (0 if sizes is None else sizes[0]) == block, (path, line)
        for each in launch["kernels"]:
            assert len({row["target"] for row in each["targets"]}) == sample["targets"]
        if launch["certainty"] == "certain":
            assert len(kernels) == 1


def test_the_sample_has_fifty_launches() -> None:
    assert sum(len(each["launches"]) for each in SAMPLE.values()) >= 50
