"""Runs the original and the converted program on a GPU and compares all that they print.

Needs Python 3.10 and nothing else: `python3 -m benchmarks.equivalence.running FOLDER RESULTS.json`,
where FOLDER is what `build` made, as it is or packed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ORIGINAL, CONVERTED = "cuda", "hip"
_SECONDS = 120
# Where the libraries of CUDA are when they come as Python packages, and where drivers are mounted.
_LIBRARIES = ["nvidia/*/lib", "nvidia/*/*/lib"]
_DRIVERS = ["/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/local/cuda/lib64"]


def run_all(folder: Path, jobs: int) -> dict[str, Any]:
    """The results: the GPU, and a row for each program and each fault."""
    plan = json.loads((folder / "plan.json").read_text("utf-8"))
    variants = {(each["program"], each["variant"]): each for each in plan if each["runs"]}
    with ThreadPoolExecutor(jobs) as pool:
        runs = pool.map(lambda each: _run(folder, each), variants.values())
        outputs = dict(zip(variants, runs, strict=True))
        again = [each for each in variants if each[1] == ORIGINAL]
        runs = pool.map(lambda each: _run(folder, variants[each]), again)
        seconds = dict(zip(again, runs, strict=True))
    rows = []
    for (program, variant), output in outputs.items():
        if variant != ORIGINAL:
            first, second = outputs[program, ORIGINAL], seconds[program, ORIGINAL]
            row = {
                "program": program,
                "variant": variant,
                "verdict": _verdict(first, second, output),
                "device_code": variants[program, variant].get("ptx", ""),
                "original": first,
                "other": output,
            }
            rows.append(row)
    rows += [_not_run(each) for each in plan if not each["runs"] and each["variant"] == CONVERTED]
    rows.sort(key=lambda row: row["program"])
    return {"gpu": _gpu(), "nvcc": plan[0].get("nvcc", ""), "rows": rows}


def _verdict(first: dict[str, Any], second: dict[str, Any], other: dict[str, Any]) -> str:
    if first["fault"]:
        return f"not run: {first['fault']}"
    if first["code"]:
        return f"the original fails with exit code {first['code']}"
    if first != second:
        return "unstable: two runs of the original differ"
    return "same" if first == other else "different"


def _not_run(variant: dict[str, Any]) -> dict[str, Any]:
    return {
        "program": variant["program"],
        "variant": variant["variant"],
        "verdict": f"not run: {variant['why']}",
        "device_code": variant.get("ptx", ""),
    }


def _run(folder: Path, variant: dict[str, Any]) -> dict[str, Any]:
    """Exit code and output of one run; what is known to vary is taken out of the output."""
    place = (folder / "bin" / variant["program"] / variant["variant"]).resolve()
    if not (place / "program").exists():
        return {"fault": "not built", "code": None, "output": ""}
    try:
        done = subprocess.run(
            [str(place / "program"), *variant["arguments"]],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=_environment(),
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"fault": str(error), "code": None, "output": ""}
    output = done.stdout.decode("utf-8", "backslashreplace")
    for pattern, _ in variant["varies"]:
        output = re.sub(pattern, "...", output)
    missing = output.partition("error while loading shared libraries: ")[2].strip()
    return {"fault": missing, "code": done.returncode, "output": output}


def _environment() -> dict[str, str]:
    folders = [*_DRIVERS]
    for path in sys.path:
        for pattern in _LIBRARIES:
            folders += map(str, Path(path).glob(pattern))
    given = os.environ.get("LD_LIBRARY_PATH", "")
    return {**os.environ, "LD_LIBRARY_PATH": ":".join([*folders, given])}


def _gpu() -> str:
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    kinds = Counter(line.replace(", ", " (driver ") + ")" for line in done.stdout.splitlines())
    return "; ".join(f"{each}, {count} of them" for each, count in kinds.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--jobs", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.folder
        if (folder / "programs.tar.xz").exists() and not (folder / "bin").exists():
            with tarfile.open(folder / "programs.tar.xz") as packed:
                packed.extractall(place)
            folder = Path(place)
        results = run_all(folder, given.jobs)
    given.results.parent.mkdir(parents=True, exist_ok=True)
    given.results.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    for row in results["rows"]:
        print(f"{row['program']:<28}{row['variant']:<18}{row['verdict']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
