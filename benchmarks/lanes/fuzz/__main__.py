"""`python -m benchmarks.lanes.fuzz`: converts random programs and compares what they print.

Exit code 1 if a program prints something else and no finding says so, or if a fault put in is not
seen. What differs is made smaller, and kept in build/lanes/fuzz/found.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

from benchmarks.lanes.emulation import prepare_emulator
from benchmarks.lanes.fuzz.faults import faults
from benchmarks.lanes.fuzz.generator import program
from benchmarks.lanes.fuzz.judging import Judgement, judge
from benchmarks.lanes.fuzz.program import Statements, written
from benchmarks.lanes.fuzz.shrinking import shrunk
from benchmarks.lanes.programs import ROOT

FOUND = ROOT / "build" / "lanes" / "fuzz" / "found"
_AT_A_TIME = 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lanes.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first one (default 1)")
    parser.add_argument("--programs", type=int, default=200, help="how many (default 200)")
    parser.add_argument("--show", action="store_true", help="print the program of the seed")
    parser.add_argument("--faults", action="store_true", help="how soon each fault put in is seen")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if given.show:
        print(written(program(given.seed)), end="")
        return 0
    seeds = range(given.seed, given.seed + given.programs)
    with tempfile.TemporaryDirectory(prefix="lanes-") as folder:
        work = Path(folder)
        prepare_emulator(work / "emulator")
        return _put_in(seeds, work) if given.faults else _compare(seeds, work, given.jobs)


def _compare(seeds: range, work: Path, jobs: int) -> int:
    counts: Counter[str] = Counter()
    for start in range(0, len(seeds), _AT_A_TIME):
        texts = {f"seed{seed}": written(program(seed)) for seed in seeds[start:][:_AT_A_TIME]}
        for name, found in judge(texts, work / "batch", work / "emulator", jobs).items():
            counts[found.verdict] += 1
            if found.verdict != "same":
                print(f"{name} {found.verdict}: {found.why} {' '.join(found.codes)}", flush=True)
            if found.verdict == "different":
                tree = program(int(name.removeprefix("seed")))
                _keep(name, shrunk(tree, partial(_differs, found, work)))
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 1 if counts["different"] or counts["unsound"] else 0


def _put_in(seeds: range, work: Path) -> int:
    unseen = 0
    for name, spoil in faults().items():
        for count, seed in enumerate(seeds, 1):
            found = judge({"a": written(program(seed))}, work / "a", work / "emulator", spoil=spoil)
            if found["a"].verdict == "different":
                print(f"{name}: seen by program {count}", flush=True)
                break
        else:
            unseen += 1
            print(f"{name}: not seen", flush=True)
    return 1 if unseen else 0


def _differs(known: Judgement, work: Path, tree: Statements) -> bool:
    """Whether a smaller program differs in the same way."""
    found = judge({"a": written(tree)}, work / "smaller", work / "emulator")["a"]
    return found.verdict == known.verdict and found.why[:8] == known.why[:8]


def _keep(name: str, tree: Statements) -> None:
    path = FOUND / f"{name}.cu"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(tree), "utf-8")
    print(f"{name}: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
