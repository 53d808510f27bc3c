"""Virtual environments with packages in them, made by the pip that the tests have.

An environment with a pip of its own takes seconds more, and none of the programs in it calls pip.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def make_environment(
    folder: Path, *packages: str | Path, variables: Mapping[str, str] | None = None
) -> Path:
    """Make an environment with these packages; returns the folder of its programs."""
    python = [sys.executable, "-m"]
    subprocess.run([*python, "venv", "--without-pip", folder], check=True)
    pip = [*python, "pip", "--python", folder / "bin/python", "--disable-pip-version-check"]
    install = [*pip, "install", "--quiet", *packages]
    # From a folder where Python finds nothing of the checkout.
    subprocess.run(install, cwd=folder, env=variables, check=True, timeout=1800)
    return folder / "bin"
