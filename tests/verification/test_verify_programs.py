"""All programs of fixtures/cuda: what verify says is what hipcc says, by expected.toml."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hipport
from tests.support.cuda_programs import FOLDER, Program, programs, table
from tests.support.folders import CHECKOUT

pytestmark = [pytest.mark.toolchain, pytest.mark.slow, pytest.mark.long]

REJECTS = "the compiler rejects this: "
# Where the header of MPI is: pkg-config tells hipcc, which expected.toml's `packages` are for.
MPI = "/usr/lib/x86_64-linux-gnu/mpich/include"


# Where hipcc's clang 15 guesses what an unknown name was meant to be, it goes on to complain about
# the guess; the libclang of the Python package (18) does not guess there.
GUESSED = {
    "graph_update": {
        "member reference base type 'hipGraphExecUpdateResult' is not a structure or union",
        "use of undeclared identifier 'cudaGraphExecUpdate'",
    },
    "recent_api": {
        "no matching function for call to 'hipOccupancyMaxPotentialBlockSizeWithFlags'",
    },
    "warp_intrinsics": {"too few arguments to function call, expected at least 1, have 0"},
}


class Verified:
    """All programs, converted for the HIP of the table and verified with the default libclang."""

    def __init__(self, work: Path) -> None:
        output, rocm = work / "cuda", table()["rocm"]
        command = ["convert", FOLDER, "-o", output, "--rocm", rocm, "--fail-on", "never"]
        assert hipport(*command, cwd=CHECKOUT).code == 0
        report = work / "report.json"
        options = ["--rocm-path", "/usr", "--targets", ",".join(table()["targets"]), f"-I{MPI}"]
        made = ["--original", FOLDER, "--format", "json", "-o", report, output]
        ran = hipport("verify", "--jobs", "2", *options, *made, cwd=FOLDER, timeout=1200)
        assert ran.code == 1, ran.err
        content = json.loads(report.read_text("utf-8"))
        self.statuses: dict[str, set[str]] = defaultdict(set)
        self.findings: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for file in content["files"]:
            self.statuses[file["path"].partition("/")[0]].add(file["status"])
        for each in content["findings"]:
            self.findings[each["path"].partition("/")[0]].append(each)

    def errors(self, program: Program) -> set[str]:
        """The compiler's messages, without its guesses at what was meant, which vary."""
        told = (f["message"] for f in self.findings[program.name] if f["code"] < "HP-VER-003")
        return {_plain(each.removeprefix(REJECTS).partition("; ")[0]) for each in told}


def _plain(message: str) -> str:
    return message.partition("; did you mean")[0]


def _told(verified: Verified, program: Program) -> object:
    """What verify says of a program where that is not what hipcc says; else nothing."""
    findings, statuses = verified.findings[program.name], verified.statuses[program.name]
    if program.compiles:
        return findings or statuses - {"verified"}
    if program.needs:
        symbols, messages = ([each[key] for each in findings] for key in ("symbol", "message"))
        absent = f"'{program.needs}' file not found"
        is_told = program.needs in symbols or any(absent in each for each in messages)
        return None if is_told else findings
    expected = {_plain(each) for each in program.errors} - GUESSED.get(program.name, set())
    return verified.errors(program) ^ expected


def test_verify_agrees_with_hipcc(tmp_path: Path) -> None:
    """Of all programs in one test, as one run of verify has them all.

    And no error of the compiler is on a line, or in a statement, that nothing had reported.
    """
    verified = Verified(tmp_path)
    told = {program.name: _told(verified, program) for program in programs().values()}
    assert verified.statuses.keys() >= {each.name for each in programs().values() if each.compiles}
    assert {name: each for name, each in told.items() if each} == {}
    silent = {
        (name, each["line"], each["message"])
        for name, findings in verified.findings.items()
        for each in findings
        if each["code"] == "HP-VER-002"
    }
    assert silent == set()
