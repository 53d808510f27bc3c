"""`python -m benchmarks.lanes [PROGRAM ...]`: runs converted programs at 32 and at 64 lanes.

Without names all of them. Exit code 1 if one does not come out as it must.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.lanes.measuring import (
    LANES,
    Outcomes,
    is_as_expected,
    is_seen,
    measure,
    measure_faults,
    plain,
)
from benchmarks.lanes.programs import HERE, ROOT, convert, programs
from benchmarks.lanes.table import document

FOLDER = ROOT / "build" / "lanes"
RESULTS = HERE / "results.json"
"""What the page shows."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lanes", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--converted", type=Path, metavar="FOLDER", help="converted before")
    parser.add_argument("--faults", action="store_true", help="run the faults put in instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the outcomes to this file")
    parser.add_argument("--before", action="store_true", help="... as those of the form before")
    parser.add_argument("--table", action="store_true", help="write docs/lanes.md")
    parser.add_argument("--verbose", action="store_true", help="show the output of what is wrong")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if given.table:
        page = document(json.loads(RESULTS.read_text("utf-8")))
        (ROOT / "docs" / "lanes.md").write_text(page, "utf-8")
        return 0
    unknown = sorted(set(given.programs) - programs().keys())
    if unknown:
        parser.error(f"no such program: {', '.join(unknown)}")
    converted = given.converted or FOLDER / "converted"
    if given.converted is None:
        convert(converted)
    if given.faults:
        outcomes = measure_faults(FOLDER, converted, given.jobs)
        fits = {name: is_seen(each) for name, each in outcomes.items()}
    else:
        wanted = [programs()[name] for name in given.programs or programs()]
        outcomes = measure(FOLDER, converted, wanted, given.jobs)
        fits = {name: is_as_expected(name, each) for name, each in outcomes.items()}
    _show(outcomes, fits, given.verbose)
    if given.json:
        key = "faults" if given.faults else "before" if given.before else "programs"
        _add(given.json, key, outcomes)
    return 0 if all(fits.values()) else 1


def _show(outcomes: dict[str, Outcomes], fits: dict[str, bool], verbose: bool) -> None:
    for name, found in outcomes.items():
        shown = "".join(f"{found[lanes]!s:<20}" for lanes in LANES)
        print(f"{name:<40}{shown}{'' if fits[name] else '<-- not as it must be'}".rstrip())
        if verbose and not fits[name]:
            print("".join(found[lanes].output for lanes in LANES))
    print(f"{sum(fits.values())} of {len(fits)} as they must be", file=sys.stderr)


def _add(file: Path, key: str, outcomes: dict[str, Outcomes]) -> None:
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    of_others = {name: each for name, each in known.get(key, {}).items() if name not in outcomes}
    known[key] = of_others | {
        name: {str(lanes): plain(each) for lanes, each in found.items()}
        for name, found in outcomes.items()
    }
    file.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
