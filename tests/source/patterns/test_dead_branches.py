"""What a build for AMD leaves out in CMake, and jobs of CI for NVIDIA, have no findings."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.audit.audit_file import findings_in
from hipport.source.audit.nets import uncovered
from hipport.source.convert.pipeline import default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.patterns.line_files import line_findings

RULES = load(is_audit=True)
FLAG = 'list(APPEND FLAGS "-lineinfo")\n'


def lines(text: str, kind: str = "cmake", name: str = "CMakeLists.txt") -> list[tuple[int, str]]:
    """The lines and codes of what asks for something: notes say that it is done."""
    found = uncovered(line_findings(text.encode(), name, kind, RULES), RULES)
    asking = (each for each in found if not RULES.findings[each.code].note)
    return [(each.start.line, each.code) for each in asking]


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
        f"if(MSVC)\n{FLAG}else()\nendif()\n",
        f"if(APPLE)\n{FLAG}endif()\n",
        f'if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")\n{FLAG}else()\nendif()\n',
        f'if("${{CMAKE_CXX_COMPILER_ID}}" STREQUAL "MSVC")\n{FLAG}endif()\n',
        f"if(CMAKE_Fortran_COMPILER_ID MATCHES NVHPC)\n{FLAG}endif()\n",
        f'if(X AND CMAKE_C_COMPILER_ID MATCHES "PGI|NVHPC")\n{FLAG}endif()\n',
        f"if(MSVC)\n  set(THEIRS ON)\nendif()\nif(THEIRS AND X)\n{FLAG}endif()\n",
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
        (f"if(MSVC)\nelse()\n{FLAG}endif()\n", 3),
        (f"if(NOT MSVC)\n{FLAG}endif()\n", 2),
        (f"if(UNIX AND NOT APPLE)\n{FLAG}endif()\n", 2),
        (f'if(CMAKE_SYSTEM_NAME STREQUAL "Linux")\n{FLAG}endif()\n', 2),
        (f"if(USE_CUDA)\n{FLAG}elseif(NOT MSVC)\nendif()\n", 2),
        (f'if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|PGI")\n{FLAG}endif()\n', 2),
        (f"if(MSVC)\n  set(OURS ON)\nendif()\nset(OURS X)\nif(OURS)\n{FLAG}endif()\n", 6),
        (f"if(MSVC)\n  set(OURS OFF)\nendif()\nif(OURS)\n{FLAG}endif()\n", 5),
    ],
)
def test_cmake_that_amd_may_run(text: str, line: int) -> None:
    assert (line, "HP-MAKE-004") in lines(text)


USE = "use cudafor\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"#if defined(__NVCOMPILER)\n{USE}#endif\n{USE}", [4]),
        (f"# ifdef __PGI\n{USE}#else\n{USE}#endif\n", [4]),
        (f"#ifndef __NVCOMPILER\n{USE}#elif defined(A)\n{USE}#else\n{USE}#endif\n", [2]),
        (f"#if defined(A) && defined(__NVCOMPILER)\n#ifdef B\n{USE}#endif\n#endif\n", []),
        (f"#if defined(A) || defined(__NVCOMPILER)\n{USE}#endif\n", [2]),
        (f"#define A\n#endif\n#if !__NVCOMPILER ! others\n{USE}#endif\n", [4]),
        (f"#ifdef _CUDA\n{USE}#endif\n! __NVCOMPILER\n", [1, 2]),
        (f"#ifdef USE_HIP\n#else\n{USE}#endif\n", []),
        (f"#if defined(USE_CUDA)\n{USE}#elif defined(USE_HIP)\n#endif\n", []),
        (f"#ifdef USE_HIP\n{USE}#endif\n{USE}", [2, 4]),
        (f"#ifdef USE_CUDA\n{USE}#endif\n! HIP\n", [2]),
    ],
)
def test_fortran_that_only_compilers_of_nvidia_see(text: str, found: list[int]) -> None:
    assert [
        line for line, code in lines(text, "fortran", "a.F90") if code == "HP-FORT-001"
    ] == found


JOB = "    steps:\n      - run: pip install cupy-cuda12x\n"


def test_a_job_for_nvidia_beside_one_for_amd() -> None:
    both = f"name: t\njobs:\n  build-cuda:\n{JOB}  build-rocm:\n    steps: []\n  test:\n{JOB}"
    assert lines(both, "yaml", ".github/workflows/t.yml") == [(10, "HP-PY-026")]
    alone = f"name: t\njobs:\n  build-cuda:\n{JOB}  # rocm\n"
    assert lines(alone, "yaml", ".github/workflows/t.yml") == [(5, "HP-PY-026")]
    gitlab = f"test:cuda:\n{JOB}\ntest:rocm:\n  script: []\n".replace("test:", "test_")
    assert lines(gitlab, "yaml", ".gitlab-ci.yml") == []


MATRIX = "      matrix:\n        backend: [cuda, rocm]\n"


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("      - if: matrix.backend == 'cuda'\n        run: pip install cupy-cuda12x\n", []),
        ("      - if: matrix.os == 'cuda'\n        run: pip install cupy-cuda12x\n", [9]),
        (
            '      - run: |\n          if [ "${{ matrix.backend }}" = "cuda" ]; then\n'
            "            pip install cupy-cuda12x\n          fi\n",
            [],
        ),
        ("      - name: With CUDA\n        run: pip install cupy-cuda12x\n", [9]),
        (
            "      - name: With CUDA\n        run: pip install cupy-cuda12x\n"
            "      - name: With ROCm\n        run: pip install ours\n",
            [],
        ),
    ],
)
def test_steps_for_nvidia_beside_those_for_amd(steps: str, found: list[int]) -> None:
    text = f"name: t\njobs:\n  build:\n    strategy:\n{MATRIX}    steps:\n{steps}"
    name = ".github/workflows/t.yml"
    assert [line for line, code in lines(text, "yaml", name) if code == "HP-PY-026"] == found


def test_items_of_a_matrix_for_nvidia_beside_those_for_amd() -> None:
    one = "          - { backend: cuda, image: 'nvidia/cuda:12.4.1-devel-ubuntu22.04' }\n"
    amd = "          - backend: rocm-6.2\n            image: rocm/dev\n"
    head = "jobs:\n  build:\n    strategy:\n      matrix:\n        include:\n"
    name = ".github/workflows/t.yml"
    assert lines(f"{head}{one}{amd}", "yaml", name) == []
    assert lines(f"{head}{one}# rocm\n", "yaml", name) == [(6, "HP-DOCK-001")]


SERVICE = "    image: nvidia/cuda:12.4.1-runtime-ubuntu22.04\n"


def test_a_service_for_nvidia_beside_one_for_amd() -> None:
    both = f"services:\n  app-cuda:\n{SERVICE}  app-rocm:\n    image: rocm/dev-ubuntu-22.04\n"
    assert lines(both, "yaml", "docker-compose.yml") == []
    other = f"{both}  app:\n{SERVICE}"
    assert lines(other, "yaml", "docker-compose.yml") == [(7, "HP-DOCK-001")]
    alone = f"services:\n  app-cuda:\n{SERVICE}  # rocm\n"
    assert lines(alone, "yaml", "docker-compose.yml") == [(3, "HP-DOCK-001")]


INSTALL = "pip install torch --index-url https://download.pytorch.org/whl/cu124\n"
OTHER = "pip install torch --index-url https://download.pytorch.org/whl/rocm6.2\n"


@pytest.mark.parametrize(
    "text",
    [
        f'case "$GPU" in\n  cuda|nvidia)\n    {INSTALL}    ;;\n  rocm) {OTHER};;\nesac\n',
        f"case ${{GPU}} in\n  rocm*) echo hi ;;\n  *)\n {INSTALL} ;;\nesac\n",
        f'if [ "$GPU" = "cuda" ]; then\n{INSTALL}elif [ "$GPU" = "rocm" ]; then\n{OTHER}fi\n',
        f"if [[ $GPU == rocm* ]]; then\n{OTHER}else\n  if true; then\n{INSTALL}  fi\nfi\n",
        f'GPU=rocm\nif test "$GPU" = cuda\nthen\n{INSTALL}fi\n',
        f'if [ "$GPU" != "rocm" ]; then\n{INSTALL}fi\n',
        f"if command -v nvidia-smi; then\n{INSTALL}elif [ -d /opt/rocm ]; then\n{OTHER}fi\n",
        f'if [ "$GPU" = cuda ] && [ -z "$X" ]; then\n{INSTALL}fi\n[ "$GPU" = rocm ]\nGPU=rocm\n',
        f"with_cuda() {{\n{INSTALL}}}\nfunction with_rocm {{\n{OTHER}}}\n",
        f"if command -v rocminfo > /dev/null; then\n{OTHER}else\n{INSTALL}fi\n",
    ],
)
def test_branches_of_a_script_for_nvidia_beside_those_for_amd(text: str) -> None:
    assert lines(text, "shell", "install.sh") == []


def test_a_branch_of_a_dockerfile_for_nvidia_beside_one_for_amd() -> None:
    text = f'RUN if [ "$GPU" = "rocm" ]; then \\\n  true; \\\n  else {INSTALL.strip()}; \\\n  fi\n'
    assert lines(text, "docker", "Dockerfile") == []
    assert lines(f"{text}RUN {INSTALL}", "docker", "Dockerfile") == [(5, "HP-PY-033")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f'case "$GPU" in\n  cuda)\n    {INSTALL}    ;;\n  cpu) ;; # rocm\nesac\n', 3),
        (f'case "$GPU" in\n  cuda|rocm)\n    {INSTALL}    ;;\nesac\n', 3),
        (f'if [ "$GPU" = "cuda" ]; then\n{INSTALL}fi\n# rocm\n', 2),
        (f'if [ "$GPU" = "rocm" ]; then\n{INSTALL}else\n  true\nfi\n', 2),
        (f'if [ "$GPU" = "rocm" ]; then\n{OTHER}fi\n{INSTALL}', 4),
        (f'if [ "$GPU" = "rocm" ]; then\n{OTHER}fi\nif [ "$D" = cuda ]; then\n{INSTALL}fi\n', 5),
        (f"if command -v nvidia-smi; then\n{INSTALL}fi\necho rocm\n", 2),
        (f"with_cuda() {{\n{INSTALL}}}\nwith_cpu() {{\n{OTHER}}}\n", 2),
        (f'GPU=rocm\nif [ "$GPU" = cuda ] || [ -z "$X" ]; then\n{INSTALL}fi\n', 3),
        (f"if ! command -v rocminfo; then\n  exit\nfi\n{INSTALL}", 4),
        (f"echo 'if [ $GPU = rocm ]; then'\n{INSTALL}# fi\n", 2),
    ],
)
def test_branches_of_a_script_that_amd_may_run(text: str, line: int) -> None:
    found = [each for each in lines(text, "shell", "install.sh") if each[1] == "HP-PY-033"]
    assert found == [(line, "HP-PY-033")]


def test_extras_for_nvidia_beside_those_for_amd() -> None:
    extras = "cuda12 = ['cupy-cuda12x>=12.0']\nrocm7 = ['cupy-rocm-7-0>=14.0']\n"
    jax = "jax-cuda12 = ['jax[cuda12-local]>=0.6.0']\n"
    text = f"[project.optional-dependencies]\n{extras}{jax}"
    assert lines(text, "requirements", "pyproject.toml") == [(4, "HP-PY-034")]
    alone = f"[project.optional-dependencies]\n{extras.splitlines()[0]}\n# rocm\n"
    assert lines(alone, "requirements", "pyproject.toml") == [(2, "HP-PY-026")]


def python(text: str) -> list[tuple[int, str]]:
    found = findings_in(
        text.encode(), "ours.py", "python", "python", Decisions(RULES, default_options(RULES))
    )
    return [(each.start.line, each.code) for each in found.findings]


ASKING = 'os.environ.get("CUDA_HOME")'


@pytest.mark.parametrize(
    "branches",
    [
        f"    match device:\n        case Kind.CUDA:\n            h = {ASKING}\n"
        "        case Kind.ROCM:\n            h = rocm()\n",
        f'    if kind == "cuda":\n        h = {ASKING}\n'
        '    elif kind == "rocm":\n        h = rocm()\n',
        "    if kind == Kind.HIP:\n        h = rocm()\n"
        f"    elif kind == Kind.CUDA:\n        h = {ASKING}\n",
    ],
)
def test_python_for_a_value_of_nvidia_beside_one_of_amd(branches: str) -> None:
    head = "import os\ndef home(device, kind, other):\n"
    assert python(f"{head}{branches}    return h\n") == []
    other = branches.replace("ROCM", "CPU").replace('"rocm"', '"cpu"').replace("HIP", "CPU")
    assert [code for _, code in python(f"{head}{other}    return h  # rocm\n")] == ["HP-PY-010"]


def test_another_thing_compared_with_amd_leaves_no_branch_out() -> None:
    text = (
        "import os\ndef home(kind, other):\n"
        f'    if kind == "cuda":\n        h = {ASKING}\n    elif other == "rocm":\n        h = 1\n'
        "    return h\n"
    )
    assert python(text) == [(4, "HP-PY-010")]


PORTED = 'import os\nif self.backend == "rocm":\n    h = rocm()\n'


@pytest.mark.parametrize(
    "branch",
    [
        f'if self._backend == "cuda" and other:\n    h = {ASKING}\n',
        f'if backend.lower() in ("cuda", "nvidia"):\n    h = {ASKING}\n',
        f'if options.backend != "rocm":\n    h = {ASKING}\n',
        f'if backend == "rocm":\n    h = 1\nelse:\n    h = {ASKING}\n',
        f'def _ask():\n    return {ASKING}\nif backend == "cuda":\n    h = _ask()\n',
        "def _ask():\n    return _inner()\ndef _inner():\n"
        f'    return {ASKING}\nif backend == "cuda":\n    h = _ask()\n',
    ],
)
def test_what_the_file_compares_with_amd_elsewhere_is_not_nvidia_there(branch: str) -> None:
    assert python(PORTED + branch) == []
    assert [code for _, code in python(f"import os\n{branch}".replace("rocm", "cpu"))]


@pytest.mark.parametrize(
    "branch",
    [
        f'if other == "cuda":\n    h = {ASKING}\n',
        f'if backend in ("cuda", "rocm"):\n    h = {ASKING}\n',
        f'if backend == "cpu":\n    h = {ASKING}\n',
        f'def _ask():\n    return {ASKING}\nif backend == "cuda":\n    _ask()\nh = _ask\n',
        f'if backend == "rocm":\n    raise NotImplementedError\nh = {ASKING}\n',
    ],
)
def test_what_amd_may_run_beside_a_comparison_with_it(branch: str) -> None:
    assert [code for _, code in python(PORTED + branch)] == ["HP-PY-010"]


def test_a_device_of_pytorch_is_called_cuda_on_amd_too() -> None:
    text = (
        f'import os\nif device.type == "hip":\n    h = 1\nif device.type == "cuda":\n    {ASKING}\n'
    )
    assert [code for _, code in python(text)] == ["HP-PY-010"]


def test_a_value_for_nvidia_beside_one_for_amd() -> None:
    homes = f"import os\nCUDA_ROOT = {ASKING}\n"
    assert python(f'{homes}HIP_ROOT = "/opt/rocm"\n') == []
    alone = f"{homes}def rocm():\n    HIP_ROOT = 1\n"
    assert [code for _, code in python(alone)] == ["HP-PY-010"]


def test_a_compiler_of_amd_that_was_found_is_taken() -> None:
    text = f"import os\ndef home(hipcc):\n    if hipcc:\n        return 1\n    return {ASKING}\n"
    assert python(text) == []
    assert [code for _, code in python(text.replace("hipcc", "rocmcc"))] == ["HP-PY-010"]


def test_a_kernel_that_is_called_after_amd_is_written_for_it() -> None:
    text = 'KERNEL = """__global__ void f(float* x) { x[0] = __shfl_xor(x[1], 16); }"""\n'
    assert [code for _, code in python(f"# hip\n{text}")] == ["HP-PY-094", "HP-PY-085"]
    assert python(f"HIP_{text}") == []


def test_an_entry_for_nvidia_beside_one_for_amd() -> None:
    homes = f'import os\nhomes = {{"cu12": {ASKING}, '
    assert python(f'{homes}"rocm6": "/opt/rocm"}}\n') == []
    assert python(f'{homes}"cpu": ""}}\n') == [(2, "HP-PY-010")]


@pytest.mark.parametrize(
    "text",
    [
        'parser.add_argument("--compiler", choices=["{}", "nvcc"])\n',
        'for compiler in ("nvcc", "{}"):\n    build(compiler)\n',
        'COMPILERS = [\n    ("half", "{}", ""),\n    ("half", "nvcc", "cuda_fp16.h"),\n]\n',
        'old = path("{}", 1)\nnew = path("nvcc", 2)\n',
        'old = path(1, compiler="{}")\nnew = path(2, compiler="nvcc")\n',
    ],
)
def test_a_choice_for_nvidia_beside_one_for_amd(text: str) -> None:
    assert python(text.format("hipcc")) == []
    assert {code for _, code in python(f"# hip\n{text.format('g++')}")} >= {"HP-PY-010"}


def test_what_another_function_is_given_is_no_choice() -> None:
    text = 'old = path("hipcc")\nnew = {}("nvcc")\n'
    assert python(text.format("path")) == []
    assert python(text.format("run")) == [(2, "HP-PY-010")]


def test_an_argument_for_nvidia_beside_one_for_amd() -> None:
    kind = 'half = Kind(name="bf16", cuda_type="__nv_bfloat16", '
    assert python(f'{kind}hip_type="hip_bfloat16")\n') == []
    assert python(f'# hip\n{kind}cpu_type="bfloat16")\n') == [(2, "HP-PY-108")]


def test_a_record_of_a_device_decides_nothing() -> None:
    head = "import torch\ndef tell():\n    p = torch.cuda.get_device_properties(0)\n    return {\n"
    count = '        "count": p.multi_processor_count,\n    }\n'
    named = f'{head}        "device_name": p.name,\n{count}'
    assert python(named) == []
    assert python(f'{head}        "name": self.device_name,\n{count}') == []
    assert python(f'{named}blocks = 2 * tell()["count"]\n') == [(6, "HP-PY-065")]
    assert python(f'{head}        "name": "matrix",\n{count}') == [(6, "HP-PY-065")]


def test_a_record_that_is_filled_in_or_saved_decides_nothing() -> None:
    head = "import torch\ndef tell():\n    p = torch.cuda.get_device_properties(0)\n"
    filled = f'{head}    told: dict[str, str] = {{"device": gpu_name()}}\n'
    filled += '    told["count"] = str(p.multi_processor_count)\n    return told\n'
    assert python(filled) == []
    assert python(filled.replace("gpu_name()", '"cuda"')) == [(5, "HP-PY-065")]
    saved = f"{head}    np.savez(FILE, gpu=np.array(p.name), count=p.multi_processor_count)\n"
    assert python(saved) == []
    assert python(f'{saved}blocks = np.load(FILE)["count"]\n') == [(4, "HP-PY-065")]


def test_a_record_of_the_system_decides_nothing() -> None:
    head = "import os, platform, torch\ndef tell():\n    return {\n"
    values = """\
        "runtime": getattr(torch.version, "cuda", None),
        "archs": os.environ.get("TORCH_CUDA_ARCH_LIST"),
    }
