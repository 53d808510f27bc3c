"""Reads the declarations of both vendors, with the libclang that suits the HIP headers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hipport.verification.compiler_facts import knowledge
from hipport.verification.declarations import Declarations, read_declarations
from hipport.verification.hip_headers import find_headers
from hipport.verification.toolchain import find_toolchain


def read_vendors(
    cuda: Sequence[Path], hip: Sequence[Path], library: str
) -> tuple[Declarations, Declarations]:
    """What CUDA's and HIP's headers declare; raises HipportError where there are none."""
    toolchain = find_toolchain(hip[0] if hip else None, library)
    vendors = knowledge()["vendors"]
    common = ["-x", "c++", f"-std={knowledge()['standard']}"]
    common += ["-resource-dir", str(toolchain.resources.folder)]
    cuda_defines = [f"-D{each}" for each in vendors["cuda_defines"]]
    defines = [f"-D{each}" for each in (*knowledge()["defines"], *vendors["hip_defines"])]
    folders = list(hip) or [find_headers(None).folder]
    read = toolchain.library
    return (
        read_declarations(
            cuda, vendors["cuda"], [*common, *cuda_defines], [vendors["cuda_version"]], read
        ),
        read_declarations(
            folders, vendors["hip"], [*common, *defines], vendors["hip_version"], read
        ),
    )
