"""A libclang, its headers, and HIP's headers, combined into a compiler's arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from hipport.verification.compiler_facts import clang_for, knowledge
from hipport.verification.hip_headers import Headers, find_headers
from hipport.verification.libclang import WRAPPER, Library, Resources, choose, find_resources
from hipport.verification.model import Unit
from hipport.verification.parser_process import clang_version

_STANDARDS = ("-std=", "--std=", "-std", "--std")


class Toolchain(msgspec.Struct, frozen=True):
    """What code is parsed with and against."""

    chosen: Library
    version: str
    """The version that the libclang reports."""
    resources: Resources
    headers: Headers

    @property
    def library(self) -> str:
        return self.chosen.path

    def arguments(self, unit: Unit, target: str) -> list[str]:
        """The arguments for one pass over a unit: the host's if `target` is "".

        They follow what clang's driver does for HIP (clang/lib/Driver/ToolChains/AMDGPU.cpp,
        RocmInstallationDetector::AddHIPIncludeArgs), which finds no installation that is merely a
        folder of headers.
        """
        own = self.resources.folder / "include"
        made = ["-resource-dir", str(self.resources.folder), "-ferror-limit=0", "-w"]
        if unit.language == "hip":
            made += ["-x", "hip", "-nogpulib", "-nogpuinc"]
            made += ["-isystem", str(own / "cuda_wrappers"), "-include", WRAPPER]
            device = ["--cuda-device-only", f"--offload-arch={target}"]
            made += device if target else ["--cuda-host-only"]
        else:
            made += ["-x", unit.language]
        if unit.language != "c" and not any(e.startswith(_STANDARDS) for e in unit.arguments):
            made.append(f"-std={knowledge()['standard']}")
        made += [f"-D{each}" for each in knowledge()["defines"]]
        made += unit.arguments
        if not self.headers.is_searched_anyway:
            made += ["-isystem", str(self.headers.folder)]
        return made

    def lines(self) -> Iterator[str]:
        """What was found and is used, as a sentence for people."""
        place = self.chosen.path or "Python package libclang"
        yield f"libclang: {self.version} ({place})"
        yield f"clang's own headers: {self.resources.folder}"
        version = ".".join(map(str, self.headers.version))
        yield f"HIP headers: {version}, {self.headers.folder} (by {self.headers.origin})"
        wanted = clang_for(self.headers.version)
        if self.chosen.major < wanted:
            yield (
                f"this HIP was built with clang {wanted}: an older one may reject parts of its"
                f" headers"
            )


def find_toolchain(
    rocm_path: Path | None = None, library: str = "", resource_folder: Path | None = None
) -> Toolchain:
    """What this machine has; the user may give `library` and the paths.

    Raises HipportError that says what to install.
    """
    headers = find_headers(rocm_path)
    chosen = Library(library, 0) if library else choose(clang_for(headers.version), rocm_path)
    version = clang_version(chosen.path)
    if not chosen.major:
        chosen = chosen._replace(major=_major(version))
    return Toolchain(chosen, version, find_resources(resource_folder, chosen, rocm_path), headers)


def _major(version: str) -> int:
    """22 of `Debian clang version 22.1.8`; 0 if there is no number."""
    words = version.partition("version ")[2].partition(".")[0]
    return int(words) if words.isascii() and words.isdigit() else 0
