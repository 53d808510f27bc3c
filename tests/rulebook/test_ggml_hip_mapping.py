"""The rulebook against the HIP mapping that ggml's developers wrote by hand (vendors/hip.h)."""

from __future__ import annotations

import re

import pytest

from tests.support.real_trees import trees, unpacked
from tests.support.rule_tables import rulebook

pytestmark = pytest.mark.real

HEADER = "vendor/llama.cpp/ggml/src/ggml-cuda/vendors/hip.h"
DEFINE = re.compile(r"^#define (\w+)(\([^)]*\))?[ \t]+(.+?)[ \t]*$", re.MULTILINE)
TYPEDEF = re.compile(r"^typedef (__hip\w+) (\w+);$", re.MULTILINE)

# name -> what ggml writes for it, where that is not (only) what the rulebook says, and why.
DISAGREEMENTS = {
    # hipBLAS used its own data type before 2.0 (ROCm 6.0 onwards: hipDataType of library_types.h).
    "CUDA_R_16F": {"HIPBLAS_R_16F"},
    "CUDA_R_16BF": {"HIPBLAS_R_16B"},
    "CUDA_R_32F": {"HIPBLAS_R_32F"},
    # The branches of `#if HIP_VERSION >= 60500000`: the newer one agrees with the rulebook.
    "CUBLAS_COMPUTE_16F": {"HIPBLAS_R_16F", "HIPBLAS_COMPUTE_16F"},
    "CUBLAS_COMPUTE_32F": {"HIPBLAS_R_32F", "HIPBLAS_COMPUTE_32F"},
    "CUBLAS_COMPUTE_32F_FAST_16F": {"HIPBLAS_R_32F", "HIPBLAS_COMPUTE_32F_FAST_16F"},
    "cublasComputeType_t": {"hipblasDatatype_t", "hipblasComputeType_t"},
    "cudaDataType_t": {"hipblasDatatype_t", "hipDataType"},
    # ggml switches math modes off instead of calling hipblasSetMathMode.
    "CUBLAS_TF32_TENSOR_OP_MATH": {"0"},
    "cublasSetMathMode": {"CUBLAS_STATUS_SUCCESS"},
    # hipHostMalloc is the older name of hipHostAlloc.
    "cudaHostAlloc": {"hipHostMalloc"},
    "cudaMallocHost": {"hipHostMalloc(ptr, size, hipHostMallocDefault)"},
    # ggml avoids the builtins with a mask; HIP has them, with a 64-bit mask.
    "__shfl_sync": {"__shfl(var, laneMask, width)"},
    "__shfl_up_sync": {"__shfl_up(var, laneMask, width)"},
    "__shfl_xor_sync": {"__shfl_xor(var, laneMask, width)"},
    "__all_sync": {"__all(var)"},
    "__any_sync": {"__any(var)"},
    # No device function of that name in HIP: the rulebook has clang's own, which does not return.
    "__trap": {"do { abort(); __builtin_unreachable(); } while(0)"},
    # In no HIP header: the rulebook promises nothing.
    "cudaStreamFireAndForget": {"hipStreamFireAndForget"},
    # ggml's own macro and a guard, no API.
    "CU_CHECK": None,
    "__CUDA_ARCH__": {"1300"},
}


def by_hand() -> dict[str, set[str]]:
    text = (unpacked(trees()["llama-cpp-python"]) / HEADER).read_text("utf-8")
    found: dict[str, set[str]] = {}
    for name, _, value in DEFINE.findall(text):
        if re.match(r"cu|CU|__", name):
            found.setdefault(name, set()).add(value)
    for value, name in TYPEDEF.findall(text):
        found.setdefault(name, set()).add(value)
    return found


def test_the_rulebook_says_what_ggml_wrote_by_hand_but_for_known_disagreements() -> None:
    mapping = by_hand()
    assert len(mapping) > 150
    rules = {name: {rule.hip for rule in rulebook().get(name, [])} for name in mapping}
    disagreeing = {name: said for name, said in mapping.items() if said != rules[name]}
    assert sorted(disagreeing) == sorted(DISAGREEMENTS)
    known = {name: said for name, said in DISAGREEMENTS.items() if said is not None}
    assert {name: disagreeing[name] for name in known} == known
