"""The kernels of binaries that sources may name: what they need, and what registers them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

import msgspec

from hipport.fatbin.binary import Binary
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import bare_cubin, nv_fatbin
from hipport.fatbin.host.registration import Registrations, registrations
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.code_object import Kernel
from hipport.fatbin.object.debug_sections import Budget, TooMuch
from hipport.fatbin.object.declared_lines import Declared, declared_lines, has_functions
from hipport.fatbin.object.demangle import demangle
from hipport.fatbin.object.metadata import Raw
from hipport.fatbin.object.occupancy import Needs, needs_of
from hipport.fatbin.questions.cubins import Cubin, CubinKernel, cubins
from hipport.fatbin.questions.kernel_tables import RESOURCES, KernelTable, kernel_tables
from hipport.fatbin.target_id import parse_target
from hipport.lazy_regex import regex
from hipport.trace.model import BinaryKernel

_DIGITS = regex(r"[0-9]+")
_OF_CUDA = (nv_fatbin.NAME, bare_cubin.NAME)
_MOST_DIGITS = 3
_NUMBERS = frozenset((int, type(None)))
_COLUMNS = {column: key for column, key in RESOURCES.items() if column != "name"}


class BinaryKernels(msgspec.Struct):
    """The kernels of all binaries that were read."""

    named: dict[str, list[BinaryKernel]] = msgspec.field(default_factory=dict)
    """Mangled name -> kernels, for names with an identifier that was asked for."""
    others: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Mangled name -> targets, for the rest."""
    targets: dict[str, None] = msgspec.field(default_factory=dict)
    """The targets that some code object for AMD GPUs is for, in order."""
    notes: list[str] = msgspec.field(default_factory=list)
    """Why registration or debug information could not be read."""
    debug: Budget | None = None
    """How much debug information may still be read."""

    def readable(self) -> dict[str, str]:
        """Mangled name -> readable name, for those that sources may name."""
        found = demangle_whole(self.named)
        return {name: found.get(name, name) for name in self.named}


def without_suffix(mangled: str) -> str:
    """`_Zk` of `_Zk.static.<hash>`: so clang names a kernel with internal linkage for -fgpu-rdc."""
    return mangled.partition(".")[0]


def demangle_whole(names: Iterable[str]) -> dict[str, str]:
    """Readable names; a suffix that a compiler adds to names of one file is left out."""
    every = list(names)
    suffixed = {name: without_suffix(name) for name in every if "." in name}
    found = demangle(suffixed.get(name, name) for name in every)
    found.update((name, found[bare]) for name, bare in suffixed.items() if bare in found)
    return {name: found[name] for name in every if name in found} if suffixed else found


def add_binary(
    found: BinaryKernels, binary: Binary, wanted: frozenset[str], limits: Limits
) -> None:
    """Add the kernels of a binary; damage is recorded in it."""
    is_ours = any(bundle.format not in _OF_CUDA for bundle in binary.bundles)
    host = registrations(binary, limits) if is_ours else Registrations()
    registered = host.names()
    is_read = host.readable and bool(host.groups)
    if is_ours and not host.readable:
        found.notes += [f"{binary.path}: {why}" for why in host.problems]
    for table in kernel_tables(binary, limits):
        found.targets.setdefault(table.target)
        knows = is_read and not table.entry.bundle.embedded
        _add_table(found, table, wanted, registered if knows else None, limits)
    for cubin in cubins(binary, limits):
        for each in cubin.kernels:
            if has_identifier(each.name, wanted):
                found.named.setdefault(each.name, []).append(_of_cubin(binary, cubin, each))
            else:
                _add_other(found, each.name, cubin.target)


def declared_kernels(
    found: BinaryKernels, binary: Binary, wanted: frozenset[str], limits: Limits
) -> None:
    """Add the kernels of a binary that have debug information, without what they need."""
    for table in kernel_tables(binary, limits):
        every = (record.get(".name") for record in table.records)
        names = [n for n in every if isinstance(n, str) and has_identifier(n, wanted)]
        path, bundle = binary.path, table.entry.bundle.index
        for name, place in _declared(found, table, names, limits).items():
            kernel = BinaryKernel(name, table.target, path, bundle, {}, None, None, place)
            found.named.setdefault(name, []).append(kernel)


