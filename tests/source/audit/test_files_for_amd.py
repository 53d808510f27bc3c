"""What a file chooses for AMD's GPUs: by its name, its folder, or what its tree has for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited
from tests.support.command import hipport

LAUNCH = "import triton\n\nkernel[grid](x, num_warps=8, num_stages=4)\n"
TOLD_APART = 'GPUS = ("gfx942", "gfx1100", "gfx1201")\n'
COMPILED_FOR = 'import os\n\nos.environ["PYTORCH_ROCM_ARCH"] = "gfx942;gfx1100"\n'


@pytest.mark.parametrize(
    ("path", "text", "code", "is_found"),
    [
        ("attention/launch.py", LAUNCH, "HP-PY-021", True),
        ("attention/_amd/launch.py", LAUNCH, "HP-PY-021", False),
        ("rocm/ops/launch.py", LAUNCH, "HP-PY-021", False),
        ("launch_gfx942.py", LAUNCH, "HP-PY-021", False),
        ("launch_hip.py", LAUNCH, "HP-PY-021", False),
        ("chip.py", LAUNCH, "HP-PY-021", True),
        # What no AMD GPU has is wrong there, too.
        (
            "rocm/launch.py",
            "import triton\n\nkernel[grid](x, num_ctas=2)\n",
            "HP-PY-021",
            True,
        ),
        # GPUs that a program tells apart, and those for which a build compiles.
        ("policy.py", TOLD_APART, "HP-WARP-016", False),
        ("setup.py", TOLD_APART, "HP-WARP-016", True),
        ("jit_build.py", TOLD_APART, "HP-WARP-016", True),
        ("policy.py", COMPILED_FOR, "HP-WARP-016", True),
    ],
)
def test_files(tmp_path: Path, path: str, text: str, code: str, is_found: bool) -> None:
    place = tmp_path / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    codes = [each.code for each in audited(tmp_path) if each.path == path]
    assert (code in codes) == is_found


HEADER = "#pragma once\n#include <hip/hip_runtime.h>\n"
SIZE = f"{HEADER}constexpr int MAX_SHARED_MEMORY = 160000;\n"
TILES = """#pragma once
namespace ours {
__device__ inline int lanes() { return kittens::WARP_THREADS; }
}
"""


@pytest.mark.parametrize(
    ("folder", "is_found"),
    [("cdna4", False), ("gfx950", False), ("CDNA4", False), ("cdna3", True), ("kernels", True)],
)
def test_memory_of_the_gpus_that_a_folder_is_for(
    tmp_path: Path, folder: str, is_found: bool
) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "util.cuh").write_text(SIZE)
    assert ("HP-MEM-012" in [each.code for each in audited(tmp_path)]) == is_found


def test_names_of_a_library_that_amd_has_too(tmp_path: Path) -> None:
    (tmp_path / "tiles.cuh").write_text(TILES)
    (tmp_path / "gemm.cpp").write_text(f'{HEADER}#include "tiles.cuh"\n')
    assert "HP-LIB-027" not in [each.code for each in audited(tmp_path)]
    (tmp_path / "gemm.cpp").write_text('#include "tiles.cuh"\n')
    assert "HP-LIB-027" in [each.code for each in audited(tmp_path)]


OWN = "static __device__ __forceinline__ int __vsubss4(int a, int b) { return a - b; }\n"
CALLS = """#include "common.cuh"
__global__ void k(int *a) {
  a[0] = __vsubss4(a[1], a[2]);
}
"""


def test_a_device_function_that_the_tree_defines_for_hip(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(CALLS)
    (tmp_path / "common.cuh").write_text("#include <cuda_runtime.h>\n")
    assert "HP-HELP-001" in [each.code for each in audited(tmp_path)]
    (tmp_path / "hip.h").write_text(HEADER + OWN)
    assert not {"HP-HELP-001", "HP-MATH-002"}.intersection(each.code for each in audited(tmp_path))


VOTES = """#include "common.cuh"
__device__ int all(int x) { return __all_sync(0xffffffff, x); }
"""


def test_votes_that_the_tree_defines_for_hip(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(VOTES)
    common = '#pragma once\n#ifdef OUR_USE_HIP\n#include "hip.h"\n#endif\n'
    (tmp_path / "common.cuh").write_text(common)
    (tmp_path / "hip.h").write_text(HEADER)
    assert "HP-WARP-003" in [each.code for each in audited(tmp_path)]
    (tmp_path / "hip.h").write_text(f"{HEADER}#define __all_sync(mask, x) __all(x)\n")
    assert "HP-WARP-003" not in [each.code for each in audited(tmp_path)]


ATOMICS = """#include <cuda_runtime.h>
#if OursDefined(USING_NVCC)
__device__ double atomicExch(double *at, double x) { return x; }
#elif OursDefined(USING_HCC)
__device__ double atomicExch(double *at, double x) { return x; }
#endif
"""


def test_conditions_that_ask_for_amds_first_compiler(tmp_path: Path) -> None:
    (tmp_path / "a.cuh").write_text(ATOMICS)
    assert "HP-ATOM-007" not in [each.code for each in audited(tmp_path)]
    (tmp_path / "a.cuh").write_text(ATOMICS.replace("USING_HCC", "USING_GCC"))
    assert "HP-ATOM-007" in [each.code for each in audited(tmp_path)]


def test_a_header_that_only_files_of_hip_include_stays(tmp_path: Path) -> None:
    (tmp_path / "tile.cuh").write_text("#pragma once\n__device__ inline int two() { return 2; }\n")
    (tmp_path / "k.cpp").write_text(f'{HEADER}#include "tile.cuh"\n')
    done = hipport("convert", "--diff", ".", cwd=tmp_path)
    assert "+++" not in done.out
    (tmp_path / "k.cpp").write_text('#include "tile.cuh"\n')
    assert "+++ b/tile.cuh" in hipport("convert", "--diff", ".", cwd=tmp_path).out


def test_a_file_that_has_the_header_of_hip_through_another_stays(tmp_path: Path) -> None:
    (tmp_path / "types.cuh").write_text(HEADER)
    use = "__device__ inline int two() { return 2; }\n"
    (tmp_path / "ops.cuh").write_text(f'#pragma once\n#include "types.cuh"\n{use}')
    assert "+++" not in hipport("convert", "--diff", ".", cwd=tmp_path).out
