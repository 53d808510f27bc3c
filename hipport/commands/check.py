"""`hipport check`: a ported tree stays ported. Made for hooks: some files, quickly."""

from __future__ import annotations

import sys
from typing import Any

import click

from hipport.commands.audit.options import audit_options, baseline_options
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output_options import report_options
from hipport.commands.plain.check import run
from hipport.commands.sections import AUDIT

EPILOG = """\b
Examples:
  hipport check src/scan.cpp src/sort.hip
  hipport check --rocm 7.0 --fail-on review src/solve.hip
  hipport check --write-baseline hipport.baseline.json src/
  hipport check --baseline hipport.baseline.json $(git diff --name-only --diff-filter=d main)
"""


@click.command(cls=SectionedCommand, sections=AUDIT, epilog=EPILOG)
@baseline_options
@audit_options
@report_options
def command(**options: Any) -> None:
    """Fail if files use the CUDA API, or have findings at or above --fail-on.

    CUDA in a separate branch (#ifdef USE_ROCM ... #else ...) is allowed, and so is what the
    configuration excludes, a comment hides, or the baseline lists. Prints only what makes it fail.
    With --rocm, HIP names that this release removed or changed are findings; --fail-on review
    adds what it deprecated.
    Exit code 0: nothing found; 1: findings; 2: usage error, or with --strict an unread file.
    """
    sys.exit(run(**options))
