"""Debian's HIP packages arranged as one ROCm folder, the way CMake's HIP language looks for it.

Debian spreads ROCm over /usr; CMake 3.25 wants one root with lib/cmake/hip-lang, and clang one
with bin/.hipVersion. The folder made here holds links, and CMake's package files copied so that
their own paths lead back into it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
_PACKAGES = ("amd_comgr", "hip-lang", "hip", "hiprand", "hipsparse", "hsa-runtime64", "rocrand")
_HEADERS = ("hip", "hsa", "hiprand", "hipsparse", "rocrand")
_VERSION = "HIP_VERSION_MAJOR=5\nHIP_VERSION_MINOR=2\nHIP_VERSION_PATCH=21153\n"
COMPILER = "/usr/bin/clang++-15"


def make_root(root: Path) -> Path:
    """Make the folder and return it; a missing package raises FileNotFoundError."""
    libraries = root / "lib" / _LIBRARIES.name
    for folder in (root / "bin", root / "include", libraries / "cmake"):
        folder.mkdir(parents=True)
    (root / "bin" / ".hipVersion").write_text(_VERSION)
    for tool in ("hipcc", "hipconfig"):
        (root / "bin" / tool).symlink_to(Path("/usr/bin", tool).resolve(strict=True))
    for place in (root, libraries):
        (place / "amdgcn").symlink_to((_LIBRARIES / "amdgcn").resolve(strict=True))
    for name in _HEADERS:
        (root / "include" / name).symlink_to(Path("/usr/include", name).resolve(strict=True))
    for prefix in ("libamd", "libhip", "libroc", "libhsa"):
        for library in _LIBRARIES.glob(f"{prefix}*"):
            (libraries / library.name).symlink_to(library)
    for package in _PACKAGES:
        _copy_package(package, root, libraries / "cmake" / package)
    return root


def _copy_package(package: str, root: Path, copy: Path) -> None:
    shutil.copytree(_LIBRARIES / "cmake" / package, copy)
    entry = root / "lib" / "cmake" / package
    entry.mkdir(parents=True)
    for file in copy.glob("*onfig.cmake"):
        (entry / file.name).write_text(f'include("{file}")\n')
    for file in copy.glob("*ersion.cmake"):
        shutil.copy(file, entry)


def environment(root: Path) -> dict[str, str]:
    """What CMake, make and hipcc need to be told of the folder."""
    return {
        **os.environ,
        "HIP_PLATFORM": "amd",
        "ROCM_PATH": "/usr",
        "CMAKE_PREFIX_PATH": str(root),
        "HIPFLAGS": f"--rocm-path={root}",
    }


def cmake_options(root: Path) -> list[str]:
    return [f"-DCMAKE_HIP_COMPILER={COMPILER}", f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={root}"]
