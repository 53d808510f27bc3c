"""The tutorial's commands, run one after the other as a reader would type them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).parents[1]
FAILING = {
    "hipport fatbin check blur_hip/blur --require gfx942": 1,
    "hipport check blur/src/blur.cu": 1,
}
"""Exit codes that the text announces; all other commands end with 0."""


class Step(NamedTuple):
    command: str
    shown: str
    """What the page shows below the command; `…` stands for any text, also over several lines."""


def steps() -> list[Step]:
    page = (CHECKOUT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    found = []
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append(Step(command, shown))
    return found


def agrees(shown: str, printed: str) -> bool:
    pattern = re.escape(shown).replace("…", ".*")
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def test_a_page_that_shows_something_else_is_noticed() -> None:
    assert agrees("a …\n…\nd\n", "a b\nc\nd\n")
    assert not agrees("a\n", "a\nb\n")
    assert not agrees("", "warning\n")


@pytest.mark.toolchain
def test_every_command_does_what_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "hipport").symlink_to(CHECKOUT)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}
    assert len(steps()) > 15
    for step in steps():
        ran = subprocess.run(
            ["bash", "-c", step.command],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert agrees(step.shown, ran.stdout), f"$ {step.command}\n{ran.stdout}"
        assert ran.returncode == FAILING.get(step.command, 0), step.command
