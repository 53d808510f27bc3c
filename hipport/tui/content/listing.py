"""The Disassembly tab: instructions with their class, and the mix as bars."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from hipport.fatbin.object.disassembly import disassemble
from hipport.named_tuples import NamedTuple
from hipport.tui.content.kernel import find_kernel
from hipport.tui.facts import instructions
from hipport.tui.kernelrows import KernelRow
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope
from hipport.tui.spans import Line, bar, fact, heading, line, wrapped
from hipport.tui.view_settings import Settings

_MARKS = {"bad": "!", "warn": "~", "accent": "*"}
_BAR = 24
CHOOSE = "Choose a kernel, for instance with Enter in Kernels."


class Class(NamedTuple):
    """A class of instructions as instructions.toml describes it."""

    name: str
    say: str
    pattern: re.Pattern[str]
    line: re.Pattern[str] | None
    needs: str
    """Column of the kernel that must not be 0 for the class to apply."""
    kind: str


class Listing(NamedTuple):
    """Instructions as lines, below a heading."""

    lines: list[Line]
    text: str
    """The disassembly as the disassembler wrote it; empty without one."""


@cache
def classes() -> list[Class]:
    return [
        Class(
            row["name"],
            row["say"],
            re.compile(row["pattern"]),
            re.compile(row["line"]) if "line" in row else None,
            row.get("needs", ""),
            row["kind"],
        )
        for row in instructions()["class"]
    ]


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[Listing]:
    """The listing of the kernel; without one, what to do."""
    if scope.kernel is None:
        yield Listing([line((CHOOSE, "dim"))], "")
        return
    progress.report(0, 0, "disassembling")
    kernel = find_kernel(library, scope.kernel)
    found = disassemble(kernel.code_object, kernel.name, lambda: progress.cancelled)
    if not found.text:
        yield Listing(wrapped(f"No disassembly: {found.problem}", "bad"), "")
        return
    yield Listing(listing(found.text, found.by, scope.kernel), found.text)


def classify(instruction: str, row: KernelRow) -> Class:
    """The class of an instruction of that kernel."""
    for each in classes():
        if not each.pattern.match(instruction):
            continue
        if each.line is not None and not each.line.search(instruction):
            continue
        if not each.needs or getattr(row, each.needs):
            return each
    return classes()[-1]


def listing(text: str, by: str, row: KernelRow) -> list[Line]:
    """The mix of instructions, then the instructions one by one, marked."""
    counts: Counter[str] = Counter()
    kinds: dict[str, str] = {}
    body = []
    for source in text.splitlines():
        instruction, _, comment = source.strip().partition("//")
        instruction = instruction.strip().expandtabs(1)
        if not instruction:
            continue
        found = classify(instruction, row)
        counts[found.say] += 1
        kinds[found.say] = found.kind
        mnemonic, _, operands = instruction.partition(" ")
        address = comment.strip().partition(":")[0].partition(" ")[0].lstrip("0").lower() or "0"
        body.append(
            line(
                (f"{_MARKS.get(found.kind, ' ')} ", found.kind),
                (f"{address:>6}  ", "dim"),
                (f"{mnemonic:<26} ", found.kind),
                operands,
                (_target(found, address, operands), "label"),
            )
        )
    total = sum(counts.values()) or 1
    lines = [heading(f"{total} instructions, read by {by}")]
    for say, count in counts.most_common():
        share = f"{bar(count / total, _BAR)} {count:>6} {100 * count / total:>3.0f} %"
        lines.append(fact(f"  {say}", share, kinds[say], 24))
    legend = "! scratch and spills   ~ waits and barriers   * MFMA and WMMA"
    return [*lines, line((legend, "dim")), line(), *body]


def _target(found: Class, address: str, operands: str) -> str:
    """Where a branch goes: its operand counts words from the next instruction, signed 16 bits
    (LLVM, AMDGPU ISA, SOPP)."""
    if found.name != "branch" or not operands.isdigit():
        return ""
    words = int(operands)
    try:
        start = int(address, 16)
    except ValueError:
        return ""
    return f"  → {start + 4 + 4 * (words - (words >> 15 << 16)):x}"
