"""`python -m benchmarks.trace`: what `hipport trace` takes for a large tree and a large library.

10,000 launches in 200 files; 80,000 kernels, eight instances of each template, in eight code
objects. The target is 5 s of processor time and 300 MiB.
"""

from __future__ import annotations

import argparse
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgpack

from benchmarks.convert import child

FILES, KERNELS, INSTANCES = 200, 50, 8
CODE = Path(__file__).parents[1] / "fixtures" / "binary" / "code-objects" / "v3-gfx906.co"
_NOTE_SEGMENT = 4
_METADATA_NOTE = 32


def source(file: int) -> str:
    """Templates and, for each, a function that launches one instance of it."""
    lines = ["#include <hip/hip_runtime.h>", f"namespace lib{file} {{"]
    for number in range(KERNELS):
        lines += [
            f"template <typename T, int N> __global__ void kernel_{file}_{number}"
            "(T *x, const T *y, int n) { x[threadIdx.x] = y[N]; }",
            f"void run_{number}(float *x, int n) {{",
            "    const int threads = 256;",
            "    dim3 grid((n + threads - 1) / threads);",
            f"    kernel_{file}_{number}<float, {number % INSTANCES}>"
            "<<<grid, threads, 0, 0>>>(x, x, n);",
            "}",
        ]
    return "\n".join((*lines, "}", ""))


def mangled(file: int, number: int, instance: int) -> str:
    scope, name = f"lib{file}", f"kernel_{file}_{number}"
    return f"_ZN{len(scope)}{scope}{len(name)}{name}IfLi{instance}EEEvPT_PKS1_i"


def metadata(instance: int) -> Iterator[dict[str, object]]:
    for file in range(FILES):
        for number in range(KERNELS):
            name = mangled(file, number, instance)
            yield {
                ".name": name,
                ".symbol": f"{name}.kd",
                ".vgpr_count": 32,
                ".sgpr_count": 24,
                ".vgpr_spill_count": 0,
                ".sgpr_spill_count": 0,
                ".wavefront_size": 64,
                ".max_flat_workgroup_size": 1024,
                ".kernarg_segment_size": 24,
                ".kernarg_segment_align": 8,
                ".group_segment_fixed_size": 0,
                ".private_segment_fixed_size": 0,
            }


def code_object(instance: int) -> bytes:
    """A code object with that metadata in place of its own."""
    content: bytes = msgpack.packb(
        {"amdhsa.version": [1, 0], "amdhsa.kernels": list(metadata(instance))}
    )
    note = struct.pack("<III", 7, len(content), _METADATA_NOTE) + b"AMDGPU\0\0" + content
    data = bytearray(CODE.read_bytes())
    (table,) = struct.unpack_from("<Q", data, 32)
    (count,) = struct.unpack_from("<H", data, 56)
    for place in range(table, table + 56 * count, 56):
        if data[place] == _NOTE_SEGMENT:
            struct.pack_into("<QQQQ", data, place + 8, len(data), 0, 0, len(note))
    return bytes(data) + note


def make(folder: Path) -> None:
    """The sources in `src`, the code objects in `code`."""
    for name in ("src", "code"):
        (folder / name).mkdir()
    for file in range(FILES):
        (folder / "src" / f"f{file}.hip").write_text(source(file), "utf-8")
    for instance in range(INSTANCES):
        (folder / "code" / f"{instance}.co").write_bytes(code_object(instance))


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.trace")
    arguments.add_argument("--runs", type=int, default=3, help="runs, of which the lowest counts")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as work:
        make(Path(work))
        command = ("-m", "hipport", "trace", "--isolated", "--fail-on", "never")
        cost = min(
            child(*command, "-o", f"{work}/trace.json", f"{work}/src", f"{work}/code")
            for _ in range(options.runs)
        )
    print(f"{cost.cpu:.1f} s of processor time, {cost.memory:.0f} MiB")


if __name__ == "__main__":
    main()