def _add_table(
    found: BinaryKernels,
    table: KernelTable,
    wanted: frozenset[str],
    registered: Collection[str] | None,
    limits: Limits,
) -> None:
    named: list[tuple[str, Raw]] = []
    for record in table.records:
        name = record.get(".name")
        if not isinstance(name, str):
            continue
        if has_identifier(name, wanted):
            named.append((name, record))
        else:
            _add_other(found, name, table.target)
    lines = _declared(found, table, [name for name, _ in named], limits)
    resources = _Resources(table)
    path, bundle = table.binary.path, table.entry.bundle.index
    for name, record in named:
        is_registered = None if registered is None else name in registered
        counts, needs = resources.of(record)
        kernel = BinaryKernel(
            name, table.target, path, bundle, counts, needs, is_registered, lines.get(name)
        )
        found.named.setdefault(name, []).append(kernel)


def _declared(
    found: BinaryKernels, table: KernelTable, names: Collection[str], limits: Limits
) -> Mapping[str, Declared]:
    """Where the kernels of a code object are declared; damage is recorded with its bundle."""
    if table.code_object is None or not names or not has_functions(table.code_object.elf):
        return {}
    bare = Counter(map(without_suffix, names))
    found.debug = found.debug or Budget(limits)
    try:
        lines = declared_lines(table.code_object.elf, {*names, *bare}, limits, found.debug)
    except TooMuch as error:
        found.notes.append(str(error))
        return {}
    except FormatError as error:
        table.entry.bundle.record(error)
        return {}
    # A link adds a suffix to the symbol of a function that only its file sees, but not to its name.
    found_bare = {name: without_suffix(name) for name in names if bare[without_suffix(name)] == 1}
    return {**{n: lines[b] for n, b in found_bare.items() if b in lines}, **lines}


def _add_other(found: BinaryKernels, name: str, target: str) -> None:
    seen = found.others.get(name, ())
    if target not in seen:
        found.others[name] = (*seen, target)


def _of_cubin(binary: Binary, cubin: Cubin, kernel: CubinKernel) -> BinaryKernel:
    """A kernel for NVIDIA's GPUs: its numbers are in the columns closest in meaning."""
    resources: dict[str, int | None] = {
        **dict.fromkeys(_COLUMNS),
        "vgpr": kernel.registers,
        "lds": kernel.shared,
        "scratch": kernel.stack,
        "group": kernel.threads,
    }
    index = cubin.entry.bundle.index
    return BinaryKernel(kernel.name, cubin.target, binary.path, index, resources, None, None)


class _Resources:
    """What the kernels of one code object need; those that need the same share an object."""

    def __init__(self, table: KernelTable) -> None:
        self._code_object = table.code_object
        self._processor = parse_target(table.target).processor
        self._counts: dict[tuple[int | None, ...], dict[str, int | None]] = {}
        self._needs: dict[object, Needs | None] = {}

    def of(self, record: Raw) -> tuple[dict[str, int | None], Needs | None]:
        """By the columns of `hipport fatbin kernels`, and for the occupancy."""
        values = tuple(map(record.get, _COLUMNS.values()))
        if not _NUMBERS.issuperset(map(type, values)):
            values = tuple(value if type(value) is int else None for value in values)
        counts = self._counts.get(values)
        if counts is None:
            counts = self._counts[values] = dict(zip(_COLUMNS, values, strict=True))
        if self._code_object is None:
            return counts, None
        kernel = Kernel(self._code_object, record)
        blocks = (found.vgpr_blocks, found.sgpr_blocks) if (found := kernel.descriptor) else None
        shape = (values, blocks, kernel.workgroup_processor_mode)
        if shape not in self._needs:
            self._needs[shape] = needs_of(kernel, self._processor)
        return counts, self._needs[shape]


def has_identifier(mangled: str, wanted: frozenset[str]) -> bool:
    """Whether a mangled name may have one of these identifiers in it; never False if it has.

    Each identifier follows its length (Itanium C++ ABI, 5.1.2 "<source-name>"); the number may
    follow another digit.
    """
    # Instances of a template begin with the same name, up to the I of the arguments.
    return _has_identifier(mangled.partition("I")[0], wanted) or _is_named(mangled, wanted)


def _is_named(mangled: str, wanted: frozenset[str]) -> bool:
    if mangled in wanted or ("." in mangled and without_suffix(mangled) in wanted):
        return True
    for match in _DIGITS.finditer(mangled):
        digits, end = match[0], match.end()
        for length in range(1, min(len(digits), _MOST_DIGITS) + 1):
            if mangled[end : end + int(digits[-length:])] in wanted:
                return True
    return False


_has_identifier = lru_cache(maxsize=1 << 16)(_is_named)
