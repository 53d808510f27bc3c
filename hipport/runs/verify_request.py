"""What a verification is asked for.

The fields have the names and the defaults of the options of `hipport verify`.
"""

from __future__ import annotations

from pathlib import Path

from hipport.runs.given import PathsRequest, compiler_arguments


class VerifyRequest(PathsRequest, frozen=True, kw_only=True):
    """Which converted code is to be compiled in memory, and with what."""

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
    link: bool = False
    """Whether the libraries that the code calls are looked for in the build files."""
    config_file: Path | None = None
    """A configuration file for all files."""
    isolated: bool = False
    """Whether no configuration file is read."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments for a compiler that includes, defines and std mean."""
        return compiler_arguments(self.includes, self.defines, self.std)
