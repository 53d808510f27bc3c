"""`python -m benchmarks.convert [TREE...]`: what a conversion costs, next to bare parsing.

Prints measured values beside their targets. Everything runs as a user runs it, in a child process
whose CPU time and peak memory the kernel counts (`wait4`); medians of several runs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.support.real_trees import trees, unpacked

CODE = {".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hpp", ".hxx", ".inl"}
RUNS = 5
SMALL = """#include <cuda_runtime.h>
__global__ void scale(float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}
int main() {
    float *x;
    cudaMalloc(&x, 1024 * sizeof(float));
    scale<<<4, 256>>>(x, 2.0f, 1024);
    cudaDeviceSynchronize();
    cudaFree(x);
}
"""
PARSE = """
import sys, time
from pathlib import Path
import tree_sitter, tree_sitter_cuda, tree_sitter_python
def parser(language):
    return tree_sitter.Parser(tree_sitter.Language(language))
cuda, python = parser(tree_sitter_cuda.language()), parser(tree_sitter_python.language())
names = sys.stdin.read().splitlines()
contents = [(python if name.endswith(".py") else cuda, Path(name).read_bytes()) for name in names]
cpu, wall = time.process_time(), time.perf_counter()
for parser, content in contents:
    parser.parse(content)
print(time.process_time() - cpu, time.perf_counter() - wall)
"""
# Started by a process without modules, because a child's peak memory is at first its parent's.
MEASURE = """
import os, sys, time
null = os.open(os.devnull, os.O_RDWR)
quiet = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - start
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss)
"""
# Everything that the rule set keeps is read, as by a command; importing the module is part of the
# start.
LOAD_RULES = """
import functools, time
from hipport.__main__ import collect_rarely
from hipport.rulebook.load import load
collect_rarely()
start = time.process_time()
loaded = load()
for name, value in vars(type(loaded)).items():
    if isinstance(value, functools.cached_property):
        getattr(loaded, name)
print(time.process_time() - start)
"""


class Cost(NamedTuple):
    """Seconds of processor time and of the clock, and the peak of the largest process in MiB."""

    cpu: float
    wall: float
    memory: float


def child(*command: str) -> Cost:
    """The cost of Python with these arguments and of the processes it waited for."""
    return program(sys.executable, *command)


def program(*command: str) -> Cost:
    """The cost of any program; exit codes 0 and 1 are results."""
    told = subprocess.check_output([sys.executable, "-I", "-S", "-c", MEASURE, *command], text=True)
    code, cpu, wall, memory = map(float, told.split())
    if code not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with exit code {code:.0f}")
    return Cost(cpu, wall, memory / 1024)


def median(measure: Callable[[], Cost], runs: int) -> Cost:
    costs = [measure() for _ in range(runs)]
    return Cost(*(statistics.median(values) for values in zip(*costs, strict=True)))


def convert(source: Path, jobs: int) -> Cost:
    with tempfile.TemporaryDirectory() as work:
        output = Path(work) / "out"
        command = ["-m", "hipport", "convert", str(source), "-o", str(output)]
        cost = child(*command, "--jobs", str(jobs))
        if not output.is_dir():
            raise SystemExit(f"{' '.join(command)} wrote nothing")
        return cost


def parse(files: list[Path]) -> Cost:
    """Bare parsing of files, one after the other, with the grammars the converter uses."""
    names = "\n".join(map(str, files))
    told = subprocess.check_output([sys.executable, "-c", PARSE], input=names, text=True)
    cpu, wall = map(float, told.split())
    return Cost(cpu, wall, 0)


def code_files(source: Path, *more: str) -> list[Path]:
    """The C and C++ sources in a folder, and those with more endings."""
    return [p for p in sorted(source.rglob("*")) if p.is_file() and p.suffix in {*CODE, *more}]


def load_rules() -> float:
    """Seconds of processor time that a new process spends on reading every rule."""
    return float(subprocess.check_output([sys.executable, "-c", LOAD_RULES]))


def show(what: str, value: str, target: str = "", met: bool | None = None) -> None:
    verdict = "" if met is None else "met" if met else "MISSED"
    print(f"{what:<58} {value:>22}  {target:<20} {verdict}", flush=True)


def measure_tree(name: str, source: Path, runs: int) -> None:
    files = code_files(source)
    if not files:
        return
    size = sum(path.stat().st_size for path in files) / 1e6
    bare = median(partial(parse, source), runs)
    show(
        f"{name}: bare parsing, {len(files)} files, {size:.1f} MB",
        f"{bare.cpu:.2f} s, {size / bare.cpu:.1f} MB/s",
    )
    for jobs in (1, 2):
        cost = median(partial(convert, source, jobs), runs)
        ratio = cost.wall / bare.wall if jobs == 2 else cost.cpu / bare.cpu
        show(
            f"{name}: {jobs} jobs, {size / cost.cpu:.1f} MB/CPU s, {cost.memory:.0f} MiB",
            f"{cost.cpu:.2f} s CPU, {cost.wall:.2f} s",
            f"{ratio:.2f}x bare, at most 2" if jobs == 2 else f"{ratio:.2f}x bare CPU",
            ratio <= 2 if jobs == 2 else None,
        )


def measure_start(runs: int) -> None:
    with tempfile.TemporaryDirectory() as work:
        small = Path(work) / "small.cu"
        small.write_text(SMALL, "utf-8")
        one = median(lambda: child("-m", "hipport", "convert", str(small), "--diff"), runs)
        (Path(work) / "plain").mkdir()
        for index in range(200):
            text = SMALL.replace("cuda", "mine_").replace("__global__", "").replace("<<<", "<")
            (Path(work) / "plain" / f"{index}.cpp").write_text(text * 50, "utf-8")
        plain = median(lambda: convert(Path(work) / "plain", 1), runs)
    show(
        "one small file, end to end",
        f"{one.cpu * 1000:.0f} ms CPU",
        "at most 120 ms",
        one.cpu <= 0.12,
    )
    version = median(lambda: child("-m", "hipport", "--version"), runs)
    show("start-up alone (--version)", f"{version.cpu * 1000:.0f} ms CPU")
    load = statistics.median(load_rules() for _ in range(runs))
    show("loading all rules", f"{load * 1000:.0f} ms CPU", "at most 30 ms", load <= 0.03)
    size = len(SMALL) * 50 * 200 / 1e6
    show(
        f"200 files without CUDA names, {size:.1f} MB", f"{plain.cpu:.2f} s CPU, {plain.wall:.2f} s"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.convert", description=__doc__)
    arguments.add_argument("tree", nargs="*", help=f"of {', '.join(trees())}; without: all of them")
    arguments.add_argument("--runs", type=int, default=RUNS, help="runs of which the median counts")
    options = arguments.parse_args()
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    print(f"load {load:.1f} on {cores} cores; times with 2 jobs mean something on an idle machine")
    measure_start(options.runs)
    for name in options.tree or trees():
        tree = trees()[name]
        for folder in tree.folders:
            measure_tree(f"{name}/{Path(folder).name}", unpacked(tree) / folder, options.runs)


if __name__ == "__main__":
    main()
