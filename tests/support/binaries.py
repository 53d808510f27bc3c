"""Where the fixtures are, and how the tests open them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from hipport.cli import root
from hipport.fatbin.binary import Binary
from hipport.fatbin.limits import Limits
from hipport.fatbin.reader import open_path
from tests.support.folders import FIXTURES

BINARY = FIXTURES / "binary"
CORRUPT = FIXTURES / "corrupt"
TRUTH: dict[str, Any] = json.loads((BINARY / "truth" / "fatbins.json").read_text())


def only(path: Path | str, limits: Limits | None = None) -> Binary:
    """The one binary in a file."""
    (binary,) = open_path(str(path), limits)
    return binary


def run(*arguments: str | Path) -> Result:
    """`hipport fatbin ARGUMENTS`, in this process."""
    return CliRunner().invoke(root, ["fatbin", *map(str, arguments)])


def tool(name: str) -> str:
    """An LLVM tool; a missing one is a failure, not a skip."""
    found = shutil.which(name)
    assert found, f"{name} is not installed"
    return found


def output_of(*command: str | Path) -> str:
    """What a tool writes to stdout; its failure is the test's."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
