"""The GitHub Action and the GitLab job: their commands are run, their output is checked."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml

from tests.support.command import hipport, make_tree
from tests.support.environments import make_environment
from tests.support.folders import CHECKOUT

ACTION: dict[str, Any] = yaml.safe_load((CHECKOUT / "action.yml").read_text())
DOCS = (CHECKOUT / "docs/ci.md").read_text()
SARIF = json.loads((CHECKOUT / "fixtures/report/sarif-schema-2.1.0.json").read_text())
BAD = (
    "__global__ void f(float* s) {\n  int lane = threadIdx.x & 31;\n  s[lane] = 0;\n}\n"
    "void g(float* s) { f<<<1, 32>>>(s); }\n"
)


def step(name: str) -> dict[str, Any]:
    (found,) = (each for each in ACTION["runs"]["steps"] if each.get("name") == name)
    return dict(found)


def run_step(folder: Path, name: str, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Run a step's script as GitHub does; returns its exit code, outputs and job summary."""
    given = {key: each["default"] for key, each in ACTION["inputs"].items()} | inputs
    environment = dict(os.environ)
    for key, value in step(name).get("env", {}).items():
        (wanted,) = re.fullmatch(r"\$\{\{ (\S+) \}\}", value).groups()  # type: ignore[union-attr]
        if wanted.startswith("inputs."):
            environment[key] = given[wanted.removeprefix("inputs.")]
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    script = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m hipport "$@"\n'
    (programs / "hipport").write_text(script)
    (programs / "hipport").chmod(0o755)
    (programs / "python").unlink(missing_ok=True)
    (programs / "python").symlink_to(sys.executable)
    output, summary = folder / ".output", folder / ".summary"
    environment |= {
        "PATH": f"{programs}:/usr/bin:/bin",
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    # https://docs.github.com/actions, "Workflow syntax", jobs.<job_id>.steps[*].shell
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]]
    done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True)
    lines = output.read_text().splitlines() if output.exists() else []
    outputs = dict(line.split("=", 1) for line in lines)
    return done.returncode, outputs, summary.read_text() if summary.exists() else ""


def results(path: Path) -> list[tuple[str, str, int]]:
    """Code, path and line of each result of a SARIF file that obeys the official schema."""
    log = json.loads(path.read_text())
    jsonschema.validate(log, SARIF)
    found = []
    for each in log["runs"][0]["results"]:
        place = each["locations"][0]["physicalLocation"]
        file, line = place["artifactLocation"]["uri"], place["region"]["startLine"]
        found.append((each["ruleId"], file, line))
    return found


def test_the_action_is_well_formed() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for each in ACTION["runs"]["steps"]:
        assert ("uses" in each) != ("run" in each)
        assert "shell" in each or "uses" in each
        # Text of an input inside a script could be a command.
        assert "${{" not in each.get("run", "")
    names = set(re.findall(r"inputs\.([\w-]+)", (CHECKOUT / "action.yml").read_text()))
    assert names == set(ACTION["inputs"])
    for output in ACTION["outputs"].values():
        (name,) = re.findall(r"steps\.audit\.outputs\.([\w-]+) ", output["value"])
        assert f'echo "{name}=' in step("Audit")["run"]


