"""`python -m benchmarks.unseen FOLDER`: how many programs compile after a conversion alone.

Each folder in FOLDER is a program (`--depth` says how far down they lie). All are converted as a
user does, with defaults, and compiled by libclang for host and GPU, against ROCm's headers. A
program compiles if all its sources do; what does not is told with the findings that explain it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from benchmarks.silent_failures import Judged, add_options, judged, told
from hipport.verification.error_causes import Kind, Verdict
from hipport.verification.toolchain import find_toolchain

ORDER = ("compile", "without a header", "explained", "unexplained")
_UNFOUND = (Kind.NO_LIBRARY, Kind.NO_HEADER, Kind.UNSURE)


class Program(NamedTuple):
    name: str
    status: str
    causes: frozenset[str]
    """Of what does not compile: codes and names of the findings, and headers not found."""
    silent: tuple[str, ...]


def program(name: str, units: Sequence[Judged]) -> Program:
    """What became of a program, of all its units."""
    verdicts = [each for unit in units for each in unit.verdicts]
    silent = dict.fromkeys(
        told(verdict, unit.files, unit.unit)
        for unit in units
        for verdict in unit.verdicts
        if verdict.kind in (Kind.SILENT, Kind.COMMAND)
    )
    problems = [f"{u.unit.name}: not parsed" for u in units if u.report.status == "failed"]
    status = "compile"
    if silent or problems:
        status = "unexplained"
    elif any(each.kind not in _UNFOUND for each in verdicts):
        status = "explained"
    elif verdicts:
        status = "without a header"
    causes = frozenset(filter(None, map(cause, verdicts)))
    return Program(name, status, causes, (*silent, *problems))


def cause(verdict: Verdict) -> str:
    """What an error is counted under, "" for one that follows from another."""
    if verdict.finding:
        return f"{verdict.finding.code} {verdict.finding.symbol}".strip()
    if verdict.kind in (Kind.NO_LIBRARY, Kind.NO_HEADER, Kind.OLD_HEADERS):
        return f"{verdict.kind.value} {verdict.cause}"
    return "headers" if verdict.kind is Kind.HEADERS else ""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.unseen",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--depth", type=int, default=1, help="folders down to a program's name")
    add_options(parser)
    options = parser.parse_args()
    depth = options.depth
    toolchain = find_toolchain(options.rocm_path, options.libclang)
    print(*toolchain.lines(), sep="\n")
    rows = []
    units = judged(options.folder.name, options.folder, toolchain, options)
    for name, found in groupby(units, lambda each: "/".join(each.unit.name.split("/")[:depth])):
        row = program(name, list(found))
        rows.append(row)
        print(f"{row.status:<18}{row.name:<36} {', '.join(sorted(row.causes))}")
        print(*(f"    {each}\n" for each in row.silent), sep="", end="", flush=True)
    print()
    for what, count in Counter(each for row in rows for each in row.causes).most_common():
        print(f"{count:>5}  {what}")
    statuses = Counter(row.status for row in rows)
    print(f"\n{len(rows)} programs: " + ", ".join(f"{statuses[s]} {s}" for s in ORDER))


if __name__ == "__main__":
    main()
