"""What a trace is asked for.

The fields have the names and the defaults of the options of `hipport trace`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from hipport.fatbin.limits import Limits
from hipport.runs.given import AnyPath
from hipport.trace.thresholds import DEFAULT_GROWTH, DEFAULT_OCCUPANCY


class _BothSides(msgspec.Struct, frozen=True):
    sources: AnyPath
    """A file or folder of CUDA or HIP sources."""
    binaries: tuple[AnyPath, ...]
    """Libraries, programs, code objects, packages, and folders of them."""


class TraceRequest(_BothSides, frozen=True, kw_only=True):
    """Which sources are to be joined with which binaries."""

    targets: tuple[str, ...] = ()
    """The GPUs that code is wanted for; by default those that some code is for."""
    database: Path | None = None
    """A compilation database, or its folder; libclang then resolves the kernels by name."""
    rocm_path: Path | None = None
    """Where HIP's headers are for libclang; by default they are looked for."""
    cuda_path: Path | None = None
    """Where CUDA's headers are, likewise."""
    exclude: tuple[str, ...] = ()
    """Patterns, as in .gitignore, of sources that are skipped."""
    min_occupancy: int = DEFAULT_OCCUPANCY
    """Percent of the wave slots below which a launch is reported."""
    diff: AnyPath | None = None
    """What the binaries were before: launches that got worse are reported."""
    max_growth: int = DEFAULT_GROWTH
    """Percent by which registers and bytes may grow before that is worse."""
    max_size: int = Limits.max_size
    """Bytes of the largest bundle or package member that is decompressed."""
    timeout: int = Limits.max_seconds
    """Seconds of processor time for one binary."""
    config_file: Path | None = None
    """A configuration file for all files."""
    isolated: bool = False
    """Whether no configuration file is read."""
