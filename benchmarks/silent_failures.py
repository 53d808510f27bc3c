"""`python -m benchmarks.silent_failures [TREE...]`: what a conversion gets wrong without a word.

Converts programs and real trees, audits the originals, has libclang compile the results as HIP for
host and GPU, and counts the errors: those on a line, or in a statement, where convert or audit had
reported something, and those that nothing had announced. The second number is to be 0 for the
fixtures, and the units that have any under 1 % of those of the real trees.

What needs a header that is not on the machine cannot be judged; it is counted apart. A full set of
ROCm's headers (--rocm-path) leaves the least of it; docs/verify.md says where to get one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from hipport.model import FileReport, Finding
from hipport.report.readback import read_report
from hipport.source.tree.task_list import Wishes, plan
from hipport.verification.compiler_findings import judge
from hipport.verification.error_causes import Kind, Verdict
from hipport.verification.known_files import Origin, UserFiles
from hipport.verification.model import Parsed, Unit
from hipport.verification.parser import parse
from hipport.verification.toolchain import Toolchain, find_toolchain
from hipport.verification.units import find_units
from tests.support.cuda_programs import FOLDER
from tests.support.real_trees import trees, unpacked

TREES = Path(__file__).with_suffix(".toml")
EXPLAINED = (Kind.FOUND, Kind.FOLLOWS, Kind.LEFT_OUT)
UNCHECKED = (Kind.UNSURE, Kind.NO_LIBRARY, Kind.NO_HEADER, Kind.HEADERS, Kind.OLD_HEADERS,
             Kind.NO_VALUE)  # fmt: skip
COLUMNS = ("units", "compile", "errors", "partly", "failed", "explained", "unexplained", "unjudged")


class Row(NamedTuple):
    """One tree: its units by what became of them, and errors by what explains them."""

    name: str
    statuses: Counter[str]
    errors: Counter[Kind]
    silent_units: int

    def cells(self) -> list[int]:
        units = [self.statuses[s] for s in ("verified", "rejected", "unchecked", "failed")]
        explained = sum(self.errors[kind] for kind in EXPLAINED)
        unjudged = sum(self.errors[kind] for kind in UNCHECKED)
        silent = self.errors[Kind.SILENT] + self.errors[Kind.COMMAND]
        return [sum(units), *units, explained, silent, unjudged]


def hipport(*arguments: str, folder: Path) -> None:
    """Run the command as a user does; findings are no failure here."""
    done = subprocess.run(
        [sys.executable, "-m", "hipport", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        print(done.stderr, file=sys.stderr)


def reported(source: Path, work: Path, *wishes: str) -> dict[str, list[Finding]]:
    """Path -> what convert, with such options, and audit say about the file, by their reports."""
    converted, audited = work / "convert.json", work / "audit.json"
    output = str(work / "out")
    wishes = ("-q", "-o", output, "--report", str(converted), *wishes)
    hipport("convert", *wishes, str(source), folder=work)
    hipport("audit", "--format", "json", "-o", str(audited), ".", folder=source)
    found: dict[str, list[Finding]] = defaultdict(list)
    for report in (read_report(converted), read_report(audited)):
        for each in report.report.findings:
            found[each.path].append(each)
    return found


class Judged(NamedTuple):
    """A unit after conversion, and what the compiler makes of it."""

    unit: Unit
    report: FileReport
    verdicts: list[Verdict]
    files: UserFiles


def judged(
    name: str,
    source: Path,
    toolchain: Toolchain,
    options: argparse.Namespace,
    parsed_by: Callable[..., Iterable[Parsed]] = parse,
) -> Iterator[Judged]:
    """Each unit of a tree, converted into a folder of its own and compiled there."""
    with ExitStack() as stack:
        work = options.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        wishes = ["--unsafe"] if options.unsafe else []
        wishes += ["--rocm", options.rocm] if options.rocm else []
        findings = reported(source, work, *wishes)
        output = work / "out"
        tasks = list(plan([str(output)], Wishes(writes=False), lambda error: print(error)))
        origins = {}
        for task in tasks:
            path = task.source.relative_to(output)
            # The helpers' headers have no original.
            if task.language and not task.is_link and (source / path).is_file():
                origins[task.source] = Origin(str(path), task.language, (source / path).read_bytes)

        def of_reports(origin: Origin, data: bytes) -> Iterable[Finding]:
            return findings.get(origin.name, ())

        known = tomllib.loads(TREES.read_text("utf-8")).get(name.partition("/")[0], {})
        defines = [*known.get("define", ()), *options.define]
        given = [f"-I{each}" for each in options.include] + [f"-D{each}" for each in defines]
        given += [f"-std={options.std}"] if options.std else []
        skipped = [*known.get("skip", ()), *options.skip]
        units = [each for each in find_units(tasks, given) if not is_left_out(each, skipped)]
        files = UserFiles(origins, of_reports)
        every = max(options.every, -(-len(units) // options.most) if options.most else 1)
        parsed = parsed_by(units[::every], toolchain, [options.target], [output],
                           jobs=options.jobs, seconds=options.timeout)  # fmt: skip
        for unit, passes in groupby(parsed, key=lambda each: each.unit):
            report, _, verdicts = judge(unit, list(passes), files, toolchain)
            yield Judged(unit, report, verdicts, files)


def measure(
    name: str, source: Path, toolchain: Toolchain, options: argparse.Namespace
) -> tuple[Row, list[str]]:
    """The row of a tree, and a line for each error that nothing explains."""
    row = Row(name, Counter(), Counter(), 0)
    silent: list[str] = []
    seen: set[tuple[object, str]] = set()
    for unit, report, verdicts, files in judged(name, source, toolchain, options):
        row.statuses[report.status] += 1
        new = [each for each in verdicts if (each.place, each.error.message) not in seen]
        seen.update((each.place, each.error.message) for each in new)
        row.errors.update(each.kind for each in new)
        lines = [
            told(each, files, unit) for each in new if each.kind in (Kind.SILENT, Kind.COMMAND)
        ]
        if any(each.kind is Kind.SILENT for each in verdicts):
            row = row._replace(silent_units=row.silent_units + 1)
        silent += lines
        if options.verbose:
            print(f"{report.status:<10}{unit.name}", *lines, sep="\n    ", flush=True)
    return row, silent


def is_left_out(unit: Unit, parts: Iterable[str]) -> bool:
    return any(each in f"/{unit.name}" for each in parts)


def told(verdict: Verdict, files: UserFiles, unit: Unit) -> str:
    file = files.of(verdict.place.path)
    name = file.origin.name if file else unit.name
    line = file.original_line(verdict.place.line) if file else 0
    return f"{name}:{line}: {verdict.error.message}"


def show(rows: Iterable[Row]) -> None:
    print(f"{'':<28}" + "".join(f"{each:>12}" for each in COLUMNS))
    for row in rows:
        print(f"{row.name:<28}" + "".join(f"{each:>12}" for each in row.cells()))
        share = 100 * row.silent_units / max(row.statuses.total(), 1)
        print(f"{'':<28}  {row.silent_units} units with unexplained errors, {share:.1f} %")


def add_options(parser: argparse.ArgumentParser) -> None:
    """What code is compiled with."""
    add = parser.add_argument
    add("--unsafe", action="store_true", help="convert with it")
    add("--rocm", default="", help="convert for this release of ROCm")
    add("--rocm-path", type=Path, help="ROCm's headers, as for hipport verify")
    add("--libclang", default="", help="as for hipport verify")
    add("--target", default="gfx90a", help="the GPU that device code is compiled for")
    add("-I", dest="include", action="append", default=[], help="a folder of headers")
    add("-D", dest="define", action="append", default=[], help="a macro")
    add("--std", default="", help="the C++ standard")
    add("--every", type=int, default=1, help="take only every n-th unit of a tree")
    add("--most", type=int, default=0, help="take as few units, evenly, of a tree that has more")
    add("--skip", action="append", default=[], metavar="PART", help="leave out paths with this")
    add("--jobs", type=int, default=2)
    add("--work", type=Path, help="keep the converted tree here (default: a temporary folder)")
    add("--timeout", type=int, default=180, help="seconds for one pass over a unit")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.silent_failures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "tree", nargs="*", help=f"fixtures, or of {', '.join(trees())}; without: all of them"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="tell of each unit")
    add_options(parser)
    options = parser.parse_args()
    toolchain = find_toolchain(options.rocm_path, options.libclang)
    print(*toolchain.lines(), sep="\n")
    rows = []
    for name in options.tree or ["fixtures", *trees()]:
        folders = {name: FOLDER}
        if name != "fixtures":
            tree = trees()[name]
            folders = {f"{name}/{Path(f).name}": unpacked(tree) / f for f in tree.folders}
        for title, source in folders.items():
            row, silent = measure(title, source, toolchain, options)
            show([row])
            print(*silent, sep="\n", flush=True)
            rows.append(row)
    print()
    show(rows)


if __name__ == "__main__":
    main()
