"""`python -m benchmarks.equivalence`: compares the fixture programs before and after conversion.

    compare FOLDER    prepares the programs there and compares their PTX (needs nvcc)
    build FOLDER      the same, and programs to run; FOLDER/packed can be carried to another machine
    run FOLDER OUT    runs them and compares their output (needs a GPU); see `running`
    table             writes docs/equivalence.md from the results kept here

Further folders of headers, of libraries that CUDA's compiler does not bring along: --include.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.equivalence.compiling import (
    Variant,
    build,
    compare_device_code,
    nvcc,
    read_plan,
    version,
)
from benchmarks.equivalence.prepare import HERE, ROOT, prepare
from benchmarks.equivalence.running import run_all
from benchmarks.equivalence.table import document

RESULTS = HERE / "results.json"
"""What the last run on a GPU gave."""
FOLDER = ROOT / "build" / "equivalence"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.equivalence",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["compare", "build", "run", "table"])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("results", type=Path, nargs="?", default=FOLDER / "results.json")
    parser.add_argument("--include", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    folder = given.folder.resolve()
    if given.action == "table":
        results = json.loads(RESULTS.read_text("utf-8"))
        (ROOT / "docs" / "equivalence.md").write_text(document(results), "utf-8")
        return 0
    if given.action == "run":
        results = run_all(folder, given.jobs)
        given.results.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
        return 0
    if nvcc() is None:
        raise SystemExit("nvcc is not on the path (set NVCC to where it is)")
    prepare(folder)
    plan = read_plan(folder)
    includes = [path.resolve() for path in given.include]
    fits = True
    for variant, verdict in compare_device_code(folder, plan, includes):
        variant["ptx"] = verdict
        fits &= is_expected(variant)
        print(f"{variant['program']:<28}{variant['variant']:<18}{verdict}", flush=True)
    plan[0]["nvcc"] = version()
    (folder / "plan.json").write_text(json.dumps(plan, indent=1) + "\n", "utf-8")
    if given.action == "build":
        fits &= _build(folder, plan, includes, given.jobs)
    return 0 if fits else 1


def is_expected(variant: Variant) -> bool:
    """Whether the device code is the same, or differs for a reason that is written down."""
    fault = variant.get("fault", {}).get("seen_by")
    if fault == "output":
        return True
    differs = fault == "device code" or variant["device_code"]
    expected = "different" if differs else "same"
    return bool(variant["ptx"] in (expected, "no device code"))


def _build(folder: Path, plan: list[Variant], includes: list[Path], jobs: int) -> bool:
    wanted = [variant for variant in plan if variant["runs"]]
    with ThreadPoolExecutor(jobs) as pool:
        said = list(pool.map(lambda each: build(folder, each, includes), wanted))
    for variant, fault in zip(wanted, said, strict=True):
        if fault:
            print(f"{variant['program']} {variant['variant']}: {fault}", file=sys.stderr)
    (folder / "packed").mkdir(exist_ok=True)
    with tarfile.open(folder / "packed" / "programs.tar.xz", "w:xz") as packed:
        for part in ("plan.json", "bin"):
            packed.add(folder / part, part)
    return not any(said)


sys.exit(main())
