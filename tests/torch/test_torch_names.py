"""PyTorch's names in code: what the tables say, comments and strings left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.source.tree.torch_names import Names
from hipport.torch.hipify_step import hipcc_flags
from tests.support.command import hipport, make_tree

NAMES = Names(
    {
        "c10::cuda::CUDAGuard": "c10::hip::HIPGuard",
        "c10::cuda": "c10::hip",
        "c10/cuda/CUDAGuard.h": "c10/hip/HIPGuard.h",
        "USE_CUDA": "USE_ROCM",
    },
    lambda name: name.replace("cuda", "hip").replace("CUDA", "HIP"),
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"c10::cuda::CUDAGuard g;", b"c10::hip::HIPGuard g;"),
        (b"using namespace c10::cuda;", b"using namespace c10::hip;"),
        (b"#ifdef USE_CUDA", b"#ifdef USE_ROCM"),
        (b"#include <c10/cuda/CUDAGuard.h>", b"#include <c10/hip/HIPGuard.h>"),
        (b'#include "ATen/cuda/CUDAContext.h"', b'#include "ATen/hip/HIPContext.h"'),
        (b"#include <ATen/native/sparse/cuda/A.h>", b"#include <ATen/native/sparse/hip/A.h>"),
    ],
)
def test_replaced(old: bytes, new: bytes) -> None:
    assert NAMES(old) == new


@pytest.mark.parametrize(
    "text",
    [
        b"// USE_CUDA \xe9",
        b'const char *s = "c10::cuda";',
        b"int MY_USE_CUDA, USE_CUDA_TOO;",
        b"#include <cuda/CUDAContext.h>",
        b"",
    ],
)
def test_kept(text: bytes) -> None:
    assert NAMES(text) == text


def test_without_pytorch_the_option_is_refused(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": "int a;\n"})
    ran = hipport("convert", "--torch", "a.cu", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "no PyTorch in this environment" in ran.err
    assert not (tmp_path / "a_hip.cu").exists()


def test_flags_of_nvcc(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["-O3", "--use_fast_math", "-gencode", "arch=compute_80,code=sm_80", "-lineinfo"]
    assert hipcc_flags(given, "a: nvcc") == [
        "-O3",
        "-fcuda-approx-transcendentals",
        "-fgpu-flush-denormals-to-zero",
        "-fno-hip-fp32-correctly-rounded-divide-sqrt",
        "-gline-tables-only",
    ]
    assert capsys.readouterr().err == ""
    assert hipcc_flags(["-dlink"], "a: nvcc") == []
    assert "a: nvcc: warning: -dlink: " in capsys.readouterr().err
    monkeypatch.setenv("HIPPORT_WERROR", "1")
    with pytest.raises(HipportError, match="HIPPORT_WERROR is set"):
        hipcc_flags(["-dlink"], "a: nvcc")
