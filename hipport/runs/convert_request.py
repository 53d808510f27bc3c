"""What a conversion is asked for.

The fields have the names and the defaults of the options of `hipport convert`.
"""

from __future__ import annotations

from pathlib import Path

from hipport.runs.given import PathsRequest, compiler_arguments


class ConvertRequest(PathsRequest, frozen=True, kw_only=True):
    """What a conversion is to read and to make. Files are read with the
    configuration above them; fields of the same name take precedence."""

    output: Path | None = None
    """The folder for the result; by default `PATH_hip` beside each path."""
    in_place: bool = False
    """Whether the files themselves are changed."""
    backup: str = ""
    """With `in_place`: the suffix of copies of the originals."""
    force: bool = False
    """Whether what was edited by hand in the result is overwritten, and with `in_place` what git
    has no copy of."""
    writes: bool = True
    """Whether anything is written at all."""
    keeps_bytes: bool = False
    """Whether a Watch is given the old and new bytes of each file."""
    explain: bool = False
    """Whether the report explains each edit."""
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
    torch: bool = False
    """Whether PyTorch's own names become those of the installed PyTorch for ROCm."""
    helpers: bool = True
    """Whether functions that HIP lacks become those of a header in rules/helpers."""
    inline_helpers: bool = False
    """Whether the helpers are written into each file that needs them; else a header."""
    build_files: bool = True
    """Whether CMake files and makefiles are converted, and others reported."""
    scripts: bool = False
    """Whether shell and batch scripts are converted."""
    targets: tuple[str, ...] = ()
    """The GPUs that build files name."""
    exclude: tuple[str, ...] = ()
    """Patterns, as in .gitignore, of files that are copied unconverted."""
    shard: str = ""
    """The part of the tree to convert, like `3/16`; by default all of it."""
    parts: Path | None = None
    """The folder with the results of all parts, which are reused."""
    jobs: int | None = None
    """Processes; by default as many as the amount of work warrants."""
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
