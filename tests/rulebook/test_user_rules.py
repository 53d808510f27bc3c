"""Rules of the user's own: what they add and replace, and what is said of a wrong one."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rtoml import loads

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.load import load
from hipport.rulebook.user_rules import rule_schema
from hipport.rulebook.words import Library
from hipport.schema import faults
from tests.support.command import Ran, hipport, make_tree
from tests.support.folders import CHECKOUT

CONFIG = 'extend-rules = ["my-rules/"]\n'
API = (
    "cuda\tkind\thip\tstatus\nacmeMalloc\tfunction\tacmeHipMalloc\tsupported\n"
    "acmeOld\tfunction\t\tunsupported\ncudaGetExportTable\tfunction\tacmeTable\tsupported\n"
)
FINDING = (
    'id = "ACME-SYNC-001"\nseverity = "manual"\ntitle = "Sync"\nmessage = "`{symbol}` stalls"\n'
    'names = ["cudaDeviceSynchronize"]\n'
    '[[bad]]\nfile = "a.cu"\ncode = "void f() { cudaDeviceSynchronize(); }\\n"\nline = 1\n'
    '[[good]]\nfile = "a.cu"\ncode = "void f() { cudaStreamSynchronize(0); }\\n"\n'
)
PYTHON = (
    'id = "ACME-PY-001"\nseverity = "review"\ntitle = "t"\nmessage = "{symbol} is old"\n'
    'languages = ["python"]\nhints = ["acme"]\nimports = "acme\\\\.old"\n'
)
RULES = {
    "my-rules/libraries.toml": '[acme]\ntitle = "ACME"\nunknown = "acme[A-Z]\\\\w*"\n',
    "my-rules/api/acme.tsv": API,
    "my-rules/headers.tsv": "cuda\thip\taction\nacme/cuda.h\tacme/hip.h\tmap\n",
    "my-rules/transforms.tsv": (
        "cuda\ttarget\toperation\tindex\tvalue\nacmeMalloc\thip\tinsert\t1\tACME_HIP\n"
    ),
    "my-rules/checks/ACME-SYNC-001.toml": FINDING,
    "my-rules/checks/python/ACME-PY-001.toml": PYTHON,
    "hipport.toml": CONFIG,
}
SOURCE = (
    '#include "acme/cuda.h"\n'
    "void f(void** p) {\n"
    "  acmeMalloc(p, 4);\n"
    "  acmeOld();\n"
    "  acmeWhat();\n"
    "  cudaGetExportTable(p, 0);\n"
    "  cudaDeviceSynchronize();\n"
    "}\n"
)


def test_names_headers_arguments_and_findings(tmp_path: Path) -> None:
    make_tree(tmp_path, {**RULES, "a.cu": SOURCE})
    done = hipport("convert", "a.cu", "--report", "report.json", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (1, "", "")
    assert (tmp_path / "a_hip.cu").read_text() == (
        "#include <hip/hip_runtime.h>\n"
        "#include <acme/hip.h>\n"
        "void f(void** p) {\n"
        "  acmeHipMalloc(p, ACME_HIP, 4);\n"
        "  acmeOld();\n"
        "  acmeWhat();\n"
        "  acmeTable(p, 0);\n"
        "  hipDeviceSynchronize();\n"
        "}\n"
    )
    report = json.loads((tmp_path / "report.json").read_text())
    found = [(each["code"], each["line"], each["message"]) for each in report["findings"]]
    assert [each[:2] for each in found] == [
        ("HP-API-001", 4),
        ("HP-API-002", 5),
        ("ACME-SYNC-001", 7),
    ]
    assert found[2][2] == "`cudaDeviceSynchronize` stalls"


def test_without_the_configuration_nothing_of_it_counts(tmp_path: Path) -> None:
    make_tree(tmp_path, {**RULES, "a.cu": SOURCE})
    diff = hipport("convert", "--diff", "--isolated", "a.cu", cwd=tmp_path).out
    assert "acme" not in "".join(re.findall(r"^\+.*", diff, re.MULTILINE)).replace("+++ b/", "")


def test_the_audit_has_those_in_folders_too(tmp_path: Path) -> None:
    make_tree(tmp_path, {**RULES, "src/a.py": "import acme.old\n", "src/a.cu": SOURCE})
    for jobs in ("1", "2"):
        done = hipport("audit", "src", "--jobs", jobs, cwd=tmp_path)
        assert "src/a.py:1:8: review ACME-PY-001 acme.old is old" in done.out
        assert "src/a.cu:7:3: manual ACME-SYNC-001 `cudaDeviceSynchronize` stalls" in done.out
    sarif = json.loads(hipport("audit", "src", "--format", "sarif", cwd=tmp_path).out)
    names = {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
    assert {"ACME-PY-001", "ACME-SYNC-001"} <= names
    assert hipport("convert", "--check", "src/a.py", cwd=tmp_path) == Ran(0, "", "")


def test_they_can_be_selected_and_looked_up(tmp_path: Path) -> None:
    config = CONFIG + 'select = ["ACME"]\n[severity]\nACME-SYNC-001 = "info"\n'
    make_tree(tmp_path, {**RULES, "a.cu": SOURCE, "hipport.toml": config})
    done = hipport("audit", "a.cu", cwd=tmp_path)
    assert done.out.splitlines()[1] == "a.cu:7:3: info ACME-SYNC-001 `cudaDeviceSynchronize` stalls"
    assert done.code == 0
    assert "Severity: manual" in hipport("audit", "explain", "ACME-SYNC-001", cwd=tmp_path).out
    assert "acmeTable" in hipport("rules", "show", "cudaGetExportTable", cwd=tmp_path).out


def test_of_two_folders_the_first_wins(tmp_path: Path) -> None:
    line = "cuda\tkind\thip\tstatus\ncudaFree\tfunction\t{}\tsupported\n"
    files = {f"{name}/api/runtime.tsv": line.format(f"{name}Free") for name in ("one", "two")}
    make_tree(
        tmp_path, {**files, "hipport.toml": 'extend-rules = ["one", "two"]\n', "a.cpp": "cudaFree;"}
    )
    assert "+oneFree;" in hipport("convert", "--diff", "a.cpp", cwd=tmp_path).out


# What is wrong with them

WRONG = [
    ("api/runtime.tsv", "cuda\tkind\thp\tstatus\n", "api/runtime.tsv:1: no such column: hp, did"),
    ("api/runtime.tsv", "cuda\tkind\thip\n", "api/runtime.tsv:1: the column status is missing"),
    ("api/runtime.tsv", "", "api/runtime.tsv:1: no such column: "),
    (
        "api/runtime.tsv",
        "cuda\tkind\thip\tstatus\nx\tfunktion\ty\tsupported\n",
        "api/runtime.tsv:2: x: unknown kind funktion",
    ),
    (
        "api/runtime.tsv",
        "cuda\tkind\thip\tstatus\nx\tfunction\n",
        "api/runtime.tsv:2: x: status is empty",
    ),
    (
        "api/runtime.tsv",
        "cuda\tkind\tstatus\nx\tfunction\tunsupported\t\t\n",
        "api/runtime.tsv:2: x: 5 columns, the heading has 3",
    ),
    (
        "api/runtime.tsv",
        "cuda\tkind\tstatus\n" + "x\tfunction\tunsupported\n" * 2,
        "api/runtime.tsv:3: x: appears twice",
    ),
    ("api/runtme.tsv", API, "api/runtme.tsv: no library runtme, did you mean runtime?"),
    ("api/runtime.tsv", b"\xff", "api/runtime.tsv: 'utf-8' codec can't decode byte 0xff"),
    ("headers.tsv", "cuda\thip\taction\na.h\tb.h\tmop\n", "headers.tsv:2: a.h: unknown action mop"),
    ("headers.tsv", "action\tcuda\nmap\n", "headers.tsv:2: ?: cuda is empty"),
    (
        "transforms.tsv",
        "cuda\ttarget\toperation\nx\thip\tadd\n",
        "transforms.tsv:2: x: unknown operation add",
    ),
    ("libraries.toml", '[acme]\ntitel = "x"\n', "libraries.toml: acme.title: is missing"),
    ("libraries.toml", '[cublas]\ntitle = "x"\n', "libraries.toml: cublas: the rulebook has it"),
    (
        "libraries.toml",
        '[acme]\ntitle = "x"\nunknown = "("\n',
        "libraries.toml: acme.unknown: (: missing ), unterminated subpattern at position 0",
    ),
]
WRONG_FINDINGS = [
    (
        '"manual"',
        '"manuel"',
        "severity: 'manuel' is none of blocker, manual, review, info, ",
    ),
    ("title =", "titel =", "title: is missing"),
    ("names =", "nmaes =", "nmaes: no such key, did you mean names?"),
    ('["cudaDeviceSynchronize"]', '"cudaFree"', "names: 'cudaFree' is not a list"),
    ("{symbol}", "{name}", "message: nothing fills in {name}"),
    ("{symbol}", "{symbol:>999999999}", "message: write {symbol} alone, without a format"),
    ('code = "void f() { cudaD', 'rocm = "6.4"  # "void f() { cudaD', "bad[0].code: is missing"),
    ("{symbol}", "{symbol", "message: expected '}' before end of string"),
    ("ACME-SYNC-001", "ACME-SYNC-002", "id: ACME-SYNC-002 is not the name of the file"),
    ("ACME-SYNC-001", "acme", "id: 'acme' is not a code such as ACME-API-001, the name of its"),
    ("names = [", 'patterns = ["[[a]", ', "patterns: [[a]: Possible nested set at position 1"),
    ("names = [", 'patterns = ["(", ', "patterns: (: missing ), unterminated subpattern at"),
    ("names =", "patterns =", "hints: is missing: patterns needs a text that each match's file"),
    (
        "names =",
        'check = "wrap_size"\nnames =',
        "check: no check wrap_size, did you mean warp_",
    ),
    ("names =", 'languages = ["cmak"]\nnames =', "languages: no kind of files cmak, did you mean"),
    ("line = 1", 'line = "1"', "bad[0].line: '1' is not a whole number"),
    ("line = 1", "lien = 1", "bad[0].lien: no such key, did you mean line?"),
    (
        "[[good]]",
        "[[good]",
        "Expected ']]' at the end of an array declaration (at line 10, ",
    ),
]


@pytest.mark.parametrize(("name", "text", "reason"), WRONG, ids=[each[2] for each in WRONG])
def test_a_mistake_names_file_line_and_reason(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    make_tree(tmp_path, {f"my-rules/{name}": text, "hipport.toml": CONFIG, "a.cu": SOURCE})
    done = hipport("rules", "test", "my-rules", cwd=tmp_path)
    assert done.code == 1
    assert done.err.splitlines()[0].startswith(f"my-rules/{reason}")
    done = hipport("convert", "--check", "a.cu", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"hipport: {tmp_path}/my-rules/{reason}")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("", "standard: is missing"),
        ("standard = 1\n", "standard: 1 is not text"),
        (
            "mangled = 'x'\ninclude = 'x'\ntemplate = 'x'\nstandard = '['\n",
            "standard: [: unterminated character set at position 0",
        ),
    ],
)
def test_a_check_that_lacks_its_keys_names_the_rule(tmp_path: Path, key: str, problem: str) -> None:
    text = FINDING.replace("names =", f'check = "implicit_runtime"\n{key}names =')
    source = f"#include <a>\n{SOURCE}"
    files = {"checks/ACME-SYNC-001.toml": text}
    rules = {f"my-rules/{name}": content for name, content in files.items()}
    make_tree(tmp_path, {**rules, "hipport.toml": CONFIG, "a.cu": source})
    done = hipport("convert", "--check", "a.cu", cwd=tmp_path)
    told = f"{tmp_path}/my-rules/checks/ACME-SYNC-001.toml: {problem}"
    assert done.code == 2
    assert done.err == f"hipport: {told} (hipport help user-rules)\n"


@pytest.mark.parametrize(("old", "new", "reason"), WRONG_FINDINGS)
def test_a_mistake_in_a_finding_names_file_key_and_reason(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    assert old in FINDING
    name = "checks/ACME-SYNC-001.toml"
    files = {f"my-rules/{name}": FINDING.replace(old, new), "hipport.toml": CONFIG}
    make_tree(tmp_path, {**files, "a.cu": SOURCE})
    done = hipport("rules", "test", "my-rules", cwd=tmp_path)
    assert done.code == 1
    assert done.err.splitlines()[0].startswith(f"my-rules/{name}: {reason}")
    assert hipport("audit", "a.cu", cwd=tmp_path).err.startswith(
        f"hipport: {tmp_path}/my-rules/{name}: {reason}"
    )


def test_a_code_of_the_rulebook_cannot_be_taken(tmp_path: Path) -> None:
    text = FINDING.replace("ACME-SYNC-001", "HP-WARP-001")
    make_tree(tmp_path, {"my-rules/checks/HP-WARP-001.toml": text})
    done = hipport("rules", "test", "my-rules", cwd=tmp_path)
    assert (
        done.err == "my-rules/checks/HP-WARP-001.toml: id: HP-WARP-001 is a code of the rulebook\n"
    )


def test_an_empty_folder_and_none(tmp_path: Path) -> None:
    make_tree(tmp_path, {"my-rules/readme.md": "", "a.cu": SOURCE, "hipport.toml": CONFIG})
    done = hipport("convert", "--check", "a.cu", cwd=tmp_path)
    assert (done.code, "my-rules: has no rules: " in done.err) == (2, True)
    done = hipport("rules", "test", "none", cwd=tmp_path)
    assert done == Ran(2, "", "hipport: none: no such folder (hipport help user-rules)\n")


# hipport rules test


def test_it_runs_the_examples(tmp_path: Path) -> None:
    make_tree(tmp_path, {"my-rules/checks/ACME-SYNC-001.toml": FINDING})
    done = hipport("rules", "test", "my-rules", cwd=tmp_path)
    assert done == Ran(0, "2 examples of 1 finding: all as they should be\n", "")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("line = 1", "line = 2", "bad example 1 is found in line 1, not in line 2"),
        ("{ cudaDevice", "{ myDevice", "bad example 1 is not found"),
        ("cudaStream", "cudaDevice", "good example 1 is found in line 1"),
    ],
)
def test_an_example_that_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    make_tree(tmp_path, {"my-rules/checks/ACME-SYNC-001.toml": FINDING.replace(old, new)})
    done = hipport("rules", "test", "my-rules", cwd=tmp_path)
    assert done == Ran(1, "2 examples of 1 finding: 1 fault\n", f"ACME-SYNC-001: {reason}\n")


def test_a_finding_without_examples(tmp_path: Path) -> None:
    make_tree(tmp_path, {"my-rules/checks/python/ACME-PY-001.toml": PYTHON})
    done = hipport("rules", "test", "my-rules", cwd=tmp_path)
    assert (done.code, done.err) == (1, "ACME-PY-001: has no examples\n")


@pytest.mark.slow
def test_the_installed_rules_pass(tmp_path: Path) -> None:
    done = hipport("rules", "test", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    count = len(load(is_audit=True).findings)
    assert re.fullmatch(rf"[\d,]+ examples of {count} findings: all as they should be\n", done.out)


# The schemas


@pytest.mark.parametrize("name", ["finding", "libraries"])
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(rule_schema(name))


def test_the_installed_rules_obey_the_schemas() -> None:
    libraries = tomllib.loads((CHECKOUT / "rules/libraries.toml").read_text())
    assert list(faults(libraries, rule_schema("libraries"))) == []
    jsonschema.validate(libraries, rule_schema("libraries"))
    # A check reads keys of its own.
    schemas = [{**rule_schema("finding"), "additionalProperties": it} for it in (False, True)]
    validators = [jsonschema.Draft202012Validator(each) for each in schemas]
    for path in sorted((CHECKOUT / "rules/checks").rglob("*.toml")):
        table = loads(path.read_text())
        assert [path.name, *faults(table, schemas["check" in table])] == [path.name]
        validators["check" in table].validate(table)


def test_the_schemas_have_the_keys_that_the_code_reads() -> None:
    finding = set(rule_schema("finding")["properties"])
    own = {"place", "keys", "structures", "file"}
    assert set(FindingRule.__struct_fields__) - own <= finding
    table = rule_schema("libraries")["additionalProperties"]["properties"]
    assert set(table) == set(Library.__struct_fields__) - {"name"}


@pytest.mark.parametrize(("old", "new"), [each[:2] for each in WRONG_FINDINGS])
def test_our_validator_agrees_with_a_real_one(old: str, new: str) -> None:
    try:
        table = tomllib.loads(FINDING.replace(old, new))
    except ValueError:
        return
    schema = rule_schema("finding")
    is_valid = jsonschema.Draft202012Validator(schema).is_valid(table)
    assert (list(faults(table, schema)) == []) == is_valid


VALUES = st.recursive(
    st.text("aHP-01", max_size=8) | st.booleans() | st.integers(-2, 2) | st.just("manual"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["file", "code", "line", "title", "severity", "x"]), inner
        )
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("name", ["finding", "libraries"])
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_our_validator_agrees_with_a_real_one_on_anything(name: str, data: st.DataObject) -> None:
    schema = rule_schema(name)
    keys = st.sampled_from([*schema.get("properties", {"acme": 0, "b": 0})]) | st.just("other")
    table = data.draw(st.dictionaries(keys, VALUES, max_size=4))
    if data.draw(st.booleans()) and name == "finding":
        table = tomllib.loads(FINDING) | table
    is_valid = jsonschema.Draft202012Validator(schema).is_valid(table)
    assert (list(faults(table, schema)) == []) == is_valid


def test_the_examples_of_the_documentation_work(tmp_path: Path) -> None:
    text = (CHECKOUT / "docs/user-rules.md").read_text()
    names, headers = re.findall(r"```text\n(cuda\t.*?)```", text, re.DOTALL)
    (finding,) = re.findall(r"```toml\n(id .*?)```", text, re.DOTALL)
    files = {
        "my-rules/api/runtime.tsv": names,
        "my-rules/headers.tsv": headers,
        "my-rules/checks/ACME-SYNC-001.toml": finding,
    }
    make_tree(tmp_path, files)
    output = re.search(r"\$ (hipport rules test .*)\n(.*)\n", text)
    assert output
    assert hipport(*output[1].split()[1:], cwd=tmp_path) == Ran(0, f"{output[2]}\n", "")
