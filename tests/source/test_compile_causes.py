"""Why mechanically converted programs do not compile, and what the converter does about each cause.

The causes were counted on 519 programs and 185 vendor samples. Each has golden cases of its own,
with the exact text; here they are sorted by what becomes of them, and compiled where that can be.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.test_toolchain import TARGETS, run
from tests.source.warps.test_toolchain_warps import HELPERS
from tests.support.precompiled import Precompiled
from tests.support.source_cases import CASES, Case, load

CONVERTED = [
    "bf16_header_and_types.cu",
    "cache_hints.cu",
    "classification_on_the_host.cu",
    "cooperative_groups_reduce.cu",
    "cub_sub_headers.cu",
    "cuda_13_prefetch.cpp",
    "dimensions_where_they_are_wanted.cu",
    "flat_library_headers.cpp",
    "graphics_header.cpp",
    "grid_from_three_numbers.cu",
    "half_gemm.cpp",
    "helpers_behind_include_guards.h",
    "lane_mask_of_32_bits.cu",
    "nvcc_guard.h",
    "policy_without_synchronization.cu",
    "register_variables.cu",
    "runtime_header_that_nvcc_includes.cuh",
    "simd_intrinsics.cu",
    "strings_on_the_host.cu",
    "template_arguments_of_an_attribute.cu",
]
REPORTED = [
    "cache_hints_of_the_file.cu",
    "fp8_header_and_types.cu",
    "library_calls_without_a_mapping.cpp",
    "own_vector_operators.h",
    "pipeline_and_conditional_nodes.cu",
    "simd_intrinsics_of_the_file.cu",
    "simd_intrinsics_without_helpers.cu",
    "user_functions_that_hip_defines.cu",
]
UNTOUCHED = [
    "classification_on_the_device_only.cu",
    "classification_with_its_header.cu",
    "copies_on_the_device_only.cu",
    "half_gemm_with_casts.cpp",
    "own_classification.cpp",
    "register_in_other_places.cu",
    "register_with_an_assembler_name.cu",
    "strings_in_c.c",
    "strings_of_the_standard_library.cu",
    "strings_with_their_header.cu",
    "strings_without_a_gpu.cpp",
    "uint3_values.cu",
    "vectors_where_that_is_not_known.cu",
]
# What Debian's HIP 5.2 has the headers for.
COMPILED = [
    "cache_hints.cu",
    "classification_on_the_host.cu",
    "dimensions_where_they_are_wanted.cu",
    "grid_from_three_numbers.cu",
    "helpers_behind_include_guards.h",
    "lane_mask_of_32_bits.cu",
    "nvcc_guard.h",
    "register_variables.cu",
    "runtime_header_that_nvcc_includes.cuh",
    "strings_on_the_host.cu",
    "template_arguments_of_an_attribute.cu",
]
SERIOUS = {"manual", "blocker"}


def case(name: str) -> Case:
    return load(CASES / "compile_causes" / name)


def test_every_case_is_listed() -> None:
    files = sorted(path.name for path in (CASES / "compile_causes").iterdir())
    assert sorted([*CONVERTED, *REPORTED, *UNTOUCHED]) == files


@pytest.mark.parametrize("name", CONVERTED)
def test_what_can_be_converted_is(name: str) -> None:
    assert case(name).changes
    assert not [each for each in case(name).findings if each.severity in SERIOUS]


@pytest.mark.parametrize("name", REPORTED)
def test_what_cannot_is_reported_at_its_line(name: str) -> None:
    assert [each for each in case(name).findings if each.severity != "info"]


@pytest.mark.parametrize("name", UNTOUCHED)
def test_what_only_looks_like_it_stays(name: str) -> None:
    assert not case(name).changes


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_it_compiles(name: str, tmp_path: Path, precompiled: Precompiled) -> None:
    source = tmp_path / "a.hip"
    source.write_text(f"#include <hip/hip_runtime.h>\n{case(name).output}", encoding="utf-8")
    targets = [f"--offload-arch={each}" for each in TARGETS]
    options = ["-std=c++17", *precompiled.everywhere, f"-I{HELPERS}", *targets]
    process = run("hipcc", "-c", *options, str(source), "-o", str(tmp_path / "a.o"))
    assert process.returncode == 0, process.stderr


@pytest.mark.toolchain
@pytest.mark.slow
def test_what_the_guards_hide_is_seen(tmp_path: Path) -> None:
    """The cause that broke most samples: helpers behind CUDA's include guards."""
    helpers = case("helpers_behind_include_guards.h").output
    source = tmp_path / "a.hip"
    use = "const char *f() { return name_of(hipSuccess); }"
    source.write_text(f"#include <hip/hip_runtime.h>\n{helpers}\n{use}\n", encoding="utf-8")
    process = run("hipcc", "-fsyntax-only", f"--offload-arch={TARGETS[0]}", str(source))
    assert process.returncode == 0, process.stderr
