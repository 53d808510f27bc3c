"""Trees of other shapes: many small programs, files that are only copied, and Python."""

from __future__ import annotations

import random
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from itertools import chain, cycle
from pathlib import Path

from benchmarks.audit import audit
from benchmarks.convert import Cost, code_files, convert, parse, program
from tests.support.real_trees import trees, unpacked, whole

# As many, and as much of each kind, as in a well-known collection of CUDA benchmarks: 25 MB of
# sources among 115 MB, 1,400 edits in a megabyte.
PROGRAMS = 529
_SOURCES = 34_000
"""Bytes of sources after which a program takes no more."""
_DATA = 170_000
"""Bytes of data beside each program, for which a conversion has no other use than to copy them."""
_SIZES = range(2_000, 100_000)
"""Bytes of a source that may be one of a small program."""
_MAKEFILE = """\
CC = nvcc
ARCH = sm_80
CFLAGS = -std=c++17 -O3 -arch=$(ARCH) -Xcompiler -Wall
OBJECTS = main.o

main: $(OBJECTS)
\t$(CC) $(CFLAGS) $(OBJECTS) -o $@ -lcublas

main.o: main.cu makefile
\t$(CC) $(CFLAGS) -c $< -o $@

clean:
\trm -f main $(OBJECTS)
"""


def dense_tree(folder: Path) -> Path:
    """Write PROGRAMS folders, each with sources of the pinned trees, a makefile and data."""
    pinned = [_small_sources(unpacked(tree)) for tree in trees().values() if any(tree.folders)]
    sources = chain.from_iterable(zip(*map(cycle, filter(None, pinned)), strict=True))
    for number in range(PROGRAMS):
        program_folder = folder / f"{number:03}"
        program_folder.mkdir(parents=True)
        name, size = "main.cu", 0
        while size < _SOURCES:
            source = next(sources)
            shutil.copy(source, program_folder / name)
            name, size = source.name, size + source.stat().st_size
        (program_folder / "makefile").write_text(_MAKEFILE, "utf-8")
        data = random.Random(number).randbytes(_DATA)
        (program_folder / "input.bin").write_bytes(data)
    return folder


def _small_sources(tree: Path) -> list[Path]:
    files = sorted(path for path in tree.rglob("*") if path.suffix in (".cu", ".cuh"))
    return [path for path in files if path.stat().st_size in _SIZES]


def rows(runs: int) -> Iterator[list[str]]:
    """What each shape costs, beside parsing its sources and copying all of it."""
    with tempfile.TemporaryDirectory() as work:
        yield _row(f"{PROGRAMS} small programs", dense_tree(Path(work) / "dense"), runs)
    name = "llama-cpp-python"
    yield _row(f"{name}, whole: mostly copied", whole(trees()[name]), runs)
    name = "deepspeed"
    yield _row(f"{name}, whole: mostly Python", whole(trees()[name]), runs, ".py")


NOTE = (
    f"The {PROGRAMS} programs are made of sources of the trees above, each in a folder with a"
    " makefile and data: as many, and as much of each kind, as in a well-known collection of CUDA"
    " benchmarks."
)
HEAD = [
    *("tree", "files", "MB", "MB of code", "tree-sitter alone, s", "`cp -r`, s"),
    *("`convert`, s", "`audit`, s", "`convert` to parsing", "`convert` to `cp -r`"),
    "`audit` to parsing",
]


def _row(name: str, place: Path, runs: int, *more: str) -> list[str]:
    files = [path for path in place.rglob("*") if path.is_file()]
    code = code_files(place, *more)
    sizes = (sum(path.stat().st_size for path in each) / 1e6 for each in (files, code))
    # In turn, so that a slow minute of the machine tells in all of them.
    rounds = [
        (parse(code).cpu, _copied(place).cpu, convert(place, 1).cpu, audit(place, 1).cpu)
        for _ in range(runs)
    ]
    parsing, copying, converting, auditing = map(statistics.median, zip(*rounds, strict=True))
    return [
        *(name, f"{len(files):,}", *(f"{size:.1f}" for size in sizes)),
        *(f"{each:.2f}" for each in (parsing, copying, converting, auditing)),
        *(
            f"{converting / parsing:.2f}",
            f"{converting / copying:.1f}",
            f"{auditing / parsing:.2f}",
        ),
    ]


def _copied(place: Path) -> Cost:
    with tempfile.TemporaryDirectory() as work:
        return program("cp", "-r", str(place), f"{work}/copy")