"""
    named = f'{head}        "system": platform.platform(),\n{values}'
    assert python(named) == []
    assert python(f'{named}old = tell()["runtime"] < "12"\n') == [(5, "HP-PY-002")]
    other = f'{head}        "system": None,\n{values}'
    assert python(other) == [(5, "HP-PY-002"), (6, "HP-ENV-014")]


FOUND = """\
import subprocess


def has_cuda():
    try:
        return subprocess.run(["nvcc", "--version"]).returncode == 0
    except FileNotFoundError:
        return False


if has_cuda():
    print("with CUDA")
else:
    print("without")
setup(name="waves")
"""


def test_what_a_script_asks_only_to_show_it() -> None:
    assert python(FOUND) == []
    built = FOUND.replace('    print("without")\n', '    print("without")\n    modules.clear()\n')
    assert python(built) == [(6, "HP-PY-010")]
    raising = FOUND.replace("FileNotFoundError", "ValueError")
    assert python(raising) == [(6, "HP-PY-010")]
    asked = FOUND.replace('print("with CUDA")', "build()")
    assert python(asked) == [(6, "HP-PY-010")]
    # Another module may call the function.
    assert python(FOUND.replace('setup(name="waves")\n', "")) == [(6, "HP-PY-010")]


def test_a_value_of_python_that_is_only_shown() -> None:
    head = "import torch\ndef show():\n    version = torch.version.cuda\n"
    assert python(f'{head}    print(f"CUDA: {{version}}")\n') == []
    assert python(f"{head}    print(version)\n    return version\n") == [(3, "HP-PY-002")]
    assert python(f"{head}    return 1\n") == [(3, "HP-PY-002")]


def test_commands_that_a_report_only_notes() -> None:
    noted = """\
