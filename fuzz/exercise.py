"""Runs everything that reads over some bytes. Only HipportError may come out of it."""

from __future__ import annotations

import contextlib

from hipport.errors import HipportError
from hipport.fatbin.checks import checks
from hipport.fatbin.dedupe import duplicates
from hipport.fatbin.faults import Limits
from hipport.fatbin.inventory import kernels
from hipport.fatbin.model import Binary
from hipport.fatbin.occupancy import occupancy_of
from hipport.fatbin.reader import open_source
from hipport.fatbin.requirements import answers
from hipport.fatbin.source import MemorySource
from hipport.fatbin.survey import survey
from hipport.fatbin.target import TargetId

LIMITS = Limits(max_size=8 << 20)
DEVICES = [TargetId("gfx90a"), TargetId("gfx942", xnack=True)]


def exercise(data: bytes) -> list[Binary]:
    """Read `data` as a file of any kind, all the way down; gives what was found."""
    found: list[Binary] = []
    with contextlib.suppress(HipportError):
        for binary in open_source(MemorySource(data, "input"), "input", LIMITS):
            found.append(binary)
            read(binary)
    return found


def read(binary: Binary) -> None:
    """Everything that any subcommand reads of a binary."""
    for _, kernel in kernels(binary, LIMITS):
        with contextlib.suppress(HipportError):
            _ = kernel.arguments, kernel.descriptor, occupancy_of(kernel, "gfx90a")
    for bundle in binary.bundles:
        with contextlib.suppress(HipportError):
            for _ in bundle.pieces():
                pass
    result = survey(binary, LIMITS)
    for check in checks().values():
        with contextlib.suppress(HipportError):
            list(check.find(result))
    list(answers([binary], DEVICES))
    duplicates([binary], LIMITS)
    for fault in binary.all_faults():
        assert str(fault) and fault.offset >= 0
