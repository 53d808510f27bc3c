"""The programs of `fixtures/cuda`, converted with and without the word of CUDA's own headers."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.semantic import test_semantic_cases as golden
from tests.support.command import hipport
from tests.support.cuda_programs import FOLDER, files
from tests.support.fetch import fetch

pytestmark = [pytest.mark.real, pytest.mark.toolchain, pytest.mark.slow]

# CUDA's headers, as its packages carry them: the runtime's and the compiler's.
WHEELS = (
    (
        "nvidia-cuda-runtime",
        "13.0.96",
        "nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
    ),
    (
        "nvidia-cuda-crt",
        "13.0.88",
        "nvidia_cuda_crt-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4",
    ),
)
# What those two packages do not carry: there syntax decides what the headers would have told.
MISSING = {
    "cub/cub.cu": "cub/cub.cuh",
    "cublas/cublas.cpp": "cublas_v2.h",
    "cublaslt/cublaslt.cpp": "cublasLt.h",
    "cufft/cufft.cu": "cufft.h",
    "curand_device/curand_device.cu": "curand_kernel.h",
    "curand_host/curand_host.cpp": "curand.h",
    "cusolver/cusolver.cpp": "cusolverDn.h",
    "cusparse/cusparse.c": "cusparse.h",
    "mpi_halo/halo.cu": "mpi.h",
    "nccl/nccl.cu": "nccl.h",
    "nvml_query/nvml_query.c": "nvml.h",
    "nvrtc/nvrtc.cpp": "nvrtc.h",
    "profiling/profiling.cu": "cuda_profiler_api.h",
    "thrust/thrust.cu": "thrust/copy.h",
}


@pytest.fixture(scope="module")
def cuda(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the headers in include/."""
    folder = tmp_path_factory.mktemp("cuda")
    for each in WHEELS:
        with zipfile.ZipFile(fetch(*each)) as wheel:
            names = [name for name in wheel.namelist() if "/include/" in name]
            wheel.extractall(folder, names)
    return folder / "nvidia/cu13"


def converted(folder: Path, *options: str | Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of all programs, and the report."""
    output, report = folder / "out", folder / "report.json"
    ran = hipport(
        "convert", FOLDER, "-o", output, "--report", report, "--explain", *options,
        cwd=folder, timeout=900,
    )  # fmt: skip
    assert ran.code in (0, 1), ran.err
    made = {name: path.read_bytes() for name, path in files(output).items()}
    return made, json.loads(report.read_text("utf-8"))


# The variables of type dim3 that are passed to launches; other programs pass numbers.
DIMENSIONS = re.compile(rb"\bdim3\((grid|block)\)")


@pytest.mark.long
def test_the_headers_change_dimensions_and_evidence(tmp_path: Path, cuda: Path) -> None:
    for each in ("plain", "semantic"):
        (tmp_path / each).mkdir()
    plain, plain_report = converted(tmp_path / "plain")
    made, report = converted(tmp_path / "semantic", "--semantic", "--cuda-path", cuda)
    changed = {name for name, data in made.items() if data != plain[name]}
    assert changed == {
        "launch_forms/launch_forms.cu",
        "multi_file/src/blur.cu",
        "surface_objects/surface_objects.cu",
    }
    for name in changed:
        assert DIMENSIONS.sub(rb"\1", made[name]) == DIMENSIONS.sub(rb"\1", plain[name])
    added = [each for each in report["findings"] if each not in plain_report["findings"]]
    missing = {each["path"]: each["message"].rpartition(": ")[2] for each in added}
    assert missing == {path: f"'{name}' file not found" for path, name in MISSING.items()}
    assert {each["code"] for each in added} == {"HP-SEM-001"}
    assert len(report["findings"]) == len(plain_report["findings"]) + len(MISSING)
    edits = [each for each in report["edits"] if each["rule"].startswith("api:") and each["old"]]
    syntax = {each["path"] for each in edits if each["evidence"] == "syntax"}
    # CUDA 13 declares two functions otherwise; a guard asks for a header that is not there; another
    # branch is compiled.
    known = {"managed_memory/managed_memory.cu", "guarded_helpers/helper_errors.h"}
    assert syntax - MISSING.keys() == known | {"error_handling/error_handling.cu"}
    semantic = sum(each["evidence"] == "semantic" for each in edits)
    assert semantic / len(edits) > 0.8


@pytest.mark.parametrize("folder", golden.CASES, ids=[each.name for each in golden.CASES])
def test_the_golden_cases_with_the_headers(folder: Path, tmp_path: Path, cuda: Path) -> None:
    golden.check(*golden.converted(folder, tmp_path, cuda=cuda), tmp_path)
