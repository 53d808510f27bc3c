"""`python -m benchmarks.performance` (`make bench`): measures all of it, for docs/performance.md.

Everything runs as a user runs it, in child processes whose processor time and peak memory the
kernel counts (`wait4`). Values are medians, and what is compared ran in turn on the same machine.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from benchmarks import whole_trees
from benchmarks.audit import audit, files_of
from benchmarks.convert import (
    SMALL,
    Cost,
    child,
    code_files,
    convert,
    load_rules,
    median,
    parse,
    program,
)
from benchmarks.fatbin import COMPRESSED, library
from tests.support.real_trees import trees, unpacked

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
MARK = "<!-- measured: python -m benchmarks.performance writes all below this line -->\n"
_IN_MEMORY = Path("/dev/shm")
FIXTURES = ROOT / "fixtures"
COUNTS = (100, 1_000, 10_000, 50_000)
GREP = ("grep", "-rcE", r"cuda|\bcu[A-Z]|__global__|<<<")
HIPPORT = ("-m", "hipport")
BINARY = FIXTURES / "binary" / "bundles" / "v3.hipfb"

Row = list[str]


def table(title: str, head: Row, rows: Iterator[Row], note: str = "") -> str:
    lines = [f"## {title}", "", *([note, ""] if note else [])]
    lines += [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in rows:
        lines.append(f"| {' | '.join(row)} |")
        print(*row, sep="\t", file=sys.stderr, flush=True)
    return "\n".join(lines) + "\n\n"


def machine() -> str:
    """Processor, memory, systems: what a figure depends on."""
    found = Path("/proc/cpuinfo").read_text("utf-8")
    model = next(line.split(":")[1].strip() for line in found.splitlines() if "model name" in line)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{model}, {os.cpu_count()} logical processors, {memory:.0f} GiB; "
        f"Linux {platform.release().split('-')[0]}, Python {platform.python_version()}."
    )


class Round(NamedTuple):
    """Seconds of processor time that each took for the same files, measured in turn."""

    grep: float
    parsing: float
    start: float
    convert: float
    audit: float
    hipify: float


def sources(runs: int, torch_python: str | None) -> Iterator[Row]:
    for name, tree in trees().items():
        for folder in tree.folders:
            place = unpacked(tree) / folder
            files = code_files(place)
            size = sum(path.stat().st_size for path in files) / 1e6
            if size < 1:
                continue
            # In turn, so that a slow minute of the machine tells in all of them.
            rounds = [
                Round(
                    grep=program(*GREP, str(place)).cpu,
                    parsing=parse(files).cpu,
                    start=start_up(),
                    convert=convert(place, 1).cpu,
                    audit=audit(place, 1).cpu,
                    hipify=hipify_torch(torch_python, place) if torch_python else math.nan,
                )
                for _ in range(runs)
            ]
            yield [
                f"{name}, `{folder or '.'}`",
                f"{len(files):,}",
                f"{size:.1f}",
                *(
                    shown(size / statistics.median(map(attrgetter(what), rounds)), 1)
                    for what in ("grep", "parsing", "convert", "audit", "hipify")
                ),
                middle(each.convert / each.parsing for each in rounds),
                middle((each.convert - each.start) / each.parsing for each in rounds),
                middle(each.hipify / each.convert for each in rounds),
                middle(each.hipify / (each.convert - each.start) for each in rounds),
            ]


def middle(ratios: Iterable[float]) -> str:
    return shown(statistics.median(ratios), 2)


def shown(number: float, digits: int) -> str:
    """A number with so many digits behind the point; a dash where nothing was measured."""
    return "–" if math.isnan(number) else f"{number:.{digits}f}"


def start_up() -> float:
    """Processor seconds of converting a tree of one small file: what any conversion begins with."""
    with tempfile.TemporaryDirectory() as work:
        Path(work, "small.cu").write_text(SMALL, "utf-8")
        return convert(Path(work), 1).cpu


def hipify_torch(python: str, source: Path) -> float:
    """Processor seconds of PyTorch's hipify, of which importing PyTorch is none."""
    with tempfile.TemporaryDirectory() as work:
        command = [python, "-m", "benchmarks.hipify_torch", str(source), f"{work}/out"]
        told = subprocess.check_output(command, text=True, cwd=ROOT, stderr=subprocess.DEVNULL)
        return float(told)


