"""What a build for AMD leaves out in CMake, and jobs of CI for NVIDIA, have no findings."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.audit.nets import uncovered
from hipport.source.patterns.line_files import line_findings

RULES = load(is_audit=True)
FLAG = 'list(APPEND FLAGS "-lineinfo")\n'


def lines(text: str, kind: str = "cmake", name: str = "CMakeLists.txt") -> list[tuple[int, str]]:
    found = uncovered(line_findings(text.encode(), name, kind, RULES), RULES)
    return [(each.start.line, each.code) for each in found]


@pytest.mark.parametrize(
    "text",
    [
        f'if(GPU_RUNTIME STREQUAL "CUDA")\n{FLAG}endif()\n',
        f'if("${{GPU_RUNTIME}}" STREQUAL "CUDA")\n{FLAG}else()\nendif()\n',
        f"if(USE_CUDA)\n{FLAG}elseif(USE_ROCM)\nendif()\n",
        f"if(APP_USE_HIP)\n  foo()\nelse()\n{FLAG}endif()\n",
        f"if(NOT USE_ROCM)\n  if(X)\n{FLAG}  endif()\nendif()\n",
        f"if(USE_CUDA AND NOT USE_ROCM)\n{FLAG}endif()\n",
        f'if(VENDOR STREQUAL "AMD")\nendif()\nif(VENDOR STREQUAL "NVIDIA")\n{FLAG}endif()\n',
        f'if(HIP_PLATFORM STREQUAL "nvidia" AND X)\n{FLAG}endif()\n',
    ],
)
def test_cmake_for_nvidia_only(text: str) -> None:
    assert lines(text) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"if(USE_CUDA)\n{FLAG}endif()\n# not for hip\n", 2),
        (f"if(USE_CUDA)\n{FLAG}elseif(USE_ROCM AND X)\nendif()\n", 2),
        (f"if(USE_ROCM)\n{FLAG}endif()\n", 2),
        (f"if(USE_ROCM)\n{FLAG}elseif(USE_CUDA)\nendif()\n", 2),
        (f"if(NOT USE_ROCM)\nelse()\n{FLAG}endif()\n", 3),
        (f'if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")\n{FLAG}endif()\n', 2),
        (f"if(NOT USE_ROCM)\nendif()\n{FLAG}", 3),
        (f"if(NOT (USE_ROCM OR X))\n{FLAG}endif()\n", 2),
        (f"if(NOT USE_ROCM OR X)\n{FLAG}endif()\n", 2),
    ],
)
def test_cmake_that_amd_may_run(text: str, line: int) -> None:
    assert (line, "HP-MAKE-004") in lines(text)


JOB = "    steps:\n      - run: pip install cupy-cuda12x\n"


def test_a_job_for_nvidia_beside_one_for_amd() -> None:
    both = f"name: t\njobs:\n  build-cuda:\n{JOB}  build-rocm:\n    steps: []\n  test:\n{JOB}"
    assert lines(both, "yaml", ".github/workflows/t.yml") == [(10, "HP-PY-026")]
    alone = f"name: t\njobs:\n  build-cuda:\n{JOB}  # rocm\n"
    assert lines(alone, "yaml", ".github/workflows/t.yml") == [(5, "HP-PY-026")]
    gitlab = f"test:cuda:\n{JOB}\ntest:rocm:\n  script: []\n".replace("test:", "test_")
    assert lines(gitlab, "yaml", ".gitlab-ci.yml") == []
