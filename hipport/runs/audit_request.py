"""What an audit is asked for.

The fields have the names and the defaults of the options of `hipport audit`.
"""

from __future__ import annotations

from pathlib import Path

from hipport.runs.given import PathsRequest


class AuditRequest(PathsRequest, frozen=True, kw_only=True):
    """What an audit is to read, by default the working folder, and by which rules it judges."""

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
    """Processes; by default as many as the amount of work warrants."""
    shard: str = ""
    """Only one of several parts of the files, like `3/16`; by default all."""
    reports_cuda: bool = False
    """Whether each use of CUDA's API is a finding, as for `hipport check`."""
    config_file: Path | None = None
    """A configuration file for all files."""
    isolated: bool = False
    """Whether no configuration file is read."""
