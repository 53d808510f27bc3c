"""PyTorch's wheel for CPUs, installed into the cache: it builds extensions as every wheel does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.fetch import cache_folder

VERSION = "2.13.0+cpu"
_WITH = ("sympy", "typing-extensions", "filelock", "networkx", "jinja2", "fsspec", "setuptools")


def torch_folder() -> Path:
    """The folder for Python's path; raises CalledProcessError if the index has no wheel."""
    folder = cache_folder() / f"torch-{VERSION}-{sys.version_info.major}.{sys.version_info.minor}"
    if folder.is_dir():
        return folder
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(partial)]
    try:
        subprocess.run([*pip, "--no-deps", f"torch=={VERSION}"], check=True, timeout=1200)
        subprocess.run([*pip, "--upgrade", *_WITH], check=True, timeout=600)
        partial.replace(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder
