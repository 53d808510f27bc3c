"""What rules/targets.toml says AMD GPUs have, against what clang compiles for them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.rulebook.device_features import features, workgroup_memory
from hipport.rulebook.load import load

RULES = load(is_audit=True)
PROCESSORS = (
    "gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1011 gfx1030 gfx1100 gfx1201 gfx1250"
).split()
DEVICE = "__attribute__((device)) "
KERNEL = "__attribute__((global)) void f"
V4 = "typedef float v4 __attribute__((ext_vector_type(4))); "
V2 = "typedef float v2 __attribute__((ext_vector_type(2))); "
# Builtins that clang takes for the processors that have the feature, and for no other.
PROBES = {
    "sdot4": DEVICE + "int f(int a, int b) { return __builtin_amdgcn_sdot4(a, b, 0, false); }",
    "sudot4": DEVICE
    + "int f(int a, int b) { return __builtin_amdgcn_sudot4(true, a, true, b, 0, false); }",
    "load_to_lds": KERNEL
    + "(void* g) { __attribute__((shared)) static int s[64]; __builtin_amdgcn_global_load_lds("
    "(__attribute__((address_space(1))) void*)g, (__attribute__((address_space(3))) void*)s,"
    " 4, 0, 0); }",
    "images": "#if __HIP_NO_IMAGE_SUPPORT\n#error none\n#endif\n",
    "tanh": DEVICE + "float f(float a) { return __builtin_amdgcn_tanhf(a); }",
    "mfma": V4
    + DEVICE
    + "v4 f(float a, v4 c) { return __builtin_amdgcn_mfma_f32_4x4x1f32(a, a, c, 0, 0, 0); }",
    "tf32": V2
    + V4
    + DEVICE
    + "v4 f(v2 a, v4 c) { return __builtin_amdgcn_mfma_f32_16x16x8_xf32(a, a, c, 0, 0, 0); }",
}


def compiles(source: str, processor: str, folder: Path) -> bool:
    path = folder / "probe.hip"
    path.write_text(source)
    options = ["-nogpuinc", "-nogpulib", "--cuda-device-only", "-c", "-o", str(folder / "out")]
    command = ["clang++-22", "-x", "hip", f"--offload-arch={processor}", *options, str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.toolchain
@pytest.mark.parametrize("feature", PROBES)
def test_features_are_those_that_clang_compiles(feature: str, tmp_path: Path) -> None:
    compiled = [each for each in PROCESSORS if compiles(PROBES[feature], each, tmp_path)]
    told = [each for each in PROCESSORS if feature in features(RULES, each)]
    assert compiled == told


@pytest.mark.toolchain
@pytest.mark.parametrize("processor", ["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1201"])
def test_a_workgroup_has_the_memory_that_clang_allows(processor: str, tmp_path: Path) -> None:
    size = workgroup_memory(RULES, [processor])
    body = "g[s[g[0]]] = s[1]; s[g[1]] = g[2]; __builtin_amdgcn_s_barrier(); g[3] = s[g[4]];"
    for bytes_, fits in ((size, True), (size + 4, False)):
        shared = f"__attribute__((shared)) static char s[{bytes_}];"
        assert compiles(f"{KERNEL}(char* g) {{ {shared} {body} }}", processor, tmp_path) is fits
