"""Finds the HIP headers of this machine."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.named_tuples import NamedTuple
from hipport.programs import find_program, search_path
from hipport.verification.compiler_facts import in_packages

_VERSION_FILE = Path("hip", "hip_version.h")
_SYSTEM = Path("/usr/include")
_LARGEST = 1 << 20
REMEDY = (
    "name a ROCm installation with --rocm-path; or install Debian's libamdhip64-dev, or with pip"
    " the package triton, which carries HIP headers"
)


class Headers(NamedTuple):
    """A folder with hip/hip_runtime.h, its HIP version, and how it was found."""

    folder: Path
    version: tuple[int, ...]
    origin: str

    @property
    def is_searched_anyway(self) -> bool:
        """Whether compilers search it anyway: given again, it would precede their own headers."""
        return self.folder.resolve() == _SYSTEM


def find_headers(rocm_path: Path | None, environment: Mapping[str, str] = os.environ) -> Headers:
    """The HIP headers named, or the first of those found; raises HipportError for none."""
    if rocm_path:
        found = headers_in(rocm_path, "--rocm-path")
        if found is None:
            raise HipportError(
                f"{rocm_path}: no include/hip/hip_version.h there", remedy="check --rocm-path"
            )
        return found
    for folder, origin in _candidates(environment):
        found = headers_in(folder, origin)
        if found:
            return found
    raise HipportError("no HIP headers were found on this machine", remedy=REMEDY)


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    if environment.get("ROCM_PATH"):
        yield Path(environment["ROCM_PATH"]), "ROCM_PATH"
    program = find_program("hipconfig")
    if program:
        yield Path(_hipconfig(program)), "hipconfig"
    yield Path("/opt/rocm"), "/opt/rocm"
    yield _SYSTEM, str(_SYSTEM)
    for package, folder in in_packages("headers"):
        yield folder, f"the Python package {package}"


def _hipconfig(program: str) -> str:
    """The output of `hipconfig --path`; "" if it fails."""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [program, "--path"],
            cwd=os.sep,
            env={**os.environ, "PATH": search_path()},  # It calls compilers.
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return done.stdout.strip() if done.returncode == 0 else ""
    return ""


def headers_in(folder: Path, origin: str) -> Headers | None:
    """The headers of an installation, or of an include folder."""
    for each in (folder / "include", folder):
        if each.is_absolute() and (each / _VERSION_FILE).is_file():
            return Headers(each, _version(each / _VERSION_FILE), origin)
        if (each / _VERSION_FILE).is_file() and str(folder) not in ("", "."):
            return Headers(each.absolute(), _version(each / _VERSION_FILE), origin)
    return None


def _version(path: Path) -> tuple[int, ...]:
    """(major, minor) as hip_version.h defines them; (0, 0) if it does not."""
    text = read(path, _LARGEST).decode("latin-1")
    parts = (
        re.search(rf"#define\s+HIP_VERSION_{part}\s+(\d{{1,4}})\b", text, re.ASCII)
        for part in ("MAJOR", "MINOR")
    )
    return tuple(int(match[1]) if match else 0 for match in parts)
