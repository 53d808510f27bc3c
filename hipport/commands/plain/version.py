"""`hipport --version`."""

from __future__ import annotations

import sys

from hipport import __version__
from hipport.rulebook.edition import edition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def run(_: Sequence[str] = ()) -> int:
    """Write the version and the date of the rules; the exit code."""
    date, rocm = edition()
    sys.stdout.write(f"hipport {__version__}, rules of {date}, ROCm up to {rocm}\n")
    return 0
