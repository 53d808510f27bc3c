"""Programs of this machine: found and started so that nothing in the current folder is run.

The current folder may well be a tree that nobody has read yet.
"""

from __future__ import annotations

import os
import shutil


def find_program(name: str) -> str | None:
    """The path of a program in one of PATH's absolute folders; None if there is none."""
    return shutil.which(name, path=search_path())


def search_path() -> str:
    """PATH without relative folders, and without empty ones, which mean the current folder."""
    return os.pathsep.join(filter(os.path.isabs, os.get_exec_path()))