def report(cases):
    return {
        "cases": cases,
        "profiling_commands": {
            "nsys": "nsys profile --trace=cuda,nvtx -o waves python -m waves.bench",
            "note": "profile separately from timings",
        },
    }
"""
    assert python(noted) == []
    read = f'{noted}for each in report([])["profiling_commands"].values():\n    run(each)\n'
    assert python(read) == [(5, "HP-ENV-010")]
    alone = 'COMMANDS = {\n    "nsys": "nsys profile --trace=cuda python -m waves.bench",\n}\n'
    assert python(alone) == [(2, "HP-ENV-010")]


def test_what_an_exception_says_decides_nothing() -> None:
    told = 'f"of PyTorch\'s torch.version.cuda; install {name}"'
    head = "import torch\ndef find(name):\n"
    assert python(f"{head}    raise RuntimeError(\n        {told}\n    )\n") == []
    assert python(f"{head}    return install({told})\n") == [(3, "HP-PY-002")]


ASSERTED = "from ours import nvcc_flags\n\n\ndef test():\n    "


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('assert nvcc_flags() == [\n        "--use_fast_math",\n    ]\n', ""),
        ('assert "--use_fast_math" in nvcc_flags()\n', ""),
        ('assert compile("a.cu", ["--use_fast_math"])\n', "HP-PY-008"),
        ('flags = nvcc_flags() + ["--use_fast_math"]\n', "HP-PY-008"),
        ('assert "libcudart.so" in str(error)\n', ""),
        ('assert CDLL("libcudart.so")\n', "HP-PY-048"),
        ('assert "CUDA_HOME" in os.environ\n', "HP-PY-010"),
        ('error = BuildError("failed", command="nvcc -c x.cu")\n', ""),
        ('error = BuildError("failed", run("nvcc -c x.cu"))\n', "HP-PY-010"),
        ('failed = Report("nvcc -c x.cu", compiler_output="")\n', ""),
        ('run(command="nvcc -c x.cu")\n', "HP-PY-010"),
        ('error_lines.append("export CUDA_HOME=/usr/local/cuda")\n', ""),
        ('self.warnings.append("no nvcc -c x.cu")\n', ""),
        ('error_lines.append(run("nvcc -c x.cu"))\n', "HP-PY-010"),
        ('commands.append("nvcc -c x.cu")\n', "HP-PY-010"),
        ('if not shutil.which("nvcc"):\n        errors.append("no nvcc")\n', "HP-PY-010"),
        ('setup(extra_compile_args={"nvcc": ["--use_fast_math"]})\n', ""),
        (
            'setup(ext_modules=[Extension(extra_compile_args=["--use_fast_math"])])\n',
            "HP-PY-008",
        ),
    ],
)
def test_what_a_text_of_python_only_says(text: str, code: str) -> None:
    found = {each for _, each in python(ASSERTED + text) if each.startswith("HP-PY")}
    assert found == ({code} if code else set())


def test_what_only_other_systems_run() -> None:
    text = 'if {}:\n    name = "bin/nvcc.exe"\nelse:\n    name = "bin/nvcc"\n'
    assert python(text.format("PLATFORM_WIN32")) == [(4, "HP-PY-010")]
    assert python(text.format("is_windows()")) == [(4, "HP-PY-010")]
    assert [line for line, _ in python(text.format("is_old"))] == [2, 4]


@pytest.mark.parametrize(
    ("condition", "lines"),
    [
        ('sys.platform.startswith("win")', [6]),
        ('sys.platform.startswith(("win", "cygwin"))', [6]),
        ('sys.platform in ("win32", "darwin")', [6]),
        ('platform.system() not in ["Linux"]', [6]),
        ('SYSTEM == "windows"', [6]),
        ("DARWIN", [6]),
        ('sys.platform.startswith("linux")', [4]),
        ('os.name == "posix"', [4]),
        ('sys.platform == "linux2"', [4]),
        ('sys.version.startswith("3")', [4, 6]),
        ("sys.platform in supported", [4, 6]),
    ],
)
def test_what_is_known_of_the_system(condition: str, lines: list[int]) -> None:
    names = 'SYSTEM = platform.system().lower()\nDARWIN = sys.platform.startswith("darwin")\n'
    text = f'{names}if {condition}:\n    name = "bin/nvcc"\nelse:\n    name = "lib/bin/nvcc"\n'
    assert [line for line, _ in python(text)] == lines


CAPABLE = "torch.cuda.get_device_capability()"


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("dtype = torch.bfloat16 if {}[0] >= 8 else torch.float16", False),
        ("dtype = (\n  torch.bfloat16\n  if on\n  and {} >= (8, 0)\n  else torch.half\n)", False),
        ("use_bf16 = torch.cuda.is_available() and {}[0] >= 8", False),
        ("train(bf16={}[0] >= 8)", False),
        ("if {} >= (8, 0):\n    dtype = torch.bfloat16\nelse:\n    dtype = torch.float16", False),
        ("def dtype():\n    if {}[0] >= 8:\n        return 'bfloat16'\n    return 'half'", False),
        ("dtype = torch.float8_e4m3fn if {}[0] >= 8 else torch.float16", True),
        ("dtype = torch.bfloat16 if {}[0] >= 9 else torch.float16", True),
        ("dtype = torch.bfloat16 if {} == (8, 0) else torch.float16", True),
        ("if {}[0] >= 8:\n    dtype = torch.bfloat16\n    attention = 'flash'", True),
        ("use_flash = {}[0] >= 8", True),
    ],
)
def test_a_capability_that_only_chooses_bfloat16(line: str, is_found: bool) -> None:
    found = {code for _, code in python(f"import torch\n\n{line.format(CAPABLE)}\n")}
    assert ("HP-PY-003" in found) is is_found
    assert is_found or "HP-NET-002" not in found


def test_lanes_of_a_vendor() -> None:
    text = (
        "import pyopencl\n\nif device.vendor == '{}':\n    warp_size = 32\nelse:\n"
        "    warp_size = {}\nlanes_per_warp = 32 if 'NVIDIA' in device.vendor else 64\n"
    )
    for vendor, lanes, lines in (("NVIDIA", 64, []), ("NVIDIA", 32, [6]), ("Intel", 64, [4])):
        found = python(text.format(vendor, lanes))
        assert [line for line, code in found if code == "HP-PY-075"] == lines


@pytest.mark.parametrize(
    ("test", "is_found"),
    [
        ("not release or not names", False),
        ("release is None", False),
        ("not names", True),
        ("not release and names", True),
        ("release is not None", True),
    ],
)
def test_what_a_function_does_without(test: str, is_found: bool) -> None:
    text = (
        "import torch\n\n\ndef differs(release: str | None, names) -> bool:\n"
        f'    "Whether they differ."\n    if {test}:\n        return False\n'
        "    return release.split('.')[0] not in names\n\n\n"
        "print(differs(torch.version.cuda, names))\nknown = differs(torch.version.cuda, [])\n"
    )
    assert python(text) == ([(12, "HP-PY-002")] if is_found else [])


def test_a_list_of_requirements_that_nothing_reads() -> None:
    text = (
        'from setuptools import setup\n\nrequired = ["warp-lang"]\n\n\n'
        'setup(name="waves"{})\n# install_requires=required\n'
    )
    assert python(text.format("")) == []
    assert python(text.format(", install_requires=required")) == [(3, "HP-PY-060")]


def test_a_record_of_each_device() -> None:
    record = '{{"name": props["name"], "{}": props["multiProcessorCount"]}}'
    text = f"import torch\n\nfirst = {record}\nall = [{record}]\n"
    assert python(text.format("units", "units")) == []
    read = f"{text}blocks = first['units'] * 2\n".format("units", "units")
    assert [code for _, code in python(read)] == ["HP-PY-065", "HP-PY-065"]


ASKED = """\
import triton

