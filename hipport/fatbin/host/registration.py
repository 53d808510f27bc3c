"""What the host code registers with the HIP runtime, bundle by bundle.

Works on stripped files and on files without section headers: needs only the dynamic table and the
code. Where a form of registration cannot be read the result says so.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from hipport.fatbin.binary import Binary, Bundle
from hipport.fatbin.elf_file import ET_REL, Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.host.host_image import FUNCTIONS, HostImage
from hipport.fatbin.host.linked_elf import of_linked_elf
from hipport.fatbin.host.registration_calls import Call, Calls, find_calls
from hipport.fatbin.host.registration_groups import group
from hipport.fatbin.host.wrappers import count_wrappers, relocated
from hipport.fatbin.limits import Limits


class Registered(msgspec.Struct):
    """What is registered for one bundle."""

    wrapper: int
    """Address of the wrapper that was passed to __hipRegisterFatBinary."""
    bundle: Bundle | None
    calls: list[Call] = msgspec.field(default_factory=list)

    def names(self, kind: str = "kernel") -> list[str]:
        """The names of that kind in the order of their registration."""
        return [call.name for call in self.calls if call.kind == kind and call.name is not None]


class Registrations(msgspec.Struct):
    """The result for one binary."""

    groups: list[Registered] = msgspec.field(default_factory=list)
    unassigned: list[Call] = msgspec.field(default_factory=list)
    """Calls whose wrapper is not known."""
    problems: list[str] = msgspec.field(default_factory=list)
    """Why something could not be read, or is missing."""
    unread: list[str] = msgspec.field(default_factory=list)
    """The problems that hide content of the file, so that a check of names proves nothing."""

    def not_read(self, why: str) -> None:
        self.problems.append(why)
        self.unread.append(why)

    @property
    def readable(self) -> bool:
        """False if the absence of a name proves nothing."""
        return not self.problems

    def calls(self) -> list[Call]:
        return [call for found in self.groups for call in found.calls] + self.unassigned

    def names(self, kind: str = "kernel") -> set[str]:
        """All names of that kind."""
        return {call.name for call in self.calls() if call.kind == kind and call.name is not None}


def registrations(binary: Binary, limits: Limits) -> Registrations:
    """What the binary's host code registers; a binary without host code registers nothing."""
    result = Registrations()
    if not binary.bundles:
        return result
    try:
        if binary.elf is not None:
            _elf(binary, binary.elf, limits, result)
        elif binary.kind in ("PE image", "COFF object"):
            from hipport.fatbin.host.pe_host_image import of_pe

            _take(binary, of_pe(binary.source, limits), result)
        else:
            result.problems.append("no host code: kernels of a bare bundle are loaded by name")
    except FormatError as error:
        result.not_read(str(error))
    return result


def _elf(binary: Binary, elf: Elf, limits: Limits, result: Registrations) -> None:
    if elf.type == ET_REL:
        from hipport.fatbin.host.relocatable_elf import of_relocatable

        _take(binary, of_relocatable(elf, limits), result, elf)
        if any(bundle.format == "offload binary" for bundle in binary.bundles):
            result.problems.append("an object of the new driver: the link makes its registration")
        return
    _take(binary, of_linked_elf(elf), result, elf)


def _take(
    binary: Binary, image: HostImage | str, result: Registrations, elf: Elf | None = None
) -> None:
    if isinstance(image, str):
        result.not_read(image)
        return
    found = find_calls(image)
    groups, result.unassigned = group(image, found)
    pointers = _pointers(image, elf, list(groups))
    by_place = {bundle.place: bundle for bundle in binary.bundles}
    for wrapper, inside in groups.items():
        offset = image.offset_of(pointers.get(wrapper, 0))
        bundle = None if offset is None else by_place.get(binary.source.place(offset))
        result.groups.append(Registered(wrapper, bundle, inside))
    _read_table(image, elf, result)
    unread = sum(call.name is None for call in result.calls())
    if unread:
        result.not_read(f"{unread} registration calls whose name is not a constant")
    for problem in _missed(image, elf, found, result):
        result.not_read(problem)


def _missed(
    image: HostImage, elf: Elf | None, found: Calls, result: Registrations
) -> Iterator[str]:
    """What shows that there are more calls than were found: calls through thunks or of what is
    not known, a runtime that is linked into the file."""
    called = {call.kind for call in found.calls}
    for name in sorted({*image.slots.values(), *image.stubs.values()}):
        if FUNCTIONS[name] not in called:
            yield f"{name} is used in a way that is not read (thunks, registers)"
    if found.unread:
        yield f"{found.unread} calls through registers in registration code are not known"
    wrappers = count_wrappers(elf) if elf is not None else 0
    missing = wrappers - len(result.groups)
    if missing > 0:
        yield f"{missing} of {wrappers} wrappers are registered by calls that were not found"


def _read_table(image: HostImage, elf: Elf | None, result: Registrations) -> None:
    """The new driver's table, and the loop's calls without a name that it replaces."""
    if elf is None or elf.type == ET_REL:
        return
    from hipport.fatbin.host.offload_entries import of_elf

    records = of_elf(elf, image)
    if not records:
        return
    for found in result.groups:
        found.calls = [call for call in found.calls if call.name is not None]
    result.unassigned = [call for call in result.unassigned if call.name is not None]
    if len(result.groups) == 1:
        result.groups[0].calls += records
    else:
        result.unassigned += records


def _pointers(image: HostImage, elf: Elf | None, wrappers: list[int]) -> dict[int, int]:
    """Wrapper address -> address of its bundle."""
    addends = {}
    if elf is not None and elf.type != ET_REL:
        addends = relocated(elf, [w + 8 for w in wrappers])
    return {
        wrapper: addends.get(wrapper + 8)
        or int.from_bytes(image.read(wrapper + 8, 8).ljust(8, b"\0"), "little")
        for wrapper in wrappers
    }


class Comparison(msgspec.Struct):
    """One bundle and target: what is registered for the bundle and what its code object has."""

    bundle: int
    target: str
    both: int
    registered_only: list[str]
    present_only: list[str]


def compare(found: Registrations, present: list[tuple[int, str, set[str]]]) -> list[Comparison]:
    """Registration against code objects, given as (bundle, target, kernel names).

    A bundle without a wrapper that was found is compared with all names registered; without any
    registration there is nothing to compare.
    """
    if not found.calls():
        return []
    everything = found.names()
    by_bundle: dict[int, set[str]] = {}
    for registered in found.groups:
        if registered.bundle is not None:
            by_bundle.setdefault(registered.bundle.index, set()).update(registered.names())
    comparisons = []
    for bundle, target, names in present:
        known = by_bundle.get(bundle, everything & names)
        both, registered_only, present_only = known & names, known - names, names - known
        comparisons.append(
            Comparison(bundle, target, len(both), sorted(registered_only), sorted(present_only))
        )
    return comparisons