def test_the_action_writes_sarif_and_a_summary_and_fails(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": BAD, "docs/b.cu": BAD})
    code, outputs, summary = run_step(tmp_path, "Audit", paths="src\n")
    assert code == 1
    found = results(tmp_path / "hipport.sarif")
    assert ("HP-WARP-001", "src/a.cu", 2) in found
    assert {path for _, path, _ in found} == {"src/a.cu"}
    assert outputs == {"sarif-file": "hipport.sarif", "findings": str(len(found))}
    assert "HP-WARP-001" in summary


def test_paths_with_blanks_and_hostile_inputs_are_only_names(tmp_path: Path) -> None:
    make_tree(tmp_path, {"my src/a.cu": BAD, "b.cu": BAD})
    inputs = {"paths": "my src\n\nb.cu\n", "sarif-file": "out file.sarif", "fail-on": "blocker"}
    code, _, _ = run_step(tmp_path, "Audit", **inputs)
    assert code == 0
    assert len({path for _, path, _ in results(tmp_path / "out file.sarif")}) == 2
    code, _, _ = run_step(tmp_path, "Audit", paths="$(touch made)", targets="'; touch made; '")
    assert (code, (tmp_path / "made").exists()) == (2, False)


@pytest.mark.slow
def test_the_action_leaves_out_what_the_baseline_knows(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": BAD})
    baseline = ("audit", "check", "--write-baseline", "known.json", ".")
    assert hipport(*baseline, cwd=tmp_path).code == 0
    code, outputs, _ = run_step(tmp_path, "Audit", baseline="known.json")
    assert (code, outputs["findings"]) == (0, "0")
    make_tree(tmp_path, {"b.cu": BAD})
    code, outputs, _ = run_step(tmp_path, "Audit", baseline="known.json")
    assert (code, {path for _, path, _ in results(tmp_path / "hipport.sarif")}) == (1, {"b.cu"})


@pytest.mark.slow
def test_the_options_reach_the_audit(tmp_path: Path) -> None:
    together = BAD.replace("s[lane] = 0", "warp_sum(s[lane])")
    make_tree(tmp_path, {"a.cu": f"#include <hip/hip_runtime.h>\n{together}"})
    levels = {}
    for target in ("gfx90a", "gfx1100"):
        run_step(tmp_path, "Audit", targets=target, rocm="6.4")
        log = json.loads((tmp_path / "hipport.sarif").read_text())
        of_code = {each["ruleId"]: each["level"] for each in log["runs"][0]["results"]}
        levels[target] = of_code["HP-WARP-001"]
    assert levels == {"gfx90a": "warning", "gfx1100": "note"}
    assert run_step(tmp_path, "Audit", rocm="x")[0] == 2


def test_the_documented_workflow_uses_inputs_that_there_are() -> None:
    (workflow,) = re.findall(r"```yaml\n(name: port.*?)```", DOCS, re.DOTALL)
    (*_, audit) = yaml.safe_load(workflow)["jobs"]["audit"]["steps"]
    assert set(audit["with"]) <= set(ACTION["inputs"])
    table = re.search(r"\| input .*?\n\n", DOCS, re.DOTALL)
    assert table
    cells = [row.split(" | ")[0] for row in table[0].splitlines()[2:]]
    assert set(re.findall(r"`([\w-]+)`", "".join(cells))) == set(ACTION["inputs"])


def test_the_gitlab_job_writes_what_it_promises(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(hipport:.*?)```", DOCS, re.DOTALL)
    job = yaml.safe_load(text)["hipport"]
    install, *commands = job["script"]
    assert install == "pip install hipport"
    make_tree(tmp_path, {"src/a.cu": BAD})
    codes = [hipport(*shlex.split(each)[1:], cwd=tmp_path).code for each in commands]
    assert codes == [0, 1]
    reports = job["artifacts"]["reports"]
    assert ElementTree.parse(tmp_path / reports["junit"]).getroot().tag == "testsuites"
    issues = json.loads((tmp_path / reports["codequality"]).read_text())
    assert issues[0]["location"]["path"] == "src/a.cu"


@pytest.mark.parametrize("form", ["text", "json", "sarif", "gitlab", "junit"])
def test_output_is_the_same_with_any_number_of_processes(tmp_path: Path, form: str) -> None:
    make_tree(tmp_path, {f"src/{name}.cu": BAD for name in "bca"})
    command = ("audit", "report", "--format", form, "--fail-on", "never", "src")
    one, two = (hipport(*command, "--jobs", jobs, cwd=tmp_path) for jobs in ("1", "2"))
    seconds = re.compile(r'("seconds": |time=")[\d.e-]+')
    assert seconds.sub("", one.out) == seconds.sub("", two.out)


@pytest.mark.real
def test_the_action_installs_itself(tmp_path: Path) -> None:
    """In an environment of its own, with the command of the action."""
    make_environment(tmp_path / "venv", "pip")
    environment = {"HIPPORT_SOURCE": str(CHECKOUT), "PATH": f"{tmp_path}/venv/bin:/usr/bin:/bin"}
    script = step("Install hipport")["run"]
    passed = {key: os.environ[key] for key in os.environ if key.startswith(("PIP_", "HOME"))}
    subprocess.run(["bash", "-ec", script], env=passed | environment, cwd=tmp_path, check=True)
    version = [tmp_path / "venv/bin/hipport", "--version"]
    told = subprocess.check_output(version, cwd=tmp_path, text=True)
    assert told.startswith("hipport")
