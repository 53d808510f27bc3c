"""Code objects that a link made in partitions: one metadata note for each of them."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import msgpack
import pytest

from fuzz.formats import with_note
from hipport.errors import HipportError
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.questions.kernel_tables import code_objects, kernel_tables
from tests.support.binaries import only, output_of, run, tool

UNIT = """
#define __global__ __attribute__((global))
struct dim3 {{ unsigned x, y, z; }};
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
extern "C" unsigned __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);
extern "C" __global__ void first{0}(int *p) {{ *p = {0}; }}
extern "C" __global__ void second{0}(int *p, int q) {{ *p = q; }}
template <class T> __global__ void third{0}(T *p) {{ *p = {0}; }}
template __global__ void third{0}<int>(int *);
template __global__ void third{0}<float>(float *);
"""


def linked(folder: Path, partitions: int) -> Path:
    objects: list[Path] = []
    for number in range(3):
        source, unit = folder / f"{number}.hip", folder / f"{number}.o"
        source.write_text(UNIT.format(number))
        output_of(
            *(tool("clang++-22"), "-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "-fPIC"),
            *("-fgpu-rdc", "--offload-new-driver", "--offload-arch=gfx90a"),
            *("--offload-arch=gfx1100", "-c", source, "-o", unit),
        )
        objects.append(unit)
    output_of(
        *(tool("clang++-22"), "--offload-link", "-nogpulib", "-nostdlib", "-fuse-ld=lld"),
        *("-shared", "-Wl,-z,undefs", "-Xoffload-linker", f"--lto-partitions={partitions}"),
        *objects,
        *("-o", folder / "lib.so"),
    )
    return folder / "lib.so"


@pytest.mark.toolchain
@pytest.mark.parametrize("partitions", [1, 4])
def test_kernels_equal_those_of_llvm_readelf(tmp_path: Path, partitions: int) -> None:
    library = only(linked(tmp_path, partitions))
    for entry, code_object in code_objects(library, Limits()):
        path = tmp_path / "one.co"
        path.write_bytes(entry.source().read(0, entry.size))
        notes = output_of(tool("llvm-readelf-22"), "--notes", path)
        assert notes.count("NT_AMDGPU_METADATA") == partitions
        names = re.findall(r"^    \.name: +(\S+)$", notes, re.M)
        kernels = list(code_object.kernels())
        assert [kernel.name for kernel in kernels] == names and len(set(names)) == 12
        arguments = {"first": 1, "second": 2, "_Z6thi": 1}
        for kernel in kernels:
            passed = [a for a in kernel.arguments if a[".value_kind"][:7] != "hidden_"]
            assert len(passed) == arguments[kernel.name.rstrip("012")[:6]]
            assert kernel.descriptor is not None
        keys = (".name", ".vgpr_count")
        assert [raw[".name"] for raw in code_object.kernel_records(keys)] == names
    assert [len(table.records) for table in kernel_tables(library, Limits())] == [12, 12]
    result = run("check", tmp_path / "lib.so", "--all", "--fail-on", "absent,unregistered,mismatch")
    assert (result.exit_code, result.stdout) == (0, "nothing found\n")


def two_notes(first: dict[str, object], second: dict[str, object]) -> CodeObject:
    packed = [msgpack.packb(each) for each in (first, second)]
    between = bytes(-len(packed[0]) % 4) + struct.pack("<III", 7, len(packed[1]), 32)
    whole = packed[0] + between + b"AMDGPU\0\0" + packed[1]
    data = bytearray(with_note(whole))
    # The first note ends where its own content does.
    at = data.find(b"AMDGPU\0\0" + packed[0]) - 12
    data[at + 4 : at + 8] = struct.pack("<I", len(packed[0]))
    return CodeObject(MemorySource(bytes(data), "two notes"))


def test_format_strings_are_joined() -> None:
    found = two_notes(
        {"amdhsa.printf": ["1:0:a"], "amdhsa.kernels": [{".name": "a"}]},
        {"amdhsa.printf": ["1:0:a", "2:0:b"], "amdhsa.kernels": [{".name": "b"}]},
    )
    assert [kernel.name for kernel in found.kernels()] == ["a", "b"]
    assert found.metadata.top["amdhsa.printf"] == ["1:0:a", "2:0:b"]


def test_notes_that_contradict_each_other_are_damage() -> None:
    found = two_notes({"amdhsa.version": [1, 1]}, {"amdhsa.version": [1, 2]})
    with pytest.raises(HipportError, match=r"notes disagree: amdhsa\.version \[1, 1\] and \[1, 2"):
        list(found.kernels())


def test_a_damaged_second_note_is_damage() -> None:
    found = two_notes({"amdhsa.kernels": []}, {"amdhsa.kernels": [1]})
    with pytest.raises(HipportError, match="damaged metadata"):
        list(found.kernels())


def test_the_limit_is_for_all_notes_together() -> None:
    found = two_notes({"amdhsa.printf": ["x" * 90]}, {"amdhsa.printf": ["y" * 90]})
    found.limits = Limits(max_note=150)
    with pytest.raises(HipportError, match="bytes in all; the limit is 150"):
        list(found.kernels())
