"""The golden cases of build files: a tree, what becomes of it, and what is told.

`fixtures/build/<case>/input` is converted; `expected` holds the build files that change, and only
those; `findings` a line for each finding. `case.toml` has the options, and whether the converted
project is configured (`build = "configure"`) or also built with Debian's tools.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import Choices
from hipport.source.buildfiles.build_conversion import convert_build
from hipport.source.buildfiles.build_kinds import build_kind
from hipport.source.options import Options
from hipport.source.tree.run_tasks import run
from hipport.source.tree.task_list import Wishes, plan
from tests.support.folders import FIXTURES

FOLDER = FIXTURES / "build"
KINDS = ("cmake", "make", "python", "requirements", "docker", "shell")


@dataclass(frozen=True, slots=True)
class BuildCase:
    """One case. `endings` are those of renamed sources."""

    name: str
    folder: Path
    options: dict[str, str]
    build: str
    makes: tuple[str, ...]

    @property
    def endings(self) -> dict[str, str]:
        old, _, new = self.options.get("--rename", "").partition("=")
        return {old: new} if old else {}

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(filter(None, self.options.get("--targets", "").split(",")))

    @property
    def libs(self) -> str:
        return self.options.get("--libs", "hip")

    @property
    def build_files(self) -> list[str]:
        """The paths of the input's build files."""
        found = (path for path in sorted((self.folder / "input").rglob("*")) if path.is_file())
        names = (path.relative_to(self.folder / "input").as_posix() for path in found)
        return [name for name in names if build_kind(name, KINDS)]

    def given(self, name: str) -> bytes:
        return (self.folder / "input" / name).read_bytes()

    def expected(self, name: str) -> bytes:
        path = self.folder / "expected" / name
        return path.read_bytes() if path.is_file() else self.given(name)

    @property
    def findings(self) -> list[str]:
        path = self.folder / "findings"
        return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def _case(folder: Path) -> BuildCase:
    path = folder / "case.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    words = table.get("options", [])
    return BuildCase(
        folder.name,
        folder,
        dict(zip(words[::2], words[1::2], strict=True)),
        table.get("build", ""),
        tuple(table.get("makes", ())),
    )


CASES = [_case(folder) for folder in sorted(FOLDER.iterdir())]


def convert_tree(case: BuildCase, source: Path, output: Path) -> list[str]:
    """Convert the tree as `hipport convert` does; a line for each finding in a build file."""
    wishes = Wishes(output=output, endings=case.endings, build_files=KINDS)
    tasks = plan([str(source)], wishes, _fail)
    options = Options(
        rocm=load().rocm,
        libs=case.libs,
        endings=tuple(case.endings.items()),
        targets=case.targets,
    )
    outcomes = list(run(tasks, options, jobs=1))
    assert [each.error for each in outcomes if each.error] == []
    return [
        f"{each.path}:{each.start.line}:{each.start.column} {each.severity.word} {each.code}"
        f" {each.symbol}"
        for outcome in outcomes
        for each in outcome.findings
        if build_kind(each.path, KINDS)
    ]


def convert_bytes(case: BuildCase, name: str, data: bytes) -> bytes:
    """The converted bytes of one build file of a case."""
    choices = Choices(case.targets, case.libs)
    kind = build_kind(name, KINDS)
    return convert_build(data, name, kind, load(), choices, tuple(case.endings.items())).data


def _fail(error: Exception) -> None:
    raise error
