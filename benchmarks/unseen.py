"""`python -m benchmarks.unseen FOLDER [NAME...]`: how many programs compile as converted.

NAMEs are rows of `unseen.toml`, which says where the archives come from that FOLDER has to hold;
each of their units is a program, and those with a port by hand are counted apart, by whether the
port compiles with the same headers. Without a NAME, each folder in FOLDER is one (`--depth` says
how far down they lie). All are converted as a user does, with defaults, and compiled by libclang
for host and GPU, against ROCm's headers. A program compiles if all its sources do; what does not is
told with the findings that explain it. With --cache, a second run compiles only what changed.
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from msgspec.structs import replace

from benchmarks.parse_cache import cached
from benchmarks.silent_failures import Judged, add_options, judged, told
from benchmarks.unseen_sources import Source, sources, unpacked, unpacked_port
from hipport.source.tree.task_list import Wishes, plan
from hipport.verification.error_causes import Kind, Verdict
from hipport.verification.model import Parsed
from hipport.verification.parser import parse
from hipport.verification.toolchain import Toolchain, find_toolchain
from hipport.verification.units import find_units

ORDER = ("compile", "without a header", "explained", "unexplained")
PORTED, UNPORTED, BAD_PORT = "port compiles", "", "port does not compile"
_UNFOUND = (Kind.NO_LIBRARY, Kind.NO_HEADER, Kind.UNSURE)


class Program(NamedTuple):
    name: str
    status: str
    causes: frozenset[str]
    """Of what does not compile: codes and names of the findings, and headers not found."""
    silent: tuple[str, ...]
    """The errors that no finding explains."""
    port: str = UNPORTED


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
    parser.add_argument("name", nargs="*", help="rows of unseen.toml (default: programs of FOLDER)")
    parser.add_argument("--all", action="store_true", help="every row of unseen.toml")
    parser.add_argument("--cache", type=Path, help="keep what was converted and compiled here")
    parser.add_argument("--depth", type=int, default=1, help="folders down to a program's name")
    add_options(parser)
    options = parser.parse_args()
    toolchain = find_toolchain(options.rocm_path, options.libclang)
    print(*toolchain.lines(), sep="\n")
    table = sources()
    with ExitStack() as stack:
        cache = options.cache or Path(stack.enter_context(TemporaryDirectory()))
        names = table if options.all else options.name
        if names:
            rows = [
                row for name in names for row in measured(table[name], toolchain, options, cache)
            ]
        else:
            rows = list(programs(options.folder.name, options.folder, toolchain, options))
    print()
    for what, count in Counter(each for row in rows for each in row.causes).most_common():
        print(f"{count:>5}  {what}")
    tell("all", rows)


def measured(
    source: Source, toolchain: Toolchain, options: argparse.Namespace, cache: Path
) -> list[Program]:
    """Every unit of a source as a program of its own."""
    folder = unpacked(source, options.folder, cache / "sources" / source.name)
    wanted = argparse.Namespace(**vars(options))
    wanted.work = cache / "converted" / source.name
    shutil.rmtree(wanted.work, ignore_errors=True)
    wanted.work.mkdir(parents=True)
    wanted.define = [*options.define, *source.define]
    wanted.skip = [*options.skip, *source.skip]
    wanted.std = source.std or options.std
    wanted.every = source.every * options.every
    wanted.depth = 99
    parsed_by = cached(cache / "parsed")
    rows = list(programs(source.name, folder, toolchain, wanted, parsed_by))
    port = unpacked_port(source, options.folder, cache / "ports" / source.name)
    if port:
        names = {source.port_of(row.name): row.name for row in rows}
        good = compiling(port, names, toolchain, source.port_define, options, parsed_by)
        rows = [row._replace(port=good.get(row.name, UNPORTED)) for row in rows]
    marks = [mark for mark, holds in (("seen", source.seen), (source.kind, True)) if holds]
    tell(f"{source.name} ({', '.join(marks)})", rows)
    return rows


def compiling(
    folder: Path,
    names: Mapping[str, str],
    toolchain: Toolchain,
    defines: Iterable[str],
    options: argparse.Namespace,
    parsed_by: Callable[..., Iterable[Parsed]],
) -> dict[str, str]:
    """Whether the units of a folder compile as they are, by the names of what they are ports of."""
    given = [f"-I{each}" for each in options.include] + [f"-D{each}" for each in defines]
    tasks = plan([str(folder)], Wishes(writes=False), lambda error: print(error))
    units = {}
    for unit in find_units(tasks, given):
        original = names.get(unit.path.relative_to(folder).as_posix())
        if original:
            # A kernel in a file named as C++ is compiled with `-x hip`.
            language = "hip" if original.endswith(".cu") else unit.language
            units[replace(unit, language=language)] = original
    parsed = parsed_by(list(units), toolchain, [options.target], [folder],
                       jobs=options.jobs, seconds=options.timeout)  # fmt: skip
    bad = {each.unit for each in parsed if each.errors or each.problem}
    return {name: BAD_PORT if unit in bad else PORTED for unit, name in units.items()}


def programs(
    name: str,
    source: Path,
    toolchain: Toolchain,
    options: argparse.Namespace,
    parsed_by: Callable[..., Iterable[Parsed]] = parse,
) -> Iterator[Program]:
    """The programs of a tree, converted and compiled; each is printed as it comes."""
    units = judged(name, source, toolchain, options, parsed_by)
    for found, group in groupby(units, lambda u: "/".join(u.unit.name.split("/")[: options.depth])):
        row = program(found, list(group))
        yield row
        print(f"{row.status:<18}{row.name:<36} {', '.join(sorted(row.causes))}")
        print(*(f"    {each}\n" for each in row.silent), sep="", end="", flush=True)


def tell(name: str, rows: Sequence[Program]) -> None:
    """Print what became of programs, in all and by what is known of their ports."""
    errors = sum(len(row.silent) for row in rows)
    print(f"\n{name}: {_line(rows)}; {errors} errors without a finding")
    for port in (PORTED, UNPORTED, BAD_PORT):
        some = [row for row in rows if row.port == port]
        if some and (port == PORTED or len(some) < len(rows)):
            print(f"    {port or 'no port'}: {_line(some)}")


def _line(rows: Sequence[Program]) -> str:
    statuses = Counter(row.status for row in rows)
    return f"{len(rows)} programs: " + ", ".join(f"{statuses[each]} {each}" for each in ORDER)


if __name__ == "__main__":
    main()
