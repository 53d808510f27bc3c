"""Parses units in child processes, each with limits on time and memory.

libclang may crash on its input: the child dies, its unit is reported, and another takes over.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hipport.verification.model import CompilerError, Note, Parsed, Place, Skipped, Unit
from hipport.verification.parser_process import SECONDS, Child
from hipport.verification.toolchain import Toolchain


def parse(
    units: Sequence[Unit],
    toolchain: Toolchain,
    targets: Sequence[str],
    roots: Sequence[Path],
    *,
    jobs: int = 1,
    seconds: int = SECONDS,
) -> Iterator[Parsed]:
    """Every pass over every unit, in order: the host's, then that of each target.

    `roots` are the folders that hold the user's code, with absolute paths. C has no device pass.
    """
    passes = [
        (unit, target)
        for unit in units
        for target in ("", *targets)
        if not (target and unit.language != "hip")
    ]
    idle: queue.SimpleQueue[Child] = queue.SimpleQueue()
    children = [Child(toolchain.library, seconds) for _ in range(min(jobs, len(passes)))]
    for child in children:
        idle.put(child)
    prefixes = [f"{root}{os.sep}" if root.is_dir() else str(root) for root in roots]

    def one(work: tuple[Unit, str]) -> Parsed:
        unit, target = work
        child = idle.get()
        try:
            answer = child.ask(
                {
                    "path": str(unit.path),
                    "arguments": toolchain.arguments(unit, target),
                    "folder": str(unit.folder.absolute()),
                    "roots": prefixes,
                }
            )
        finally:
            idle.put(child)
        return _parsed(unit, target, answer)

    try:
        with ThreadPoolExecutor(max(len(children), 1)) as pool:
            yield from pool.map(one, passes)
    finally:
        for child in children:
            child.end()


def _parsed(unit: Unit, target: str, answer: dict[str, Any]) -> Parsed:
    if "errors" not in answer:
        return Parsed(unit, target, problem=str(answer.get("problem", "no answer")))
    return Parsed(
        unit,
        target,
        errors=[_error(each) for each in answer["errors"]],
        skipped=[Skipped(*each) for each in answer["skipped"]],
        included=answer["included"],
    )


def _error(row: dict[str, Any]) -> CompilerError:
    return CompilerError(
        place=Place(*row["place"]),
        message=row["message"],
        notes=tuple(Note(Place(*each[:3]), each[3]) for each in row["notes"]),
        related=tuple(Place(*each) for each in row["related"]),
    )
