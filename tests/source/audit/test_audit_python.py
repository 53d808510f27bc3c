"""Python is judged by its syntax tree: full names, several lines, branches that AMD never takes."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.audit.nets import uncovered
from hipport.source.languages.python_syntax import fault_line
from hipport.source.patterns.python_files import python_findings

RULES = load(is_audit=True)


def codes(text: str, path: str = "a.py") -> list[tuple[int, str, str]]:
    found = uncovered(python_findings(text.encode(), path, RULES), RULES)
    return [(each.start.line, each.code, each.symbol) for each in found]


# Of a kind that no text elsewhere in the file excuses.
CALL = "torch.backends.cuda.enable_flash_sdp(True)"


@pytest.mark.parametrize(
    "code",
    [
        f"if torch.version.hip is not None:\n    pass\nelse:\n    {CALL}\n",
        f"if torch.version.hip is None:\n    {CALL}\n",
        f"if not is_rocm():\n    {CALL}\n",
        f"if x == 1:\n    pass\nelif self.is_rocm_pytorch():\n    pass\nelif y:\n    {CALL}\n",
        f'if CUDA_HOME != "/opt/rocm":\n    {CALL}\n',
        f"HIP = torch.version.hip is not None\nx = None if HIP else {CALL}\n",
        f"x = torch.version.hip or {CALL}\n",
        f"x = not is_hip() and {CALL}\n",
        f"if x and not is_hip():\n    {CALL}\n",
        f"def f():\n    if is_rocm:\n        return 1\n    {CALL}\n",
        f'@pytest.mark.skipif(torch.version.hip is not None, reason="AMD")\ndef f():\n    {CALL}\n',
        f"@skipIfRocm\ndef f():\n    {CALL}\n",
        f"def f():\n    if is_rocm:\n        raise TypeError\n    {CALL}\n",
        f"def f():\n    if not is_nvidia():\n        return\n    {CALL}\n",
    ],
)
def test_what_never_runs_on_amd_has_no_finding(code: str) -> None:
    assert codes(code) == []


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (f"if torch.version.hip:\n    {CALL}\n", 2),
        (f"if is_rocm and x:\n    pass\nelse:\n    {CALL}\n", 4),
        (f"if is_rocm or x:\n    {CALL}\n", 2),
        (f"if x.is_cuda:\n    {CALL}\n", 2),
        (f"if use_rocm_smi:\n    pass\nelse:\n    {CALL}\n", 4),
        (f"def f():\n    if is_rocm:\n        x = 1\n    {CALL}\n", 4),
        (f"def f():\n    if not is_nvidia():\n        raise TypeError\n    {CALL}\n", 4),
        (f"flag = torch.version.hip\nflag = False\nx = None if flag else {CALL}\n", 3),
    ],
)
def test_what_may_run_on_amd_has_one(code: str, line: int) -> None:
    assert codes(code)[-1] == (line, "HP-PY-006", CALL.partition("(")[0])


def test_an_import_is_reported_once_with_what_was_looked_for() -> None:
    assert codes("from flash_attn import (\n    flash_attn_func,\n    bert_padding,\n)\n") == [
        (1, "HP-PY-018", "flash_attn")
    ]
    assert codes("import numpy, xformers.ops as o\n") == [(1, "HP-PY-020", "xformers")]


def test_a_list_of_tuning_choices_is_one_finding() -> None:
    text = (
        "import triton\n\n\n@triton.autotune(\n    configs=[\n"
        '        triton.Config({"M": 64}, num_stages=2),\n'
        '        triton.Config({"M": 64}, num_stages=4),\n'
        '        triton.Config({"M": 128}, num_stages=5),\n'
        '    ],\n    key=["n"],\n)\ndef kernel():\n    pass\n'
    )
    assert codes(text) == [
        (4, "HP-PY-021", "triton.autotune"),
        (7, "HP-PY-021", "num_stages=4"),
    ]


def test_a_finding_of_an_op_names_its_own_switch() -> None:
    text = "from deepspeed.ops.op_builder import CPUAdamBuilder\nop = CPUAdamBuilder().load()\n"
    (found,) = python_findings(text.encode(), "a.py", RULES)
    assert found.code == "HP-PY-015"
    assert "DS_BUILD_CPU_ADAM=1" in found.suggestion


def test_a_script_in_a_string_is_read_as_one() -> None:
    job = 'job = f"""#!/bin/bash\n#SBATCH --time={time}\nmodule add CUDA/11.7\nnvidia-smi\n"""\n'
    assert codes(job) == [
        (3, "HP-ENV-016", "CUDA/11.7"),
        (4, "HP-ENV-012", "nvidia-smi"),
    ]
    # A module is loaded by whatever reads the text; a program's name may be only spoken of.
    assert codes(job.replace("#!/bin/bash\n#SBATCH", "See\n#")) == [(3, "HP-ENV-016", "CUDA/11.7")]
    assert codes('name = "#!/bin/bash"\nnote = """\nnvidia-smi\n"""\n') == []


