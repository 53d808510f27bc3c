"""Throw-away git repositories, and what pre-commit and prek say in them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import Ran, make_tree
from tests.support.folders import CHECKOUT

MANIFEST = CHECKOUT / ".pre-commit-hooks.yaml"
RUNNERS = (pytest.param("pre-commit", marks=pytest.mark.slow), "prek")
_IDENTITY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
}


def manifest() -> list[dict[str, Any]]:
    """The hooks that this project offers."""
    hooks: list[dict[str, Any]] = yaml.safe_load(MANIFEST.read_text())
    return hooks


def run(folder: Path, *command: str) -> Ran:
    """Run a program in a repository, the runners' caches beside it."""
    programs = str(Path(sys.executable).parent)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        **_IDENTITY,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(folder.parent / "cache"),
        "PREK_HOME": str(folder.parent / "cache-prek"),
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=570
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def git(folder: Path, *arguments: str) -> str:
    """The output of a git command that must succeed."""
    done = run(folder, "git", *arguments)
    assert done.code == 0, done.err
    return done.out


def repository(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """A repository with the files committed."""
    make_tree(folder, files)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=first")
    return folder


def local_config(*ids: str, args: Mapping[str, list[str]] | None = None) -> str:
    """A configuration whose hooks are the manifest's, run by this very Python: no network."""
    hooks = []
    for hook in manifest():
        if hook["id"] in ids:
            program, *arguments = shlex.split(hook["entry"])
            assert program == "hipport"
            entry = shlex.join([sys.executable, "-m", "hipport", *arguments])
            own = (args or {}).get(hook["id"], hook.get("args", []))
            hooks.append({**hook, "language": "system", "entry": entry, "args": own})
    return yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]})
