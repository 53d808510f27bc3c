"""Configuration: which file counts, what its keys do, and what is said of a wrong one."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from hipport.config import Config, Configurations, schema
from hipport.schema import faults
from tests.support.command import Ran, hipport, listing, make_tree
from tests.support.folders import CHECKOUT

CUDA = "__global__ void k();\nvoid f() { cudaFree(0); k<<<1, 2>>>(); }\n"
BLAS = "#include <cublas_v2.h>\ncublasHandle_t h;\n"
LANE = "__global__ void f(float* s) {\n  int lane = threadIdx.x & 31;\n  s[lane] = 0;\n}\n"


def codes(done: Ran) -> list[str]:
    """The code of each line of findings."""
    return re.findall(r"^\S+:\d+:\d+: \w+ (\S+)", done.out, re.MULTILINE)


# Which file counts


def test_the_nearest_file_counts_alone(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[tool.hipport]\nlaunch = "keep"\nlibs = "roc"\n',
        "deep/hipport.toml": 'libs = "roc"\n',
        "deep/below/pyproject.toml": '[project]\nname = "not-about-hipport"\n',
    }
    make_tree(tmp_path, files)
    found = Configurations()
    assert found.of(tmp_path / "other").launch == "keep"
    near = found.of(tmp_path / "deep" / "below")
    assert near == found.of(tmp_path / "deep" / "below" / ".." / "below")
    assert (near.file, near.given) == (tmp_path / "deep/hipport.toml", {"libs"})
    assert (near.libs, near.launch) == ("roc", "ggl")


def test_hipport_toml_comes_before_pyproject_toml(tmp_path: Path) -> None:
    files = {"pyproject.toml": '[tool.hipport]\nlibs = "roc"\n', "hipport.toml": ""}
    make_tree(tmp_path, files)
    assert Configurations().of(tmp_path) == Config(tmp_path / "hipport.toml", tmp_path)


def test_each_file_of_a_run_has_the_configuration_nearest_to_it(tmp_path: Path) -> None:
    files = {
        "src/a.cu": CUDA,
        "src/kept/b.cu": CUDA,
        "src/kept/hipport.toml": 'launch = "keep"\n',
        "src/kept/left/c.cu": CUDA,
    }
    make_tree(tmp_path, files)
    assert hipport("convert", "src", cwd=tmp_path).code == 0
    out = tmp_path / "src_hip"
    assert "hipLaunchKernelGGL" in (out / "a.cu").read_text()
    assert "k<<<1, 2>>>" in (out / "kept/b.cu").read_text()
    assert "k<<<1, 2>>>" in (out / "kept/left/c.cu").read_text()


def test_several_processes_follow_it_too(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": CUDA, "src/b.cu": CUDA, "src/hipport.toml": 'launch="keep"\n'})
    assert hipport("convert", "--jobs", "2", "src", cwd=tmp_path).code == 0
    assert "k<<<1, 2>>>" in (tmp_path / "src_hip/a.cu").read_text()


def test_a_flag_wins_over_the_file(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": CUDA, "hipport.toml": 'launch = "keep"\n'})
    diff = hipport("convert", "--diff", "src", cwd=tmp_path).out
    assert "hipLaunchKernelGGL" not in diff
    diff = hipport("convert", "--diff", "--launch", "ggl", "src", cwd=tmp_path).out
    assert "+void f() { hipFree(0); hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0); }" in diff
    diff = hipport("convert", "--diff", "--isolated", "src", cwd=tmp_path).out
    assert "hipLaunchKernelGGL" in diff


def test_config_names_a_file_for_all(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": CUDA, "src/hipport.toml": "", "my.toml": 'launch = "keep"\n'})
    diff = hipport("convert", "--diff", "--config", "my.toml", "src", cwd=tmp_path).out
    assert "hipLaunchKernelGGL" not in diff


def test_patterns_of_a_named_file_are_relative_to_the_working_folder(tmp_path: Path) -> None:
    config = (
        'exclude = ["src/made/"]\nextend-rules = ["rules"]\n[per-file-ignores]\n"/src/" = ["HP"]\n'
    )
    rule = "cuda\tkind\thip\tstatus\ncudaFree\tfunction\tmyFree\tsupported\n"
    files = {"ci/my.toml": config, "ci/rules/api/runtime.tsv": rule, "src/made/b.cu": LANE}
    make_tree(tmp_path, {**files, "src/a.cu": LANE, "src/c.cpp": "cudaFree;\n", "d.cu": LANE})
    found = hipport("audit", "--config", "ci/my.toml", "src", "d.cu", cwd=tmp_path).out
    assert {line.split(":")[0] for line in found.splitlines()[1:-1]} == {"d.cu"}
    named = ("convert", "--diff", "--config", "ci/my.toml", "src/c.cpp")
    assert "+myFree;" in hipport(*named, cwd=tmp_path).out


def test_standard_input_has_the_configuration_of_its_name(tmp_path: Path) -> None:
    make_tree(tmp_path, {"sub/hipport.toml": 'launch = "keep"\nignore = ["HP-API"]\n'})
    source = (CUDA + "int g() { return cudaGetExportTable(0, 0); }\n").encode()
    named = ("convert", "-", "--stdin-filename")
    assert hipport(*named, "a.cu", cwd=tmp_path, stdin=source).code == 1
    done = hipport(*named, "sub/a.cu", cwd=tmp_path, stdin=source)
    assert (done.code, "k<<<1, 2>>>" in done.out) == (0, True)


# What the keys do


def test_libs_and_rocm(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cpp": BLAS, "hipport.toml": 'libs = "roc"\nrocm = "6.4"\n'})
    diff = hipport("convert", "--diff", "a.cpp", cwd=tmp_path).out
    assert "+rocblas_handle h;" in diff
    make_tree(tmp_path, {"a.cpp": BLAS, "hipport.toml": 'rocm = "7.0"\n'})
    source = "void f() { cudaDevResourceGenerateDesc(0, 0, 0); }\n"
    make_tree(tmp_path, {"b.cu": source})
    done = hipport("audit", "b.cu", cwd=tmp_path)
    assert "HP-API-006" in codes(done)
    assert "HP-API-006" not in codes(hipport("audit", "--rocm", "10.2", "b.cu", cwd=tmp_path))


def test_targets_are_those_of_the_audit(tmp_path: Path) -> None:
    kernel = LANE.replace("s[lane] = 0", "warp_sum(s[lane])")
    source = f"#include <hip/hip_runtime.h>\n{kernel}"
    make_tree(tmp_path, {"a.cu": source, "hipport.toml": 'targets = ["gfx1100"]\n'})
    assert "info HP-WARP-001" in hipport("audit", "a.cu", cwd=tmp_path).out
    done = hipport("audit", "--targets", "gfx90a,gfx1100", "a.cu", cwd=tmp_path)
    assert "manual HP-WARP-001" in done.out


def test_excluded_files_are_copied_and_not_audited_even_when_named(tmp_path: Path) -> None:
    files = {"third_party/a.cu": CUDA, "b.cu": LANE, "hipport.toml": 'exclude = ["third_party/"]\n'}
    make_tree(tmp_path / "src", files)
    assert hipport("convert", "--fail-on", "never", "src", cwd=tmp_path).code == 0
    assert (tmp_path / "src_hip/third_party/a.cu").read_text() == CUDA
    named = hipport("convert", "--check", "third_party/a.cu", cwd=tmp_path / "src")
    assert named == Ran(0, "", "")
    done = hipport("audit", "src/third_party/a.cu", cwd=tmp_path)
    assert (done.code, codes(done)) == (0, [])


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ("", True),
        ('select = ["HP-WARP"]\n', True),
        ('select = ["HP-WARP-001"]\n', True),
        ('select = ["HP-PY"]\n', False),
        ('ignore = ["HP-WARP"]\n', False),
        ('ignore = ["HP-WARP-002"]\n', True),
        ('select = ["HP"]\nignore = ["HP-WARP-001"]\n', False),
        ('[per-file-ignores]\n"src/" = ["HP-WARP"]\n', False),
        ('[per-file-ignores]\n"*.cuh" = ["HP-WARP"]\n', True),
    ],
)
def test_selection(tmp_path: Path, config: str, wanted: bool) -> None:
    make_tree(tmp_path, {"src/a.cu": LANE, "hipport.toml": config})
    done = hipport("audit", "src", cwd=tmp_path)
    assert ("HP-WARP-001" in codes(done)) == wanted


def test_flags_of_the_audit_select_too(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": LANE, "hipport.toml": 'ignore = ["HP-WARP"]\n'})
    done = hipport("audit", "a.cu", "--ignore", "HP-PY", "--select", "HP-WARP", cwd=tmp_path)
    assert set(codes(done)) == {"HP-WARP-001"}


def test_severity_decides_the_exit_code(tmp_path: Path) -> None:
    config = '[severity]\nHP-WARP = "blocker"\nHP-WARP-001 = "info"\n'
    make_tree(tmp_path, {"a.cu": LANE, "hipport.toml": config})
    done = hipport("audit", "a.cu", "--select", "HP-WARP-001", cwd=tmp_path)
    assert (done.code, "info HP-WARP-001" in done.out) == (0, True)


# What is said of a wrong file

WRONG = [
    ("tragets = []", "tragets: no such key, did you mean targets?"),
    ("rocm = 6.4", "rocm: 6.4 is not a text"),
    ('rocm = "six"', "rocm: 'six' is not a ROCm release such as \"6.4\""),
    ('rocm = "99.0"', "rocm 99.0: the rulebook knows ROCm up to "),
    ('libs = "rok"', "libs: 'rok' is none of hip, roc, did you mean roc?"),
    ('targets = "gfx90a"', "targets: 'gfx90a' is not a list"),
    ('targets = ["gfx94"]', "targets: no processor gfx94, did you mean gfx942?"),
    ('targets = ["sm_80"]', "targets[0]: 'sm_80' is not a processor such as gfx942"),
    ('select = ["HP-WRP"]', "select: no finding 'HP-WRP', did you mean HP-WARP?"),
    ('ignore = ["HP-WARP-999"]', "ignore: no finding 'HP-WARP-999', did you mean HP-WARP-0"),
    ('[severity]\nHP-WARP = "bad"', "severity.HP-WARP: 'bad' is none of blocker, manual, "),
    ('[per-file-ignores]\n"a" = "HP"', "per-file-ignores.a: 'HP' is not a list"),
    ('[per-file-ignores]\n"a" = ["X"]', "per-file-ignores.a: no finding 'X'"),
    ('exclude = ["/"]', "exclude: '/' names nothing"),
    ("exclude = [1]", "exclude[0]: 1 is not a text"),
    ("a =", "Invalid value (at end of document)"),
    ('extend-rules = ["none"]', "extend-rules: none is not a folder"),
]


@pytest.mark.parametrize(("text", "reason"), WRONG, ids=[text for text, _ in WRONG])
def test_a_mistake_names_file_and_key(tmp_path: Path, text: str, reason: str) -> None:
    make_tree(tmp_path, {"a.cu": CUDA, "hipport.toml": text})
    for command in (("convert", "--check"), ("audit",), ("config",)):
        done = hipport(*command, "a.cu", cwd=tmp_path)
        start = f"hipport: {tmp_path}/hipport.toml: {reason}"
        assert (done.code, done.out, done.err[: len(start)]) == (2, "", start)


def test_a_table_that_is_none(tmp_path: Path) -> None:
    make_tree(tmp_path, {"pyproject.toml": "[tool]\nhipport = 3\n", "my.toml": "[x"})
    done = hipport("config", cwd=tmp_path)
    where = f"hipport: {tmp_path}/pyproject.toml: tool.hipport: 3 is not a table"
    assert done == Ran(2, "", f"{where} (hipport help configuration)\n")
    assert hipport("config", "--config", "my.toml", cwd=tmp_path).code == 2
    done = hipport("config", "--config", "none.toml", cwd=tmp_path)
    assert (done.code, "none.toml: cannot read: No such file" in done.err) == (2, True)


def test_what_is_not_about_us_is_no_error(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": CUDA, "pyproject.toml": "[tool.other\nbroken"})
    assert hipport("convert", "--diff", "a.cu", cwd=tmp_path).code == 0
    assert listing(tmp_path) == ["a.cu", "pyproject.toml"]


# hipport config


def test_it_tells_where_each_value_comes_from(tmp_path: Path) -> None:
    config = '[tool.hipport]\nlibs = "roc"\n[tool.hipport.severity]\nHP-PY = "info"\n'
    make_tree(tmp_path, {"src/a.cu": CUDA, "pyproject.toml": config})
    assert hipport("config", "src/a.cu", cwd=tmp_path).out == (
        f"{tmp_path}/pyproject.toml\n"
        'rocm             default        ""\n'
        "targets          default        []\n"
        'libs             pyproject.toml "roc"\n'
        'launch           default        "ggl"\n'
        "exclude          default        []\n"
        "select           default        []\n"
        "ignore           default        []\n"
        "per-file-ignores default        {}\n"
        'severity         pyproject.toml {"HP-PY": "info"}\n'
        "extend-rules     default        []\n"
    )
    shown = json.loads(hipport("config", "--format", "json", "src", cwd=tmp_path).out)
    assert shown["file"] == str(tmp_path / "pyproject.toml")
    assert shown["values"]["libs"] == {"value": "roc", "from": shown["file"]}
    assert shown["values"]["severity"]["value"] == {"HP-PY": "info"}
    assert shown["values"]["rocm"] == {"value": "", "from": "default"}


def test_without_a_file_all_is_default(tmp_path: Path) -> None:
    shown = json.loads(hipport("config", "--format", "json", "--isolated", cwd=tmp_path).out)
    assert shown["file"] is None
    assert {each["from"] for each in shown["values"].values()} == {"default"}
    assert hipport("config", "none", cwd=tmp_path).code == 2


# The schema


def test_the_schema_is_one_and_its_keys_are_those_of_the_code() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    keys = [key.replace("-", "_") for key in schema()["properties"]]
    assert keys == [field for field in Config._fields if field not in ("file", "root", "given")]
    for key, about in schema()["properties"].items():
        default = getattr(Config(), key.replace("-", "_"))
        assert default == (tuple(about["default"]) if about["type"] != "string" else default)


@pytest.mark.parametrize("text", [text for text, _ in WRONG if "=" in text and text != "a ="])
def test_our_validator_agrees_with_a_real_one(text: str) -> None:
    content = tomllib.loads(text)
    is_valid = jsonschema.Draft202012Validator(schema()).is_valid(content)
    assert (list(faults(content, schema())) == []) == is_valid


def test_the_documentation_names_every_key() -> None:
    text = (CHECKOUT / "docs/configuration.md").read_text()
    assert re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE) == [*schema()["properties"]]


def test_the_example_of_the_documentation_is_valid() -> None:
    text = (CHECKOUT / "docs/configuration.md").read_text()
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    table = tomllib.loads(example)["tool"]["hipport"]
    assert set(table) == set(schema()["properties"])
    assert list(faults(table, schema())) == []