def test_builds_that_python_writes_are_audited_as_such() -> None:
    build = (
        'build = f"""cmake_minimum_required(VERSION 3.25)\n\nproject({name} LANGUAGES CUDA)\n"""\n'
    )
    assert codes(build) == [(3, "HP-CMAKE-001", "CUDA")]
    assert codes(build.replace("cmake_minimum_required(", "as in (")) == []


def test_python_whose_fault_has_no_node_of_its_own_is_told() -> None:
    data = b"import cupy\ndef h():((0()).e())y\n"
    python_findings(data, "a.py", RULES)
    assert fault_line(data) == 2


def test_python_that_does_not_parse_is_read_as_far_as_it_does() -> None:
    text = "import tensorrt\n\ndef f(:\n    pass\n"
    assert codes(text) == [(1, "HP-PY-037", "tensorrt")]


def severities(text: str) -> list[tuple[str, str]]:
    found = uncovered(python_findings(text.encode(), "a.py", RULES), RULES)
    return [(each.code, each.severity.word) for each in found]


OPTIONAL = "try:\n    import nvtx\nexcept {caught}:\n    {then}\n"


@pytest.mark.parametrize(
    ("caught", "then", "severity"),
    [
        ("ImportError", "nvtx = None", "info"),
        ("(ImportError, OSError)", "pass", "info"),
        ("Exception as fault", "warn(fault)", "info"),
        ("OSError", "nvtx = None", "review"),
        ("ImportError", "raise RuntimeError('nvtx')", "review"),
        ("ImportError", "sys.exit('nvtx')", "review"),
    ],
)
def test_an_import_that_the_file_does_without_is_a_note(
    caught: str, then: str, severity: str
) -> None:
    assert severities(OPTIONAL.format(caught=caught, then=then)) == [("HP-PY-043", severity)]


def test_only_what_the_try_guards_is_optional() -> None:
    text = "try:\n    pass\nexcept ImportError:\n    import nvtx\n"
    assert severities(text) == [("HP-PY-043", "review")]
    inside = "try:\n    def f():\n        import nvtx\nexcept ImportError:\n    pass\n"
    assert severities(inside) == [("HP-PY-043", "review")]


def test_an_import_that_stays_is_a_note() -> None:
    assert severities("import deepspeed\n") == [("HP-PY-067", "info")]
    ops = "from deepspeed.ops.op_builder import CPUAdamBuilder\n"
    assert severities(ops) == [("HP-PY-067", "review")]
    assert severities("from vllm import LLM\n") == [("HP-PY-038", "info")]
    for ops in ("vllm import _custom_ops", "vllm.kernels.hqq_marlin import Config"):
        assert severities(f"from {ops}\n") == [("HP-PY-038", "manual")]


@pytest.mark.parametrize("function", ["pytest.importorskip", "importlib.util.find_spec"])
def test_a_module_that_is_only_looked_for_is_a_note(function: str) -> None:
    text = f"import pytest, importlib.util\nfound = {function}('xformers')\n"
    assert severities(text) == [("HP-PY-020", "info")]
    text = "import importlib\nfound = importlib.import_module('xformers')\n"
    assert severities(text) == [("HP-PY-020", "manual")]


def test_names_outside_strings_are_no_code_in_a_text() -> None:
    text = (
        "# \"It's\nimport cudnn_numbers\n\n'''\nA \"text'''\n"
        'ok = CUDNN_STATUS_BAD_PARAM == status  # not "ok\n'
        "code = f'''\n  if (status != CUDNN_STATUS_BAD_PARAM) // it's {name}\n'''\n"
        "'a'; status = CUDNN_STATUS_ALLOC_FAILED\n"
        'line = "return CUDNN_STATUS_BAD_PARAM;"\n'
    )
    found = [line for line, code, _ in codes(text) if code == "HP-PY-073"]
    assert found == [8, 11]
