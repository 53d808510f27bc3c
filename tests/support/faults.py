"""What a program can meet: permissions that hold, files that may not grow, small disks."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def obeys_permissions() -> None:
    """Make the process obey permission bits even if it runs as root.

    Taken from what a program may inherit, the two capabilities that override them are gone
    after exec: capabilities(7), "Capability bounding set".
    """
    drop_from_bounding_set = 24  # PR_CAPBSET_DROP of linux/prctl.h
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH of linux/capability.h
        if os.geteuid() == 0 and ctypes.CDLL(None).prctl(drop_from_bounding_set, capability):
            raise OSError("cannot drop a capability")


def small_files() -> None:
    """Let no file grow beyond 4 KiB: writing more fails as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[bool]:
    """Whether a file system in memory is mounted there: this user may not be allowed to."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    is_mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", str(folder)], check=True)