def starts(runs: int) -> Iterator[Row]:
    """Of what `pip install` makes of the wheel, which has the rules in another form, too."""
    with tempfile.TemporaryDirectory() as work:
        site = Path(work, "site")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--no-build-isolation", "--target", site, ROOT], check=True)
        installed = ("env", "-C", work, f"PYTHONPATH={site}", sys.executable, *HIPPORT)
        source = Path(work) / "small.cu"
        source.write_text(SMALL, "utf-8")
        commands: dict[str, tuple[str, ...]] = {
            "--version": ("--version",),
            "--help": ("--help",),
            "convert --diff small.cu": ("convert", "--diff", str(source)),
            "audit report small.cu": ("audit", "report", str(source)),
            "check small.cu": ("check", str(source)),
            "verify small.cu": ("verify", str(source)),
            "compat small.cu -o small.h": ("compat", str(source), "-o", f"{work}/small.h"),
            "fatbin list bundle": ("fatbin", "list", str(BINARY)),
            "fatbin kernels bundle": ("fatbin", "kernels", str(BINARY)),
            "rules show cudaMalloc": ("rules", "show", "cudaMalloc"),
            "config": ("config",),
        }
        for what, arguments in commands.items():
            cost = median(partial(program, *installed, *arguments), runs)
            yield [f"`{what}`", f"{cost.cpu * 1000:.0f}", f"{cost.memory:.0f}"]
    for what, code in (("the interpreter alone", "pass"), ("`import click`", "import click")):
        cost = median(partial(child, "-c", code), runs)
        yield [what, f"{cost.cpu * 1000:.0f}", f"{cost.memory:.0f}"]
    yield ["reading all rules (within a process)", f"{load_rules() * 1000:.0f}", ""]


def scaling() -> Iterator[Row]:
    """Copies of one source tree, until there are enough files."""
    tree = trees()["deepspeed"]
    source = unpacked(tree) / tree.folders[0]
    each = files_of(source)
    for count in COUNTS:
        with tempfile.TemporaryDirectory() as work:
            place = Path(work) / "tree"
            made = 0
            while made < count:
                for path in each[: count - made]:
                    copy = place / f"copy{made // len(each)}" / path.relative_to(source)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, copy)
                made += len(each[: count - made])
            for what, measure in (("convert", convert), ("audit", audit)):
                yield scaled(what, count, partial(measure, place))


def scaled(what: str, count: int, measure: Callable[[int], Cost]) -> Row:
    one, two = measure(1), measure(2)
    return [
        what,
        f"{count:,}",
        f"{one.cpu:.1f}",
        f"{one.wall:.1f}",
        f"{two.wall:.1f}",
        f"{one.wall / two.wall:.2f}",
        f"{max(one.memory, two.memory):.0f}",
    ]


def fatbins(runs: int, given: str | None) -> Iterator[Row]:
    path = str(library(given))
    with tempfile.TemporaryDirectory() as work:
        out = f"{work}/out"

        def fresh(measure: Callable[[], Cost]) -> Cost:
            shutil.rmtree(out, ignore_errors=True)
            Path(out).mkdir()
            return measure()

        objdump = ("llvm-objdump-22", "--offloading", path)
        ours = (*HIPPORT, "fatbin")
        pairs = {
            "list": ((*ours, "list", path), objdump),
            "kernels": ((*ours, "kernels", path), None),
            "extract": ((*ours, "extract", path, "-o", out), ("cp", path, out)),
        }
        for what, (mine, theirs) in pairs.items():
            cost = median(partial(fresh, partial(child, *mine)), runs)
            row = [f"`{what}`", f"{cost.wall:.2f}", f"{cost.cpu:.2f}", f"{cost.memory:.0f}"]
            if theirs is None:
                # LLVM reads the notes of a code object, not of a library: it needs them unpacked.
                child(*ours, "extract", path, "-o", f"{work}/unpacked")
                objects = sorted(map(str, Path(work, "unpacked").iterdir()))
                theirs = ("llvm-readelf-22", "--notes", *objects)
            other = median(partial(fresh, partial(program, *theirs)), runs)
            name = {"cp": "`cp` of the library"}.get(theirs[0], f"`{' '.join(theirs[:2])}`")
            yield [
                *row,
                name,
                f"{other.wall:.2f}",
                f"{other.cpu:.2f}",
                f"{other.memory:.0f}",
                f"{cost.wall / other.wall:.2f}",
            ]


