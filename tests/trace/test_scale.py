"""A trace of twice the launches and kernels takes twice the work, its report included."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from benchmarks.trace import KERNELS, mangled, source
from hipport.model import Report
from hipport.report.context import Context
from hipport.report.trace.json import write
from hipport.rulebook.load import load
from hipport.trace.binary_kernels import BinaryKernels
from hipport.trace.join import join
from hipport.trace.launch_findings import Thresholds, findings
from hipport.trace.model import BinaryKernel
from hipport.trace.source_tree import read_tree

RESOURCES: dict[str, int | None] = dict.fromkeys(
    ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill", "group"), 8
)


def traced(files: int) -> None:
    rules = load(is_audit=True)
    tree = read_tree([(f"{file}.hip", source(file).encode()) for file in range(files)], rules)
    binaries = BinaryKernels(targets={"gfx90a": None})
    for file in range(files):
        for number in range(KERNELS):
            for instance in range(8):
                name = mangled(file, number, instance)
                kernel = BinaryKernel(name, "gfx90a", "lib.so", 0, RESOURCES, None, True)
                binaries.named[name] = [kernel]
    trace = join(tree, binaries)
    assert len(trace.matches) == files * KERNELS
    report = Report("trace", [])
    report.findings = findings(trace, rules.findings, Thresholds())
    write(trace, report, io.StringIO(), Context(rules.findings))


def work(trace: Callable[[], None]) -> int:
    """How many instructions of the interpreter a trace takes."""
    number = 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal number
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        number += event == "opcode"
        return count

    sys.settrace(count)
    try:
        trace()
    finally:
        sys.settrace(None)
    return number


@pytest.mark.slow
def test_work_grows_with_the_launches() -> None:
    traced(1)  # What is read or compiled once.
    one, four = work(lambda: traced(1)), work(lambda: traced(4))
    assert four < 4.4 * one


@pytest.mark.slow
def test_launches_in_one_function_take_twice_the_work_for_twice_as_many() -> None:
    def trace_of(count: int) -> None:
        launches = "".join(f"k<<<1, {number}>>>(p);\n" for number in range(count))
        text = f"__global__ void k(int *p) {{}}\nvoid f(int *p) {{\n{launches}}}\n"
        read_tree([("a.hip", text.encode())], load(is_audit=True))

    trace_of(1)
    assert work(lambda: trace_of(400)) < 2.2 * work(lambda: trace_of(200))
