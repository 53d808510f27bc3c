"""`python -m benchmarks.lanes [PROGRAM ...]`: runs converted programs at 32 and at 64 lanes.

Without names all of them. Exit code 1 if one does not come out as it must.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.lanes.emulation import Outcome
from benchmarks.lanes.measuring import LANES, Outcomes, is_seen, measure, measure_faults
from benchmarks.lanes.programs import HERE, ROOT, convert, facts, programs
from benchmarks.lanes.table import document, is_as_expected

FOLDER = ROOT / "build" / "lanes"
RESULTS = HERE / "results.json"
"""What the page shows."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lanes", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument(
        "--converted", type=Path, metavar="FOLDER", help="programs converted before"
    )
    parser.add_argument("--faults", action="store_true", help="run the faults put in instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcomes there")
    parser.add_argument(
        "--table", action="store_true", help="write docs/lanes.md from results.json"
    )
    parser.add_argument(
        "--verbose", action="store_true", help="show the output of what is not right"
    )
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if given.table:
        results = json.loads(RESULTS.read_text("utf-8"))
        (ROOT / "docs" / "lanes.md").write_text(document(results), "utf-8")
        return 0
    unknown = set(given.programs) - programs().keys()
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    converted = given.converted
    if converted is None:
        converted = FOLDER / "converted"
        convert(converted)
    if given.faults:
        outcomes = measure_faults(FOLDER, converted, given.jobs)
        fits = {name: is_seen(each) for name, each in outcomes.items()}
    else:
        wanted = [programs()[name] for name in given.programs or programs()]
        outcomes = measure(FOLDER, converted, wanted, given.jobs)
        fits = {name: is_as_expected(name, each) for name, each in outcomes.items()}
    for name, found in outcomes.items():
        shown = "".join(f"{found[lanes]!s:<24}" for lanes in LANES)
        print(f"{name:<36}{shown}{'' if fits[name] else '<-- not as it must be'}".rstrip())
        if given.verbose and not fits[name]:
            print("".join(found[lanes].output for lanes in LANES))
    print(f"{sum(fits.values())} of {len(fits)} as they must be", file=sys.stderr)
    if given.json:
        given.json.write_text(_json(outcomes, given.faults), "utf-8")
    return 0 if all(fits.values()) else 1


def _json(outcomes: dict[str, Outcomes], faults: bool) -> str:
    def plain(outcome: Outcome) -> dict[str, str | int]:
        return {"verdict": outcome.verdict, "traps": outcome.traps}

    rows = {
        name: {str(lanes): plain(each) for lanes, each in found.items()}
        for name, found in outcomes.items()
    }
    return json.dumps({"faults" if faults else "programs": rows}, indent=1) + "\n"


if __name__ == "__main__":
    assert facts()
    sys.exit(main())
