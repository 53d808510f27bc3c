"""What was asked for: one immutable request for each kind of run.

The fields have the names and the defaults of the options of the commands.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TypeAlias

AnyPath: TypeAlias = "str | os.PathLike[str]"


@dataclass(frozen=True, slots=True)
class ConvertRequest:
    """What a conversion is to read and to make. Files are read with the configuration above them,
    over which the fields of the same name win."""

    paths: tuple[AnyPath, ...] = ()
    """Files and folders to convert."""
    _: KW_ONLY
    output: Path | None = None
    """The folder for the result; by default `PATH_hip` beside each path."""
    in_place: bool = False
    """Whether the files themselves are changed."""
    backup: str = ""
    """With `in_place`: the suffix of copies of the originals."""
    force: bool = False
    """Whether what was edited by hand in the result is overwritten."""
    writes: bool = True
    """Whether anything is written at all."""
    keeps_bytes: bool = False
    """Whether a Watch is given the old and new bytes of each file."""
    explain: bool = False
    """Whether the report says of each edit why it was made."""
    rename: tuple[str, ...] = ()
    """Endings to replace, like `.cu=.hip`."""
    launch: str | None = None
    """`ggl` for hipLaunchKernelGGL (the default), `keep` for `<<<>>>`."""
    libs: str | None = None
    """`hip` for hipBLAS and other hip libraries (the default), `roc` for rocBLAS and others."""
    rocm: str = ""
    """The ROCm release whose API may be used, like `6.4`; by default the newest known."""
    unsafe: bool = False
    """Whether rewrites are made that may change what the code does."""
    guards: bool = False
    """Whether `#ifdef __CUDACC__` and conditions like it are extended for HIP."""
    kernel_strings: tuple[str, ...] = ()
    """Variables or macros whose text is a kernel."""
    build_files: bool = True
    """Whether CMake files and makefiles are converted, and others reported."""
    scripts: bool = False
    """Whether shell and batch scripts are converted."""
    targets: tuple[str, ...] = ()
    """The GPUs that build files name."""
    exclude: tuple[str, ...] = ()
    """Patterns, as in .gitignore, of files that are copied unconverted."""
    jobs: int | None = None
    """Processes; by default as many as the work is large."""
    verify: bool = False
    """Whether the result is compiled in memory."""
    semantic: bool = False
    """Whether libclang and CUDA's headers decide what a name refers to."""
    database: Path | None = None
    """For `semantic` and `verify`: compile_commands.json, or its folder."""
    includes: tuple[str, ...] = ()
    """For `semantic` and `verify`: folders with headers."""
    defines: tuple[str, ...] = ()
    """For `semantic` and `verify`: macros, like `NAME=VALUE`."""
    std: str = ""
    """For `semantic` and `verify`: the C++ standard, like `c++20`."""
    cuda_path: Path | None = None
    """For `semantic`: the CUDA whose headers are read."""
    config_file: Path | None = None
    """A configuration file for all files."""
    isolated: bool = False
    """Whether no configuration file is read."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments for a compiler that includes, defines and std mean."""
        return compiler_arguments(self.includes, self.defines, self.std)


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """What an audit is to read, and by which rules it judges."""

    paths: tuple[AnyPath, ...] = ()
    """Files and folders; by default the working folder."""
    _: KW_ONLY
    rocm: str = ""
    """The ROCm release to port to, like `6.4`; by default the newest known."""
    targets: tuple[str, ...] = ()
    """The GPUs to port to; by default all."""
    select: tuple[str, ...] = ()
    """Only these findings, by code or family."""
    ignore: tuple[str, ...] = ()
    """Not these findings."""
    exclude: tuple[str, ...] = ()
    """Patterns, as in .gitignore, of files that are skipped."""
    jobs: int | None = None
    """Processes; by default as many as the work is large."""
    reports_cuda: bool = False
    """Whether each use of CUDA's API is a finding, as for `hipport check`."""
    config_file: Path | None = None
    """A configuration file for all files."""
    isolated: bool = False
    """Whether no configuration file is read."""


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """Which converted code is to be compiled in memory, and with what."""

    paths: tuple[AnyPath, ...] = ()
    """Files and folders of converted code."""
    _: KW_ONLY
    original: Path | None = None
    """What the path was converted from: errors are reported at its lines."""
    database: Path | None = None
    """compile_commands.json or its folder; by default the paths and their `build` are searched."""
    includes: tuple[str, ...] = ()
    """Folders with headers."""
    defines: tuple[str, ...] = ()
    """Macros, like `NAME=VALUE`."""
    std: str = ""
    """The C++ standard, like `c++20`."""
    exclude: tuple[str, ...] = ()
    """Patterns, as in .gitignore, of files that are skipped."""
    targets: tuple[str, ...] = ()
    """GPUs to compile device code for; by default gfx90a."""
    jobs: int | None = None
    """Processes; by default one a core."""
    timeout: int | None = None
    """Seconds for one pass over one file."""
    rocm_path: Path | None = None
    """The ROCm with HIP's headers; by default it is searched for."""
    libclang: str = ""
    """The libclang to use; by default it is chosen."""
    resource_dir: Path | None = None
    """clang's own headers."""
    config_file: Path | None = None
    """A configuration file for all files."""
    isolated: bool = False
    """Whether no configuration file is read."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments for a compiler that includes, defines and std mean."""
        return compiler_arguments(self.includes, self.defines, self.std)


def texts(paths: Iterable[AnyPath]) -> list[str]:
    """The paths as texts."""
    if isinstance(paths, (str, os.PathLike)):
        raise TypeError(f"paths is a tuple of paths, not {paths!r}: write ({paths!r},)")
    return [os.fspath(each) for each in paths]


def compiler_arguments(
    includes: tuple[str, ...], defines: tuple[str, ...], std: str
) -> tuple[str, ...]:
    """Folders, macros and the standard as a compiler takes them."""
    folders = (f"-I{Path(each).absolute()}" for each in includes)
    macros = (f"-D{each}" for each in defines)
    return (*folders, *macros, *([f"-std={std}"] if std else []))
