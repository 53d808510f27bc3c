"""`hipport compat`: one header, so that one source builds for both vendors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hipport.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_HEADERS = (".h", ".hpp", ".hh", ".cuh")


def run(
    paths: Sequence[str],
    output: Path,
    stand_ins: bool = False,
    libs: str | None = None,
    rocm: str = "",
    exclude: tuple[str, ...] = (),
    config_file: Path | None = None,
    isolated: bool = False,
) -> int:
    """Write the header; the exit code."""
    if output.suffix not in _HEADERS:
        raise UsageError(f"-o {output}: not a header's name", remedy="end it in .h")
    from hipport.commands.terminal import Terminal
    from hipport.config import Configurations
    from hipport.runs.compat import write_compat
    from hipport.runs.settings import Settings
    from hipport.runs.watch import Faults
    from hipport.source.options import Options

    settings = Settings(
        Configurations(config_file, is_isolated=isolated),
        Options(rocm=(), helpers=False),
        {"rocm": rocm, "libs": libs},
    )
    faults = Faults(Terminal(0))
    left = write_compat(paths, output, settings, faults, exclude=exclude, with_stand_ins=stand_ins)
    return 2 if faults.messages else int(bool(left))
