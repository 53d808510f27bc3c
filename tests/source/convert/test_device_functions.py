"""The header of device functions that HIP lacks: proven on a GPU, called where it is certain."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from benchmarks.device_functions.__main__ import RESULTS, compared, digest
from tests.source.test_toolchain import TARGETS, run
from tests.support.command import hipport, make_tree, read_tree
from tests.support.rule_tables import RULES

TEXT = (RULES / "helpers" / "hipport_device.h").read_text("utf-8")
TABLES = tomllib.loads((RULES / "device_functions.toml").read_text("utf-8"))
HELPERS = TABLES["helpers"]
KERNEL = "__global__ void k(unsigned *x) {{ x[0] = {}vadd4(x[0], x[1]); }}\n"
CUDA = "#include <cuda_runtime.h>\n" + KERNEL.format("__")
HIP = '#include <hip/hip_runtime.h>\n#include "hipport_device.h"\n' + KERNEL.format("hipport::")
OWN = "__device__ unsigned __vadd4(unsigned a, unsigned b) { return a + b; }\n"


def test_the_header_of_today_gave_the_same_bits_on_a_gpu() -> None:
    results = json.loads(RESULTS.read_text("utf-8"))
    assert results["header"] == digest()  # Run benchmarks.device_functions again on a GPU.
    functions = {each["function"].partition("(")[0] for each in results["functions"]}
    assert functions == {cuda for _, cuda in compared(TEXT)}
    for each in results["functions"]:
        assert (each["different"], each["error"]) == (0, "no error")
        assert each["compared"] > 1_000_000


def test_the_header_has_the_functions_of_the_rules_and_nothing_else_for_nvidia() -> None:
    passed_on = re.findall(r"^HIPPORT_CUDA\((\w+), (\w+)\)$", TEXT, re.MULTILINE)
    assert {cuda: f"hipport::{name}" for name, cuda in passed_on} == {
        **HELPERS,
        **TABLES["of_integers"],
    }


def test_the_header_is_written_where_a_file_calls_it(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": CUDA, "src/b.cu": "#include <cuda_runtime.h>\n"})
    for _ in range(2):
        assert hipport("convert", "src", cwd=tmp_path).code == 0
        found = read_tree(tmp_path / "src_hip")
        assert found == {
            "a.cu": HIP,
            "b.cu": "#include <hip/hip_runtime.h>\n",
            "hipport_device.h": TEXT,
        }


def test_a_function_of_the_tree_itself_stays(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": '#include "own.h"\n' + CUDA, "src/own.h": OWN})
    hipport("convert", "src", cwd=tmp_path)
    found = read_tree(tmp_path / "src_hip")
    assert sorted(found) == ["a.cu", "own.h"]
    assert "__vadd4(x[0], x[1])" in found["a.cu"]


def test_a_kernel_in_a_string_has_the_functions_that_it_calls(tmp_path: Path) -> None:
    compile = (
        "nvrtcResult f(nvrtcProgram *p) {\n  return nvrtcCreateProgram(p, source, 0, 0, 0, 0);\n}\n"
    )
    text = f'const char *source = R"(\nextern "C" {KERNEL.format("__")})";\n'
    make_tree(tmp_path, {"a.cpp": f"#include <nvrtc.h>\n{text}{compile}"})
    hipport("convert", "a.cpp", "-o", "out", cwd=tmp_path)
    found = read_tree(tmp_path / "out")
    assert sorted(found) == ["a.cpp"]
    assert "HIPPORT_PARTS(vadd4, unsigned char" in found["a.cpp"]
    assert "x[0] = hipport::vadd4(x[0], x[1]);" in found["a.cpp"]
    assert "vabs2" not in found["a.cpp"]


def test_a_ported_tree_is_told_of_the_call(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": "#include <hip/hip_runtime.h>\n" + KERNEL.format("__")})
    done = hipport("check", "a.cu", cwd=tmp_path)
    assert done.code == 1 and "a.cu:2:41: manual HP-MATH-002 `__vadd4`" in done.out


CALLS = """#include "hipport_device.h"
__global__ void k(unsigned *w, int *i, float *f, double *d)
{
    w[0] = hipport::vadd4(w[0], w[1]) + hipport::vsads2(w[0], w[1]) + hipport::vabs4(w[0]);
    w[1] = hipport::vimax3_u16x2(w[0], w[1], w[2]) + hipport::bswap32(w[0]);
    i[0] = hipport::dp4a(i[0], i[1], i[2]) + hipport::vimin_s32_relu(i[0], i[1]);
    f[0] = hipport::fadd_rd(f[0], f[1]) + hipport::fsqrt_rz(f[0]);
    f[1] = hipport::fmaf_ru(f[0], f[1], f[2]);
    d[0] = hipport::ddiv_ru(d[0], d[1]) + hipport::dsqrt_rd(d[0]) + hipport::dmul_rz(d[0], d[1]);
    hipport::stcs(f, 0);
    hipport::stwt(d, hipport::ldlu(d + 1));
}
"""
# Two values in turn for others to see, and a wait for what another block writes.
SPIN = """#include "hipport_device.h"
__global__ void k(int *flag, int *told, float *x)
{
    hipport::stcg(told, 1);
    hipport::stcg(told, 2);
    while (LOAD == 0) { }
    x[0] = 1;
    x[1] = hipport::ldcg(x);
}
"""


@pytest.mark.toolchain
@pytest.mark.parametrize("target", TARGETS)
def test_the_header_compiles(target: str, tmp_path: Path) -> None:
    make_tree(tmp_path, {"hipport_device.h": TEXT, "a.hip": CALLS})
    options = ["-c", f"--offload-arch={target}", "-Werror"]
    done = run("hipcc", *options, str(tmp_path / "a.hip"), "-o", str(tmp_path / "a.o"))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("load", "is_kept"),
    [("hipport::ldcg(flag)", True), ("hipport::ldcv(flag)", True), ("*flag", False)],
)
def test_a_wait_reads_again(load: str, is_kept: bool, tmp_path: Path) -> None:
    """The load stays in its loop, and passes by the cache of the processor (`glc`)."""
    source, assembly = tmp_path / "a.hip", tmp_path / "a.s"
    make_tree(tmp_path, {"hipport_device.h": TEXT, "a.hip": SPIN.replace("LOAD", load)})
    options = ["-S", "-O3", "--cuda-device-only", "--offload-arch=gfx90a"]
    done = run("hipcc", *options, str(source), "-o", str(assembly))
    assert done.returncode == 0, done.stderr
    text = assembly.read_text("utf-8")
    loop = re.search(r"^\.LBB0_\d+:.*?s_cbranch_\w+ \.LBB0_\d+$", text, re.DOTALL | re.MULTILINE)
    assert bool(loop and re.search(r"global_load_dword .* glc$", loop[0], re.MULTILINE)) is is_kept
    # Both stores to `told`, that to `x`, and what was read from it.
    assert len(re.findall(r"global_store_dword ", text)) == 4
