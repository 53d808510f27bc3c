"""Draws mutants of a package, and counts those for which a quick test fails.

python -m benchmarks.mutation hipport/fatbin tests/fatbin --count 200 --seed 1
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.mutation")
    arguments.add_argument("package")
    arguments.add_argument("tests", nargs="+")
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("--results", required=True)
    arguments.add_argument("--again", default="", help="results of a run: try what survived it")
    options = arguments.parse_args()
    given = {"folder": options.package} | {
        name: getattr(options, name) for name in ("count", "seed", "jobs", "results", "again")
    }
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
        command += ["-p", "benchmarks.mutation.try_mutants"]
        command += [f"--mutants-{name}={value}" for name, value in given.items()]
        # Mutants run side by side, so each makes its own folder in this one.
        environment = {**os.environ, "PYTEST_DEBUG_TEMPROOT": folder}
        subprocess.run([*command, *options.tests], check=True, env=environment)
    lines = Path(options.results).read_text("utf-8").splitlines()
    verdicts = [json.loads(line)["verdict"] for line in lines]
    killed = verdicts.count("killed")
    print(f"{options.package}: {killed} of {len(verdicts)}, {killed / len(verdicts):.1%}")


if __name__ == "__main__":
    main()
