"""`python -m benchmarks.hooks`: what the hooks cost for twenty files, as one call of a runner.

The files are the first CUDA sources of the demonstration programs, and the same after conversion.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.convert import RUNS, child, median

PROGRAMS = Path(__file__).resolve().parents[1] / "fixtures/cuda"
FILES = 20
LIMIT = 0.5


def main() -> None:
    with tempfile.TemporaryDirectory() as work:
        sources = sorted(PROGRAMS.rglob("*.cu"))[:FILES]
        names = []
        for number, source in enumerate(sources):
            names.append(str(Path(work) / f"{number}_{source.name}"))
            shutil.copy(source, names[-1])
        size = sum(Path(name).stat().st_size for name in names)
        print(f"{len(names)} files, {size >> 10} KiB; target: {LIMIT} s of CPU")
        report("hipport-check, CUDA", "check", *names)
        # The first run converts; the others find nothing to do, as on most commits.
        report("hipport-convert", "convert", "--in-place", "--fail-on", "never", *names)
        report("hipport-check, converted", "check", *names)


def report(title: str, *arguments: str) -> None:
    """Print the median cost of a command."""
    cost = median(partial(child, "-m", "hipport", *arguments), RUNS)
    verdict = "" if cost.cpu <= LIMIT else "  TOO SLOW"
    print(f"{title:<26} {cost.cpu:.2f} s CPU, {cost.wall:.2f} s, {cost.memory:.0f} MiB{verdict}")


if __name__ == "__main__":
    main()
