"""The kernels of a bundle as small records that keep none of the bundle's bytes in memory."""

from __future__ import annotations

from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.code_object import Kernel
from hipport.fatbin.object.occupancy import occupancy_of
from hipport.fatbin.questions.kernel_tables import kernel_tables
from hipport.named_tuples import NamedTuple

RESOURCES = ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill", "waves", "code")
UNKNOWN = -1


class KernelRow(NamedTuple):
    """A kernel for one target. Sizes are in bytes, waves per SIMD; UNKNOWN where not known."""

    binary: Binary
    entry: BundleEntry
    target: str
    name: str
    vgpr: int
    agpr: int
    sgpr: int
    lds: int
    scratch: int
    vspill: int
    sspill: int
    waves: int
    code: int

    @property
    def spills(self) -> int:
        return self.vspill + self.sspill


def part(binary: Binary, bundle: Bundle) -> Binary:
    """The binary with only that bundle, for functions that take whole binaries."""
    alone = Binary(binary.path, binary.kind, binary.source)
    alone.bundles = [bundle]
    return alone


def read_rows(binary: Binary, bundle: Bundle, limits: Limits) -> list[KernelRow]:
    """The kernels of every code object of a bundle; damage becomes its faults."""
    rows = []
    for table in kernel_tables(part(binary, bundle), limits):
        if table.code_object is None:
            continue
        for record in table.records:
            try:
                kernel = Kernel(table.code_object, record)
                rows.append(_row(binary, table.entry, table.target, kernel))
            except FormatError as error:
                bundle.record(error)
                break  # symbols that cannot be read: true of every kernel of this code object
    return rows


def _row(binary: Binary, entry: BundleEntry, target: str, kernel: Kernel) -> KernelRow:
    code_object = kernel.code_object
    found = occupancy_of(kernel, code_object.target.processor)
    symbol = code_object.symbols.get(kernel.name)
    return KernelRow(
        binary,
        entry,
        target,
        kernel.name,
        kernel.vgprs,
        kernel.agprs,
        kernel.sgprs,
        kernel.lds,
        kernel.scratch,
        kernel.vgpr_spills,
        kernel.sgpr_spills,
        found.waves if found is not None else UNKNOWN,
        symbol[2] if symbol is not None else UNKNOWN,
    )
