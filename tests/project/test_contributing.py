"""The pages of docs/contributing are followed to the letter in a copy of the project."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import make_tree
from tests.support.folders import CHECKOUT

PAGES = sorted((CHECKOUT / "docs/contributing").glob("*.md"))
# "`path`:" before a block names the file that it is; a console has commands and their output.
BLOCK = re.compile(
    r"(?:^`(?P<path>[\w./-]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the program and its rules, with a `hipport` that runs it."""
    folder = tmp_path / "copy"
    for name in ("hipport", "rules"):
        shutil.copytree(CHECKOUT / name, folder / name)
    script = f'#!/bin/sh\nexec "{sys.executable}" -m hipport "$@"\n'
    make_tree(tmp_path / "programs", {"hipport": script})
    (tmp_path / "programs/hipport").chmod(0o755)
    return folder


def calls(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block and what it must print."""
    for call in re.split(r"^\$ ", console, flags=re.M)[1:]:
        command, _, output = call.partition("\n")
        yield command, output


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_does_what_it_says(page: Path, copy: Path) -> None:
    environment = {"PATH": f"{copy.parent}/programs:/usr/bin:/bin", "PYTHONPATH": str(copy)}
    ran = 0
    for block in BLOCK.finditer(page.read_text()):
        if block["path"]:
            make_tree(copy, {block["path"]: block["text"]})
        for command, expected in calls(block["text"]) if block["kind"] == "console" else ():
            done = subprocess.run(
                ["bash", "-c", command], cwd=copy, env=environment, capture_output=True, text=True
            )
            shape = re.escape(expected).replace("…", ".*")
            assert re.fullmatch(shape, done.stdout), f"{command}\n{done.stdout}{done.stderr}"
            ran += 1
    assert ran >= 2


def test_the_pages_are_there() -> None:
    assert [page.stem for page in PAGES] == ["api", "finding", "format", "report", "rewrite"]
    text = (CHECKOUT / "CONTRIBUTING.md").read_text()
    assert text.splitlines()[0].find("make check") >= 0
    for page in PAGES:
        assert f"docs/contributing/{page.name}" in text


def test_what_the_pages_add_passes_the_linters(copy: Path) -> None:
    sources = [
        block["path"]
        for page in PAGES
        for block in BLOCK.finditer(page.read_text())
        if block["kind"] == "python" and make_tree(copy, {block["path"]: block["text"]})
    ]
    assert len(sources) == 4
    ruff = [
        Path(sys.executable).with_name("ruff"),
        "check",
        "--config",
        CHECKOUT / "pyproject.toml",
    ]
    done = subprocess.run([*ruff, *sources], cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
