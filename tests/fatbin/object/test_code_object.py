"""Targets, kernels, arguments and descriptors of code objects of every version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import FileSource
from hipport.fatbin.object.code_object import CodeObject, Kernel
from hipport.fatbin.object.demangle import demangle
from hipport.fatbin.processors import processor_of_mach, processors
from tests.support.binaries import BINARY, output_of, tool

FOLDER = BINARY / "code-objects"
NAMES = ["scale", "_Z3addIiEvPT_PKS0_S3_", "_Z3addIdEvPT_PKS0_S3_"]
# File -> version, target of e_flags, generic version, (vgprs, sgprs, wave size) of each kernel.
EXPECTED = {
    "v2-gfx906.co": (2, "gfx906:sramecc+:xnack+", 0, [(2, 8, 64), (5, 8, 64), (6, 8, 64)]),
    "v3-gfx906.co": (3, "gfx906:sramecc+:xnack+", 0, [(2, 8, 64), (5, 8, 64), (6, 8, 64)]),
    "v3-gfx908_xnack+.co": (
        3,
        "gfx908:sramecc+:xnack+",
        0,
        [(2, 10, 64), (5, 12, 64), (6, 12, 64)],
    ),
    "v4-gfx90a_sramecc+_xnack-.co": (
        4,
        "gfx90a:sramecc+:xnack-",
        0,
        [(2, 8, 64), (5, 6, 64), (7, 6, 64)],
    ),
    "v5-gfx942_xnack+.co": (5, "gfx942:xnack+", 0, [(2, 12, 64), (5, 14, 64), (7, 14, 64)]),
    "v6-gfx9-4-generic.co": (6, "gfx9-4-generic", 1, [(2, 12, 64), (5, 14, 64), (7, 14, 64)]),
    "v6-gfx1201.co": (6, "gfx1201", 0, [(2, 6, 32), (4, 8, 32), (6, 8, 32)]),
    "v6-gfx1250.co": (6, "gfx1250", 0, [(2, 6, 32), (3, 8, 32), (6, 8, 32)]),
}


def opened(name: str) -> CodeObject:
    return CodeObject(FileSource(str(FOLDER / name)))


@pytest.mark.parametrize("name", EXPECTED)
def test_version_target_and_resources(name: str) -> None:
    code_object = opened(name)
    version, target, generic, resources = EXPECTED[name]
    assert code_object.version == version
    assert str(code_object.target) == target
    assert code_object.flags_target.generic_version == generic
    kernels = list(code_object.kernels())
    assert [kernel.name for kernel in kernels] == NAMES
    assert [(k.vgprs, k.sgprs, k.wave_size) for k in kernels] == resources
    assert [(k.lds, k.scratch, k.vgpr_spills, k.max_workgroup_size) for k in kernels] == [
        (0, 0, 0, 1024)
    ] * 3


@pytest.mark.parametrize("name", EXPECTED)
def test_arguments_a_host_passes(name: str) -> None:
    scale, add, _ = opened(name).kernels()
    passed = [
        [
            (a[".size"], a[".value_kind"])
            for a in kernel.arguments
            if not a[".value_kind"].startswith("hidden_")
        ]
        for kernel in (scale, add)
    ]
    assert passed == [
        [(8, "global_buffer"), (4, "by_value"), (4, "by_value")],
        [(8, "global_buffer")] * 3,
    ]


@pytest.mark.parametrize("name", EXPECTED)
def test_descriptors_agree_with_the_metadata(name: str) -> None:
    code_object = opened(name)
    for kernel in code_object.kernels():
        descriptor = kernel.descriptor
        assert descriptor is not None
        assert (descriptor.lds, descriptor.scratch) == (kernel.lds, kernel.scratch)
        assert descriptor.kernarg == kernel.kernarg_size
        assert descriptor.wave32 == (kernel.wave_size == 32)
        mode = kernel.workgroup_processor_mode
        assert mode is (True if "gfx1201" in name else None)
        assert descriptor.workgroup_processor_mode is bool(mode)
        # The descriptor's offset leads from it to the kernel's first instruction.
        # In version 2 it precedes them, at the kernel's own symbol.
        if code_object.version == 2:
            assert descriptor.entry_offset == 256
            assert descriptor.vgpr_blocks == (kernel.vgprs - 1) // 4
            continue
        place, entry = (code_object.symbols[s][1] for s in (kernel.symbol, kernel.name))
        assert place + descriptor.entry_offset == entry


NUMBERS = {
    "vgprs": ".vgpr_count",
    "agprs": ".agpr_count",
    "sgprs": ".sgpr_count",
    "lds": ".group_segment_fixed_size",
    "scratch": ".private_segment_fixed_size",
    "vgpr_spills": ".vgpr_spill_count",
    "sgpr_spills": ".sgpr_spill_count",
    "wave_size": ".wavefront_size",
    "max_workgroup_size": ".max_flat_workgroup_size",
    "kernarg_size": ".kernarg_segment_size",
}


def test_each_number_has_its_key_in_the_metadata() -> None:
    """LLVM, AMDGPUUsage, "Code Object V3 Metadata"."""
    code_object = opened("v6-gfx1201.co")
    values = {key: number for number, key in enumerate(NUMBERS.values(), start=5)}
    kernel = Kernel(code_object, values)
    assert {name: getattr(kernel, name) for name in NUMBERS} == {
        name: values[key] for name, key in NUMBERS.items()
    }
    assert (kernel.name, kernel.symbol, kernel.dynamic_stack) == ("", "", False)
    assert kernel.workgroup_processor_mode is None and kernel.descriptor is None
    for raw, mode in ((0, False), (1, True), (False, False), (True, True)):
        told = {".workgroup_processor_mode": raw, ".uses_dynamic_stack": raw}
        kernel = Kernel(code_object, told | {".name": "k", ".symbol": 7})
        assert (kernel.workgroup_processor_mode, kernel.name, kernel.symbol) == (mode, "k", "")
        assert kernel.dynamic_stack is (raw is True)


def test_metadata_states_the_target_since_version_4() -> None:
    stated = {name: opened(name).metadata_target for name in EXPECTED}
    assert stated["v3-gfx906.co"] == ""
    assert stated["v4-gfx90a_sramecc+_xnack-.co"] == "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
    assert stated["v6-gfx9-4-generic.co"] == "amdgcn-amd-amdhsa--gfx9-4-generic"


def test_processor_numbers() -> None:
    assert [processor_of_mach(n) for n in (0x3F, 0x40, 0x4C, 0x4E, 0x5F, 0x50, 0xFF)] == [
        "gfx90a",
        "gfx940",
        "gfx942",
        "gfx1201",
        "gfx9-4-generic",
        None,
        None,
    ]
    numbers = [processor.mach for processor in processors().values()]
    assert len(set(numbers)) == len(numbers) == 55
    for processor in processors().values():
        assert all(name in processors() for name in processor.covers)


def test_demangling_leaves_plain_and_hostile_names_alone() -> None:
    bomb = "_Z1fI" + "St4pairI" * 40 + "i" + "iE" * 40 + "EvT_"
    names = ["scale", NAMES[1], NAMES[2], "_Zbroken", bomb, "_Z1f\n_Z1gv"]
    found = demangle(names)
    assert found[NAMES[1]] == "void add<int>(int*, int const*, int const*)"
    assert found[NAMES[2]] == "void add<double>(double*, double const*, double const*)"
    assert "scale" not in found and "_Zbroken" not in found and "_Z1f\n_Z1gv" not in found


@pytest.mark.toolchain
@pytest.mark.parametrize("name", [name for name in EXPECTED if not name.startswith("v2")])
def test_names_and_registers_equal_those_of_llvm_readelf(name: str) -> None:
    notes = output_of(tool("llvm-readelf-22"), "--notes", FOLDER / name)
    kernels = list(opened(name).kernels())
    assert [k.name for k in kernels] == re.findall(r"^    \.name: +(\S+)$", notes, re.M)
    for key, ours in (
        (".vgpr_count", [k.vgprs for k in kernels]),
        (".sgpr_count", [k.sgprs for k in kernels]),
        (".kernarg_segment_size", [k.kernarg_size for k in kernels]),
    ):
        theirs = re.findall(rf"^(?:  - |    )\{key}: +(\d+)$", notes, re.M)
        assert ours == list(map(int, theirs)), key


SPENDER = """
extern "C" __attribute__((global)) void spender(int *p, int n) {
  __attribute__((shared)) int lds[96];
  volatile int scratch[50];
  for (int i = 0; i < 50; i++) scratch[i] = p[i] + n;
  lds[n & 63] = scratch[n % 50];
  p[n] = lds[(n + 1) & 63] + scratch[3];
}
"""


@pytest.mark.toolchain
@pytest.mark.parametrize("version", [2, 3])
def test_descriptors_have_lds_and_scratch(tmp_path: Path, version: int) -> None:
    source, result = tmp_path / "spender.hip", tmp_path / "spender.co"
    source.write_text(SPENDER)
    output_of(
        *(tool("clang++-14"), "-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "--cuda-device-only"),
        *("--no-gpu-bundle-output", "--offload-arch=gfx906"),
        *(f"-mcode-object-version={version}", "-c", source, "-o", result),
    )
    (kernel,) = CodeObject(FileSource(str(result))).kernels()
    found = kernel.descriptor
    assert found is not None
    assert (found.lds, found.scratch, found.kernarg) == (384, 224, kernel.kernarg_size)
    assert (kernel.lds, kernel.scratch) == (384, 224)


@pytest.mark.toolchain
def test_version_2_equals_llvm_14s_reading() -> None:
    notes = output_of(tool("llvm-readelf-14"), "--notes", FOLDER / "v2-gfx906.co")
    kernels = list(opened("v2-gfx906.co").kernels())
    assert [k.name for k in kernels] == re.findall(r"^  - Name: +(\S+)$", notes, re.M)
    assert [k.vgprs for k in kernels] == list(map(int, re.findall(r"NumVGPRs: +(\d+)", notes)))
