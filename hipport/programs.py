"""Programs of this machine: found outside the current folder, which may be a tree that nobody has
read yet, and started with bounds."""

from __future__ import annotations

import os
from collections.abc import Callable


def find_program(name: str) -> str | None:
    """The path of a program in one of PATH's absolute folders; None if there is none."""
    import shutil  # Most runs look for no program, and it takes long to load.

    return shutil.which(name, path=search_path())


def search_path() -> str:
    """PATH without relative folders, and without empty ones, which mean the current folder."""
    return os.pathsep.join(filter(os.path.isabs, os.get_exec_path()))


def bounded(*, memory: int, output: int | None = None) -> Callable[[], None] | None:
    """What subprocess takes as `preexec_fn` to bound a program's memory, and with `output` each
    file it writes, in bytes; None where the system has no such bounds."""
    if os.name != "posix":
        return None

    def bound() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if output is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))

    return bound
