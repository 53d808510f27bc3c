"""`python -m benchmarks.audit [TREE...]`: what an audit costs, of whole trees and of many files.

Prints measured values beside their targets. Everything runs as a user runs it, in a child process
whose processor time and peak memory the kernel counts (`wait4`). On an idle machine the clock is
held against the target, else half of the processor time: what two cores of its own would take.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.convert import Cost, child, median, show
from tests.support.real_trees import trees, whole

RUNS = 3
DEFAULT = ("deepspeed", "flash-attn", "xgboost")
SECONDS = {"deepspeed": 5.0}
"""Tree -> how long an audit of it may take on two cores."""
MANY, MANY_SECONDS = 50_000, 90.0
MEMORY = 400
_IDLE = 2.5


def audit(folder: Path, jobs: int, format_: str = "json") -> Cost:
    with tempfile.TemporaryDirectory() as work:
        options = ("--jobs", str(jobs), "--format", format_, "-o", str(Path(work) / "report"))
        return child("-m", "hipport", "audit", "report", str(folder), *options, "--isolated")


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]


def measure_tree(name: str, runs: int) -> None:
    folder = whole(trees()[name])
    files = files_of(folder)
    size = sum(path.stat().st_size for path in files) / 1e6
    for jobs in (1, 2):
        cost = median(partial(audit, folder, jobs), runs)
        limit = SECONDS.get(name) if jobs == 2 else None
        show_cost(f"{name}: {len(files):,} files, {size:.1f} MB, {jobs} jobs", cost, limit)


def measure_many() -> None:
    """Copies of one tree, until there are enough files; each with content of its own on disk."""
    source = whole(trees()["deepspeed"])
    with tempfile.TemporaryDirectory() as work:
        count, copies = 0, 0
        while count < MANY:
            shutil.copytree(source, Path(work) / f"copy{copies}", symlinks=True)
            count, copies = count + len(files_of(source)), copies + 1
        cost = audit(Path(work), jobs=2)
        show_cost(f"{copies} copies of deepspeed: {count:,} files, 2 jobs", cost, MANY_SECONDS)


def show_cost(what: str, cost: Cost, limit: float | None) -> None:
    taken = cost.wall if os.getloadavg()[0] <= _IDLE else cost.cpu / 2
    show(
        what,
        f"{cost.cpu:.1f} s CPU, {cost.wall:.1f} s",
        f"at most {limit:.0f} s" if limit else "",
        taken <= limit if limit else None,
    )
    value = f"{cost.memory:.0f} MiB"
    show("  peak of the largest process", value, f"below {MEMORY} MiB", cost.memory < MEMORY)


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.audit", description=__doc__)
    arguments.add_argument("tree", nargs="*", help=f"of {', '.join(trees())}")
    arguments.add_argument("--runs", type=int, default=RUNS, help="runs of which the median counts")
    arguments.add_argument("--many", action="store_true", help=f"a tree of {MANY:,} files as well")
    options = arguments.parse_args()
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    print(f"load {load:.1f} on {cores} cores; seconds mean something on an idle machine")
    for name in options.tree or DEFAULT:
        measure_tree(name, options.runs)
    if options.many:
        measure_many()


if __name__ == "__main__":
    main()