def {name}():
    "Whether it is CUDA's."
    return {asked} == "{value}"

if is_cuda():
    name = "bin/nvcc"
else:
    name = "lib/bin/nvcc"
"""
TARGET = "triton.runtime.driver.active.get_current_target().backend"


@pytest.mark.parametrize(
    ("name", "asked", "value", "lines"),
    [
        ("is_cuda", TARGET, "cuda", [10]),
        ("is_cuda", TARGET, "hip", [8]),
        ("is_gpu", TARGET, "cuda", [8, 10]),
        ("is_cuda", "target.backend", "cuda", [8, 10]),
        ("is_cuda", "find()", "cuda", [8, 10]),
        ("is_cuda", "sys.platform", "win32", [10]),
    ],
)
def test_what_a_function_only_asks_of_the_system(
    name: str, asked: str, value: str, lines: list[int]
) -> None:
    text = ASKED.format(name=name, asked=asked, value=value)
    assert [line for line, code in python(text) if code == "HP-PY-010"] == lines
    twice = f"{text}\n\ndef {name}():\n    return find()\n"
    assert [line for line, code in python(twice) if code == "HP-PY-010"] == [8, 10]


TOLD = """\
def told(table):
    rows = []
    try:
        from torch.utils.cpp_extension import CUDA_HOME
    except ImportError:
        CUDA_HOME = None
    rows.append(("CUDA_HOME", CUDA_HOME))
    code, out, err = run_command(["nvcc", {}])
    if code == 0 and out:
        tail = out.splitlines()[-1]
        rows.append(("nvcc", tail))
    else:
        rows.append(("nvcc", "-"))
    table.add_row(rows)