def compressed(runs: int, given: str | None) -> Iterator[Row]:
    """The largest library with compressed bundles, beside what unpacking them costs alone."""
    path = str(library(given, COMPRESSED))
    floor = str(Path(__file__).with_name("fatbin_floor.py"))
    commands = {"kernels": ("kernels",), "kernels --mangled": ("kernels", "--mangled")}
    other = median(partial(child, floor, path), runs)
    for what, options in commands.items():
        cost = median(partial(child, *HIPPORT, "fatbin", *options, path), runs)
        yield [
            *(f"`{what}`", f"{cost.wall:.1f}", f"{cost.cpu:.1f}", f"{cost.memory:.0f}"),
            *("reading, libzstd and MD5", f"{other.wall:.1f}", f"{other.cpu:.1f}"),
            *(f"{other.memory:.0f}", f"{cost.wall / other.wall:.2f}"),
        ]


_BESIDE = ["command", "s", "CPU s", "MiB", "beside", "s", "CPU s", "MiB", "ratio of the clock"]


def fatbin_tables(options: argparse.Namespace) -> str:
    return table(
        "Fat binaries: a library of 513 MB, 760 code objects, 81,688 kernels",
        _BESIDE,
        fatbins(options.runs, options.library),
    ) + table(
        "Fat binaries: a library of 503 MB, compressed from 5.2 GB, 622,189 kernels",
        _BESIDE,
        compressed(options.runs, options.compressed),
    )


def sections(options: argparse.Namespace) -> dict[str, Callable[[], str]]:
    """What the page has: name -> what measures it, as one or more tables."""
    return {
        "sources": lambda: table(
            "Sources: MB of code per second of processor time",
            [
                *("tree", "files", "MB", "grep", "tree-sitter alone", "`convert`", "`audit`"),
                *("hipify of PyTorch", "time of `convert` to parsing", "without start-up"),
                *("time of hipify to `convert`", "without start-up"),
            ],
            sources(options.runs, options.torch_python),
            "`convert` and `audit` are whole processes; parsing and hipify are timed after their"
            " imports. So ratios are also given without the start-up of `convert`, the time of one"
            " small file.",
        ),
        "shapes": lambda: table(
            "Trees of other shapes: seconds of processor time",
            whole_trees.HEAD,
            whole_trees.rows(options.runs),
            whole_trees.NOTE,
        ),
        "starts": lambda: table(
            "Start of each command", ["command", "ms CPU", "MiB"], starts(options.runs)
        ),
        "scaling": lambda: table(
            "From 100 to 50,000 files, and from one process to two",
            ["command", "files", "CPU s", "s, 1 process", "s, 2 processes", "faster", "peak MiB"],
            scaling(),
            "Copies of deepspeed's `csrc`. Memory is that of the largest process.",
        ),
        "fatbins": lambda: fatbin_tables(options),
    }


def kept(page: str) -> dict[str, str]:
    """The sections of a page by name; each begins with a comment that has it."""
    names = re.split(r"<!-- (\w+) -->\n", page)
    return dict(zip(names[1::2], names[2::2], strict=True))


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.performance")
    arguments.add_argument("--runs", type=int, default=5, help="runs of which the median counts")
    arguments.add_argument("--torch-python", help="a Python that has torch, to measure its hipify")
    arguments.add_argument("--library", help="of fat binaries; without: the largest is fetched")
    arguments.add_argument("--compressed", help="one with compressed bundles; likewise")
    arguments.add_argument(
        "--only", nargs="+", metavar="SECTION", help="measure these, keep the rest of the page"
    )
    options = arguments.parse_args()
    # What a disk takes depends on the disk, and on what else was written to it.
    if _IN_MEMORY.is_dir():
        os.environ.setdefault("TMPDIR", str(_IN_MEMORY))
    load = os.getloadavg()[0]
    if load > 1:
        print(f"load {load:.1f}: times of the clock mean nothing", file=sys.stderr)
    before, _, old = PAGE.read_text("utf-8").partition(MARK)
    every = sections(options)
    only = options.only or [*every]
    earlier = {name: text for name, text in kept(old).items() if name not in only}
    page = before + MARK + "\n"
    page += f"Machine: {machine()} Medians of {options.runs} runs; scaling: one run. "
    page += f"Written to {tempfile.gettempdir()}."
    page += (
        f" Of an earlier run, maybe on another machine: {', '.join(earlier)}." if earlier else ""
    )
    page += "" if options.torch_python else " PyTorch's hipify was not measured."
    page += "\n\n"
    for name, measured in every.items():
        page += f"<!-- {name} -->\n" + (earlier.get(name) or measured())
    PAGE.write_text(page.rstrip("\n") + "\n", "utf-8")


if __name__ == "__main__":
    main()
