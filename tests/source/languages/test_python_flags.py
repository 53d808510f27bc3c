"""A question of which only options for architectures are made is one decision with these."""

from __future__ import annotations

from hipport.rulebook.load import load
from hipport.source.audit.audit_file import findings_in
from hipport.source.convert.pipeline import default_options
from hipport.source.names.counterparts import Decisions

RULES = load(is_audit=True)


def found(text: str) -> list[tuple[int, str]]:
    decisions = Decisions(RULES, default_options(RULES))
    result = findings_in(text.encode(), "setup.py", "python", "python", decisions)
    asking = (each for each in result.findings if not RULES.findings[each.code].note)
    return [(each.start.line, each.code) for each in asking]


HEAD = "import os\nimport torch\nfrom torch.utils.cpp_extension import CUDAExtension\n"
LOOPED = HEAD + (
    "def flags():\n"
    '    asked = os.environ.get("TORCH_CUDA_ARCH_LIST", "8.0")\n'
    "    archs = split(asked)\n"
    "    made = []\n"
    "    for arch in archs:\n"
    '        made += [f"-gencode=arch=compute_{arch},code=sm_{arch}"]\n'
    "    return made\n"
)
CHOSEN = HEAD + (
    "def flags(home):\n"
    "    if torch.cuda.is_available():\n"
    "        major, minor = torch.cuda.get_device_capability()\n"
    '        print(f"for sm_{major}{minor}")\n'
    '        return ["-gencode", f"arch=compute_{major}{minor},code=sm_{major}{minor}"]\n'
    "    cuda_version = release(home)\n"
    "    if not cuda_version:\n"
    "        return []\n"
    '    archs = [("8.0", "sm_80")]\n'
    '    if cuda_version >= Version("11.8"):\n'
    '        archs.append(("9.0", "sm_90"))\n'
    "    made = []\n"
    "    for name, code in archs:\n"
    '        made.extend(["-gencode", f"arch=compute_{name},code={code}"])\n'
    "    return made\n"
)
SET = HEAD + (
    "def select():\n"
    "    major, minor = torch.cuda.get_device_capability(0)\n"
    '    os.environ["TORCH_CUDA_ARCH_LIST"] = f"{major}.{minor}"\n'
)


def test_architectures_that_only_become_options() -> None:
    assert found(LOOPED) == [(9, "HP-PY-008")]
    other = LOOPED.replace("    made = []\n", "    made = []\n    report(asked)\n")
    assert (5, "HP-ENV-014") in found(other)
    kept = LOOPED.replace("    return made\n", "    return made, archs\n")
    assert (5, "HP-ENV-014") in found(kept)


def test_a_variable_that_chooses_is_asked_for() -> None:
    text = HEAD + (
        "def flags():\n"
        "    made = []\n"
        '    if not os.environ.get("TORCH_CUDA_ARCH_LIST"):\n'
        "        major, minor = torch.cuda.get_device_capability()\n"
        '        made.append(f"--generate-code=arch=compute_{major}{minor}")\n'
        "    return made\n"
    )
    assert found(text) == [(6, "HP-ENV-014"), (8, "HP-PY-008")]


def test_a_capability_that_only_becomes_an_option() -> None:
    assert {code for _, code in found(CHOSEN)} == {"HP-PY-008"}
    other = CHOSEN.replace(
        "        print(", "        if major >= 9:\n            use_tma()\n        print("
    )
    assert "HP-PY-003" in {code for _, code in found(other)}


def test_a_release_that_chooses_more_than_options() -> None:
    other = CHOSEN.replace('"sm_90"))\n', '"sm_90"))\n        os.environ["WAVES_FP8"] = "1"\n')
    assert "HP-PY-081" in {code for _, code in found(other)}


def test_a_capability_that_only_sets_the_variable() -> None:
    assert found(SET) == [(6, "HP-ENV-014")]
    other = SET + "    return major\n"
    assert found(other) == [(5, "HP-PY-003"), (6, "HP-ENV-014")]


def test_a_script_that_makes_options_itself() -> None:
    body = (
        "major, minor = torch.cuda.get_device_capability()\n"
        'args = ["-O3", f"-gencode=arch=compute_{major}{minor},code=sm_{major}{minor}"]\n'
    )
    build = 'setup(ext_modules=[CUDAExtension("waves", ["waves.cu"], extra_compile_args=args)])\n'
    assert (4, "HP-PY-003") not in found(HEAD + body + build)
    # Another file may ask a module for what it has.
    assert (4, "HP-PY-003") in found(HEAD + body)


def test_a_list_of_architectures_that_no_other_finding_is_about() -> None:
    text = (
        "def build(source, cubin):\n"
        "    archs = [\n"
        '        "-code=sm_37",\n'
        '        "-code=sm_50",\n'
        "    ]\n"
        '    return " ".join(["nvcc --fatbin", *archs, source, cubin])\n'
    )
    assert (3, "HP-NET-002") in found(text)