"""


def test_what_a_function_asks_only_to_show_it() -> None:
    assert python(TOLD.format('"--version"')) == []
    assert python(TOLD.format('"-c", "x.cu"')) == [(8, "HP-PY-010")]
    raising = TOLD.replace("run_command(", "subprocess.run(").format('"--version"')
    assert python(raising) == [(8, "HP-PY-010")]
    read = TOLD.format('"--version"').replace("table.add_row(rows)", "return CUDA_HOME, code")
    assert python(read) == [(4, "HP-PY-010"), (8, "HP-PY-010")]


@pytest.mark.parametrize(
    ("otherwise", "found"),
    [("pass", False), ("return  # not here", False), ("found = None", True), ("raise", True)],
)
def test_what_a_try_does_in_silence_without(otherwise: str, found: bool) -> None:
    text = f"""\
def preload():
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib
    except ImportError:
        {otherwise}
"""
    assert python(text) == ([(3, "HP-NET-005")] if found else [])


@pytest.mark.parametrize(
    ("call", "otherwise", "found"),
    [
        ("deep_gemm.get_num_sms()", "pass", False),
        ("count = deep_gemm.get_num_sms()", "pass", True),
        ("return deep_gemm.get_num_sms()", "pass", True),
        ("deep_gemm.get_num_sms()", "count = 0", True),
        ("deep_gemm.get_num_sms()", "return", True),
        ("", "pass", True),
    ],
)
def test_what_a_try_warms_up_in_silence(call: str, otherwise: str, found: bool) -> None:
    text = f"""\
