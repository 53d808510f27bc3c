"""The commands of the tutorial and the how-to pages, run as a reader would type them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import real_trees
from tests.support.folders import CHECKOUT
from tests.support.terminal import on_a_terminal
from tests.support.wheels import wheel

DOCS = CHECKOUT / "docs"
PAGES = ["tutorial.md", *sorted(f"how-to/{page.name}" for page in DOCS.glob("how-to/*.md"))]
# Recipes for builds, which tests/cmake runs.
RECIPES = {"how-to/build-hip.md"}
REAL = {"how-to/inspect-wheel.md", "how-to/training-stack.md"}
"""Pages whose example is downloaded."""
FAILING = {
    "hipport fatbin check blur_hip/blur --require gfx942": 1,
    "hipport check blur/src/blur.cu": 1,
    "hipport check --rocm 7.1 --fail-on review solve.cpp": 1,
    "hipport check --rocm 10.0 solve.cpp": 1,
}
"""Exit codes that the text announces; all other commands end with 0."""
SET_FOR_A_TERMINAL = ("hipport audit explain", "hipport convert blur", "hipport verify")
"""Commands whose output people read and no program does; others print code, or a line a fact."""
_COLOUR = re.compile(r"\x1b\[[\d;]*(?:3[0-7]|4[0-7]|9[0-7])m")


class Step(NamedTuple):
    command: str
    shown: str
    """What the page shows below the command; `…` stands for any text, also over several lines."""


def steps(page: str) -> list[Step]:
    lines = (DOCS / page).read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"^( *)```console\n(.*?)^ *```$", lines, re.MULTILINE | re.DOTALL):
        indent, text = block
        text = re.sub(f"^{indent}", "", text, flags=re.MULTILINE)
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append(Step(command, shown))
    return found


def agrees(shown: str, printed: str) -> bool:
    pattern = re.escape(shown).replace("…\\\n", "(?:.*?\n)?").replace("…", ".*?")
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def shows_all(shown: str, printed: str) -> bool:
    """Whether a terminal has the lines that the page shows, in their order, wrapped or not.

    It may have more: a summary for people."""
    words = [re.escape(" ".join(line.split())) for line in shown.splitlines()]
    pattern = ".*?".join(line.replace("…", ".*?") for line in words)
    return re.search(pattern, " ".join(printed.split())) is not None


def test_a_page_that_shows_something_else_is_noticed() -> None:
    assert agrees("a …\n…\nd\n", "a b\nc\nd\n")
    assert agrees("a\n…\n", "a\nb\n")
    assert agrees("a\n…\n", "a\n")
    assert not agrees("a\n", "a\nb\n")
    assert not agrees("", "warning\n")
    assert not agrees("a …\nb\n", "a x\nc\n")


def _environment(folder: Path) -> dict[str, str]:
    """What a reader has: a checkout beside the folder's files, and `hipport` on the path."""
    (folder / "hipport").symlink_to(CHECKOUT)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}


def _run(page: str, folder: Path) -> None:
    """The commands of a page as a CI runs them: without any terminal."""
    environment = {**_environment(folder), "CI": "true"}
    environment.pop("TERM", None)
    assert steps(page)
    for step in steps(page):
        ran = subprocess.run(
            ["bash", "-c", step.command],
            cwd=folder,
            env=environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert agrees(step.shown, ran.stdout), f"$ {step.command}\n{ran.stdout}"
        assert ran.returncode == FAILING.get(step.command, 0), step.command


def test_each_page_says_how_long_it_takes() -> None:
    duration = re.compile(r"(?:takes|In) (?:three|four|five|six|ten) minutes")
    assert [page for page in PAGES if not duration.search((DOCS / page).read_text("utf-8"))] == []


@pytest.mark.toolchain
@pytest.mark.parametrize("page", [page for page in PAGES if page not in REAL | RECIPES])
def test_every_command_does_what_the_page_shows(page: str, tmp_path: Path) -> None:
    _run(page, tmp_path)


@pytest.mark.toolchain
def test_the_tutorial_at_a_terminal_of_80_columns_without_colours(tmp_path: Path) -> None:
    environment = {**_environment(tmp_path), "NO_COLOR": "1", "TERM": "xterm"}
    for step in steps("tutorial.md"):
        shown = on_a_terminal(["bash", "-c", step.command], cwd=tmp_path, environment=environment)
        assert shown.code == FAILING.get(step.command, 0), step.command
        assert shows_all(step.shown, shown.text), f"$ {step.command}\n{shown.text}"
        assert not _COLOUR.search(shown.written), step.command
        if step.command.startswith(SET_FOR_A_TERMINAL):
            assert max(map(len, shown.text.splitlines())) <= 80, f"$ {step.command}\n{shown.text}"


def test_a_terminal_that_lacks_a_line_of_the_page_is_noticed() -> None:
    assert shows_all("a b\n…\nc\n", "a\n  b\nmore\nc\n")
    assert not shows_all("a b\nc\n", "c\na b\n")
    assert not shows_all("a b\n", "a c\n")


@pytest.mark.real
def test_the_page_about_wheels(tmp_path: Path) -> None:
    (tmp_path / "bitsandbytes.whl").symlink_to(wheel("bitsandbytes"))
    _run("how-to/inspect-wheel.md", tmp_path)


@pytest.mark.real
@pytest.mark.long
def test_the_page_about_a_training_stack(tmp_path: Path) -> None:
    (tmp_path / "deepspeed").symlink_to(real_trees.whole(real_trees.trees()["deepspeed"]))
    _run("how-to/training-stack.md", tmp_path)
