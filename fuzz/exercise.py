"""Runs everything that reads over some bytes. Only HipportError may come out of it."""

from __future__ import annotations

import contextlib

from hipport.errors import HipportError
from hipport.fatbin.binary import Binary
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.checks import checks
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.occupancy import occupancy_of
from hipport.fatbin.questions.binary_survey import survey
from hipport.fatbin.questions.duplicates import duplicates
from hipport.fatbin.questions.kernel_tables import kernels
from hipport.fatbin.questions.served_devices import Groups, answers
from hipport.fatbin.reader import open_source
from hipport.fatbin.target_id import TargetId

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
    groups = Groups()
    groups.add(result)
    list(answers(groups.all, DEVICES))
    duplicates([binary], LIMITS)
    for fault in binary.all_faults():
        assert str(fault) and fault.offset >= 0