def warm_up():
    try:
        import deep_gemm
        {call}
    except Exception:
        {otherwise}
"""
    assert ((3, "HP-PY-060") in python(text)) is found
    assert found or python(text) == []


def test_what_a_record_of_the_device_has() -> None:
    text = """\
import torch


def record(device):
    major, minor = torch.cuda.get_device_capability(device)
    capability = f"sm{major}{minor}"
    return DeviceFingerprint(machine(), capability=capability)
"""
    assert python(text) == []
    assert python(text.replace("Fingerprint", "Report")) == []
    assert {code for _, code in python(text.replace("Fingerprint", "Options"))} >= {"HP-PY-003"}


CONFIGURE = (
    'AC_INIT(ours)\nif test "x$ours_using_cuda" = "xyes"\nthen\n  CUFLAGS="-lineinfo"\n{}fi\n'
)
FOR_HIP = 'AS_IF([test x"$ours_using_hip" == x"yes"],\n[FLAGS="-fgpu-rdc"])\n'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (CONFIGURE.format(""), [4]),
        (CONFIGURE.format("") + FOR_HIP, []),
        (CONFIGURE.format("") + 'if test "$ours_using_hip" = yes; then\n:\nfi\n', []),
        (CONFIGURE.format("if test x; then\n:\nfi\n") + FOR_HIP, []),
        (CONFIGURE.format('else\n  CUFLAGS="-lineinfo"\n') + FOR_HIP, [6]),
        (CONFIGURE.format("").replace('"xyes"', '"xyes" || test "$x" = 1') + FOR_HIP, [4]),
        (CONFIGURE.format("") + 'if test "$ours_using_hip" != yes; then\n:\nfi\n', [4]),
        (CONFIGURE.format("") + 'CUFLAGS="-lineinfo"\n' + FOR_HIP, [6]),
    ],
)
def test_what_configure_does_for_cuda_beside_hip(text: str, found: list[int]) -> None:
    at = [line for line, code in lines(text, "autoconf", "configure.ac") if code == "HP-MAKE-004"]
    assert at == found


def test_what_an_extra_for_nvidia_requires_in_place_of_rocms() -> None:
    text = "[project.optional-dependencies]\n{} = [\n    'triton==3.2.0',\n]\n"
    assert lines(text.format("cuda-turing"), "requirements", "pyproject.toml") == []
    assert lines(text.format("gpu"), "requirements", "pyproject.toml") == [(3, "HP-PY-022")]


SHOWN = 'cuda_release=$(ask)\necho "CUDA ${cuda_release}"\n'


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        (SHOWN, False),
        (f"{SHOWN}install ${{cuda_release}}\n", True),
        (f"{SHOWN}source ours.sh\n", True),
        (f"{SHOWN}set -a\n", True),
        ('cuda_release=$(ask)\necho "${cuda_release}"\n', True),
        ('cuda_release=$(ask)\necho -n "${cuda_release}"\n', True),
        ('tell() {\n  cuda_release=$(ask)\n  echo "CUDA ${cuda_release}"\n}\n', True),
        ('cuda_release=$(ask)\necho "::set-output name=a::${cuda_release}"\n', True),
        ('cuda_release=$(ask)\necho "CUDA ${cuda_release}" \\\n  > release.txt\n', True),
        ('cuda_release=$(ask)\necho "${cuda_release}" > release.txt\n', True),
        ("cuda_release=$(ask)\n", True),
        (f"export {SHOWN}", True),
    ],
)
def test_a_variable_that_a_script_only_shows(text: str, is_found: bool) -> None:
    text = text.replace("release", "version")
    found = {code for _, code in lines(text, "shell", "install.sh")}
    assert ("HP-NET-001" in found) == is_found


@pytest.mark.parametrize(
    ("more", "is_found"),
    [
        ("all:\n\ttrue\n", False),
        ("all:\n\t@echo CUDA $(CUDA_VERSION_SHORT)\n", False),
        ("all:\n\tinstall $(CUDA_VERSION_SHORT)\n", True),
        ("include ours.mk\n", True),
        ("export\n", True),
    ],
)
def test_a_variable_that_a_makefile_never_reads(more: str, is_found: bool) -> None:
    text = f"CUDA_VERSION_SHORT := $(shell ask)\n{more}"
    assert lines(text, "make", "Makefile")[:1] == ([(1, "HP-NET-001")] if is_found else [])


LOOKING = """import subprocess
from torch.utils.cpp_extension import CUDA_HOME
def release():
    nvcc = f"{CUDA_HOME}/bin/nvcc" if CUDA_HOME else "nvcc"
    try:
        return major(subprocess.check_output([nvcc, "--version"]))
    except Exception:
        return None
