"""`python -m benchmarks.device_functions`: do the helpers for device functions give CUDA's bits?

    write FOLDER      writes FOLDER/check.cu, to be compiled with nvcc and run on a GPU
    keep FILE GPU     keeps what it printed, and which GPU it ran on, as results.json

The program runs what hipport_device.h has for AMD GPUs beside CUDA's function of the same name,
over all combinations of edge cases and over random bits, and prints a line of JSON for each
function: how many results were compared, how many differ, and the first arguments for which they
do. NaNs count as equal: their bits differ between GPUs. Loads and stores move a million random
values of each type that CUDA has them for, and all bytes are compared.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
HEADER = HERE.parents[1] / "rules" / "helpers" / "hipport_device.h"
RESULTS = HERE / "results.json"
_FUNCTION = re.compile(r"^HIPPORT_CUDA\((\w+), (\w+)\)$", re.MULTILINE)
_MEMORY = re.compile(r"ld\w+|st\w+")
_OF_ONE = re.compile(r"v(?:abs|absss|neg|negss)\d|[fd](?:rcp|sqrt)_\w+")
_WORDS = [("int",) * 3, ("unsigned",) * 3]
_VECTORS = {
    "dp4a": [("char4", "char4", "int"), ("uchar4", "uchar4", "unsigned")],
    "dp2a": [("short2", "char4", "int"), ("ushort2", "uchar4", "unsigned")],
}
_VECTORS_IN_MEMORY = (
    *(
        f"{sign}{kind}{count}"
        for kind in ("char", "short", "int")
        for sign in ("", "u")
        for count in (2, 4)
    ),
    *("longlong2", "ulonglong2", "float2", "float4", "double2"),
)
# What sm_32_intrinsics.h, cuda_fp16.h and cuda_bf16.h have loads and stores for.
_IN_MEMORY = (
    *("char", "signed char", "short", "int", "long", "long long", "float", "double"),
    *(f"unsigned {each}" for each in ("char", "short", "int", "long", "long long")),
    *_VECTORS_IN_MEMORY,
    *("__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"),
)
_MEANS = {"hadd": "int", "rhadd": "int", "uhadd": "unsigned", "urhadd": "unsigned"}
_SWAPPED = {
    "bswap16": "unsigned short",
    "bswap32": "unsigned",
    "bswap64": "unsigned long long",
}


def main() -> int:
    action, path = sys.argv[1], Path(sys.argv[2])
    if action == "write":
        path.mkdir(parents=True, exist_ok=True)
        (path / "check.cu").write_text(program(HEADER.read_text("utf-8")), "utf-8")
        return 0
    functions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    results = {"gpu": sys.argv[3], "header": digest(), "functions": functions}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    return 1 if any(each["different"] for each in functions) else 0


def digest() -> str:
    """The SHA-256 of the header."""
    return hashlib.sha256(HEADER.read_bytes()).hexdigest()


def compared(header: str) -> list[tuple[str, str]]:
    """The functions that are compared, each with the name that CUDA has for it."""
    return _FUNCTION.findall(header)


def program(header: str) -> str:
    """The program for a header's text."""
    for_amd = header.partition("\n#elif defined(__CUDACC__)")[0]
    for_amd = for_amd[for_amd.index("#define HIPPORT_INLINE") :]
    calls, structures = [], []
    for name, cuda in compared(header):
        in_memory = _MEMORY.fullmatch(name) is not None
        for number, types in enumerate(
            ((each,) for each in _IN_MEMORY) if in_memory else overloads(name)
        ):
            label = f"{name}_{number}"
            make = memory_structure if in_memory else structure
            structures.append(make(label, name, cuda, types))
            calls.append(f"    run{'_memory' * in_memory}<{label}>();")
    text = (HERE / "check.cu").read_text("utf-8")
    text = text.replace("//@ header", for_amd).replace("//@ functions", "\n".join(structures))
    return text.replace("//@ calls", "\n".join(calls))


def overloads(name: str) -> list[tuple[str, ...]]:
    """The types of the arguments of each function of the name."""
    stem = name.partition("_")[0]
    if stem in _VECTORS:
        return _WORDS + _VECTORS[stem]
    if name in _SWAPPED:
        return [(_SWAPPED[name],)]
    if name in _MEANS:
        return [(_MEANS[name],) * 2]
    if name.startswith(("vib", "viadd", "vimax", "vimin")):
        count = 3 if name.startswith(("viadd", "vimax3", "vimin3")) else 2
        return [(("int" if "_s32" in name else "unsigned"),) * count]
    kind = {"v": "unsigned", "f": "float", "d": "double"}[name[0]]
    return [(kind,) * (1 if _OF_ONE.fullmatch(name) else 3 if name.startswith("fma") else 2)]


def structure(label: str, name: str, cuda: str, types: tuple[str, ...]) -> str:
    """A structure that has both functions, for arguments made of bits."""
    arguments = [f"make<{each}>(bits[{at}])" for at, each in enumerate(types)]
    flags = ("first",) if "32" in name else ("high", "low")
    flags = flags if name.startswith("vib") else ()
    declared = "".join(f"bool {each} = false; " for each in flags)
    given = ", ".join((*arguments, *(f"&{each}" for each in flags)))
    value = "value" + "".join(f" * 2 + {each}" for each in flags)
    lines = [
        f"struct {label} {{",
        f"  static constexpr int count = {len(types)};",
        f'  static const char *name() {{ return "{cuda}({", ".join(types)})"; }}',
        f"  static constexpr bool is_real = {int(types[0] in ('float', 'double'))};",
        f"  static constexpr bool is_wide = {int(types[0] == 'double')};",
    ]
    for which, function in (("ours", f"hipport::{name}"), ("theirs", f"::{cuda}")):
        lines += [
            f"  static __device__ unsigned long long {which}(const unsigned long long *bits)",
            f"  {{ {declared}const auto value = image({function}({given})); return {value}; }}",
        ]
    return "\n".join((*lines, "};"))


def memory_structure(label: str, name: str, cuda: str, types: tuple[str, ...]) -> str:
    """A structure that has both functions of a load or store, each moving one value."""
    lines = [
        f"struct {label} {{",
        f"  using type = {types[0]};",
        f'  static const char *name() {{ return "{cuda}({types[0]})"; }}',
    ]
    for which, function in (("ours", f"hipport::{name}"), ("theirs", f"::{cuda}")):
        moved = f"*to = {function}(from)" if name.startswith("ld") else f"{function}(to, *from)"
        lines.append(f"  static __device__ void {which}(const type *from, type *to) {{ {moved}; }}")
    return "\n".join((*lines, "};"))


if __name__ == "__main__":
    raise SystemExit(main())