"""


def test_a_look_up_with_a_default_wherever_it_is_asked() -> None:
    spared = f"{LOOKING}new = (release() or 12) >= 13\n"
    assert python(spared) == []
    assert python(f'{LOOKING}key = name_of(release() or "no nvcc")\n') == []
    for other in (
        f"{LOOKING}new = release()\n",
        f"{spared}old = release() is None\n",
        f"{spared}ask(release)\n",
        spared.replace("return None", "raise"),
        spared.replace("Exception", "ValueError"),
    ):
        assert {code for _, code in python(other)} >= {"HP-PY-010"}
    assert python(f"{spared}home = CUDA_HOME\n")[0] == (2, "HP-PY-010")
    before = spared.replace("def ", "home = CUDA_HOME\ndef ")
    assert python(before)[0] == (2, "HP-PY-010")


def test_where_cmake_looks_for_a_compiler_of_cuda() -> None:
    text = "find_program({}\n  HINTS /usr/local/cuda\n  PATH_SUFFIXES bin)\n"
    assert lines(text.format("NVCC NAMES nvcc")) == [(1, "HP-MAKE-016")]
    assert lines(text.format("CMAKE_CUDA_COMPILER nvcc")) == [(1, "HP-MAKE-016")]
    assert (2, "HP-MAKE-011") in lines(text.format("OURS NAMES ours"))


def test_what_cmake_asks_behind_its_check_for_a_compiler() -> None:
    asked = "if(CMAKE_CUDA_COMPILER)\n  build()\nendif()\n"
    assert lines(f"check_language(CUDA)\n{asked}") == [(1, "HP-CMAKE-001")]
    assert lines(asked) == [(1, "HP-CMAKE-006")]
    later = f"check_language(CUDA)\nset(CMAKE_CUDA_FLAGS -g)\n{asked}"
    assert (3, "HP-CMAKE-006") in lines(later)
