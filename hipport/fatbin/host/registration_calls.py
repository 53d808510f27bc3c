"""The search for registration calls in x86-64 host code, byte by byte.

Clang emits, for each translation unit, a constructor that calls __hipRegisterFatBinary with the
address of its wrapper and then one call for each kernel and variable, in the same function or
in one that it calls. The arguments are loaded just before each call with `lea reg, [rip + d]`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from hipport.fatbin.host.host_image import FUNCTIONS, HostImage

_JUMP_SLOT = re.compile(rb"\xff\x25(?=....)", re.S)
_CALL_SLOT = re.compile(rb"\xff\x15(?=....)", re.S)
_DIRECT_CALL = re.compile(rb"\xe8(?=....)", re.S)
_LOAD_SLOT = re.compile(rb"[\x48\x4c]\x8b[\x05\x0d\x15\x1d\x25\x2d\x35\x3d](?=....)", re.S)
_REGION = 1 << 16
_MAX_REGIONS = 1 << 14
_LOOK_BACK = 96
_MAX_CALLS = 1 << 19
# Register of the argument -> how its address is loaded: lea with a displacement, or, in code
# that is not position independent, mov with a 32-bit number.
Forms = tuple[tuple[bytes, bool], ...]
_SYSV_NAME = ((b"\x48\x8d\x0d", True), (b"\x48\x8d\x15", True), (b"\xb9", False), (b"\xba", False))
_SYSV_FIRST = ((b"\x48\x8d\x3d", True), (b"\xbf", False))
_WINDOWS_NAME = ((b"\x4c\x8d\x0d", True), (b"\x4c\x8d\x05", True))
_WINDOWS_FIRST = ((b"\x48\x8d\x0d", True),)


class Call(NamedTuple):
    """One call of a registration function. `name` is None where it is no constant."""

    site: int
    kind: str
    name: str | None
    wrapper: int | None
    """For __hipRegisterFatBinary: the wrapper's address."""


def find_calls(image: HostImage) -> list[Call]:
    """Every registration call, by address."""
    if not image.slots and not image.stubs:
        return []
    stubs = dict(image.stubs)
    for base, code in image.code:
        for match in _JUMP_SLOT.finditer(code):
            at = match.start()
            slot = base + at + 6 + _signed(code, at + 2)
            if slot in image.slots and len(stubs) < _MAX_CALLS:
                # The stub starts at the jump, or at the endbr64 and bnd prefixes before it.
                for before in (0, 1, 4, 5):
                    stubs.setdefault(base + at - before, image.slots[slot])
    sites: list[tuple[int, int, memoryview, str]] = []
    for base, code in image.code:
        sites += ((base + at, at, code, name) for at, name in _direct(base, code, stubs))
        for match in _CALL_SLOT.finditer(code):
            at = match.start()
            found = image.slots.get(base + at + 6 + _signed(code, at + 2))
            if found is not None and len(sites) <= _MAX_CALLS:
                sites.append((base + at, at, code, found))
    if len(sites) > _MAX_CALLS:
        raise image.source.fault(0, f"more than {_MAX_CALLS} registration calls")
    sites.sort(key=lambda site: site[0])
    calls = []
    before = 0
    for site, at, code, function in sites:
        start = max(0, at - _LOOK_BACK, at - (site - before) + 5)
        window = bytes(code[start:at])
        calls.append(_call(image, site, window, site - len(window), FUNCTIONS[function]))
        before = site
    return calls


def _direct(base: int, code: memoryview, stubs: dict[int, str]) -> list[tuple[int, str]]:
    """`call rel32` to a stub. Only displacements whose high byte can reach one are looked at."""
    if not stubs:
        return []
    low, high = min(stubs), max(stubs)
    first, last = (low - base - len(code)) >> 24, (high - base) >> 24
    if last - first >= 255:
        wanted = b"."
    else:
        wanted = (
            b"[" + b"".join(b"\\x%02x" % (byte & 255) for byte in range(first, last + 1)) + b"]"
        )
    pattern = re.compile(rb"\xe8(?=..." + wanted + rb")", re.S)
    found = []
    for match in pattern.finditer(code):
        at = match.start()
        name = stubs.get(base + at + 5 + _signed(code, at + 1))
        if name is not None:
            found.append((at, name))
            if len(found) > _MAX_CALLS:
                break
    return found


def _call(image: HostImage, site: int, window: bytes, address: int, kind: str) -> Call:
    if kind == "fatbin":
        first: Forms = _WINDOWS_FIRST if image.windows else _SYSV_FIRST
        return Call(site, kind, None, _argument(window, address, first))
    names: Forms = _WINDOWS_NAME if image.windows else _SYSV_NAME
    for name_form in names:
        pointer = _argument(window, address, (name_form,))
        name = image.text(pointer) if pointer is not None else None
        if name is not None:
            return Call(site, kind, name, None)
    return Call(site, kind, None, None)


def _argument(window: bytes, address: int, forms: Forms) -> int | None:
    """The address that the last of these instructions in the window loads."""
    for opcode, relative in forms:
        at = window.rfind(opcode)
        end = at + len(opcode) + 4
        if at >= 0 and end <= len(window):
            value = int.from_bytes(window[end - 4 : end], "little", signed=relative)
            return address + end + value if relative else value
    return None


def _signed(code: memoryview, at: int) -> int:
    return int.from_bytes(code[at : at + 4], "little", signed=True)


def group(image: HostImage, calls: list[Call]) -> tuple[dict[int, list[Call]], list[Call]]:
    """Wrapper address -> the calls made for it, and the calls that belong to no wrapper known.

    Calls in the function that registers the wrapper are its own; those of another function are
    the wrapper's whose constructor calls that function.
    """
    by_function: dict[int, list[Call]] = {}
    for call in calls:
        by_function.setdefault(_function(image.starts, call.site), []).append(call)
    groups: dict[int, list[Call]] = {}
    owner: dict[int, int] = {}
    for start, inside in by_function.items():
        if not any(call.kind == "fatbin" for call in inside):
            continue
        for call in inside:
            if call.kind == "fatbin" and call.wrapper is not None:
                groups.setdefault(call.wrapper, [])
        for site, target in _local_calls(image, start, by_function):
            wrapper = _wrapper_before(inside, site)
            if wrapper is not None:
                owner[target] = wrapper
    unknown: list[Call] = []
    for start, inside in by_function.items():
        for call in inside:
            if call.kind == "fatbin":
                continue
            wrapper = _wrapper_before(inside, call.site)
            if wrapper is None:
                wrapper = owner.get(start)
            (unknown if wrapper is None else groups[wrapper]).append(call)
    return groups, unknown


def _function(starts: list[int], site: int) -> int:
    index = bisect_right(starts, site)
    return starts[index - 1] if index else 0


def _wrapper_before(calls: list[Call], site: int) -> int | None:
    """The wrapper registered last before `site` in the same function."""
    before = [c.wrapper for c in calls if c.kind == "fatbin" and c.site <= site]
    return before[-1] if before else None


def _local_calls(
    image: HostImage, start: int, targets: dict[int, list[Call]]
) -> list[tuple[int, int]]:
    """(Site, target) of the `call rel32` in the function at `start` that reach a target."""
    index = bisect_right(image.starts, start)
    end = image.starts[index] if index < len(image.starts) else start + 65536
    found = []
    for base, code in image.code:
        if base <= start < base + len(code):
            body = bytes(code[start - base : min(end - base, len(code))])
            at = body.find(b"\xe8")
            while 0 <= at <= len(body) - 5:
                target = (
                    start + at + 5 + int.from_bytes(body[at + 1 : at + 5], "little", signed=True)
                )
                if target in targets and target != start:
                    found.append((start + at, target))
                at = body.find(b"\xe8", at + 1)
    return found


def through_registers(image: HostImage, calls: list[Call]) -> int:
    """How many of the runtime's functions are loaded into a register in a function that
    registers something, or that it calls: `mov r14, [rip + slot]`, as with -fno-plt."""
    starts = {_function(image.starts, call.site) for call in calls}
    regions = {start: _region(image, start) for start in starts}
    for start in starts:
        base, body = regions[start]
        for match in _DIRECT_CALL.finditer(body):
            target = base + match.start() + 5 + _signed(memoryview(body), match.start() + 1)
            if target not in regions and len(regions) < _MAX_REGIONS:
                regions[target] = _region(image, target)
    found = 0
    for base, body in regions.values():
        for match in _LOAD_SLOT.finditer(body):
            at = match.start()
            found += base + at + 7 + _signed(memoryview(body), at + 3) in image.slots
    return found


def _region(image: HostImage, start: int) -> tuple[int, bytes]:
    """The bytes of the function at `start`, as far as that is known."""
    index = bisect_right(image.starts, start)
    end = image.starts[index] if index < len(image.starts) else start + _REGION
    for base, code in image.code:
        if base <= start < base + len(code):
            return start, bytes(code[start - base : min(end - base, start - base + _REGION)])
    return start, b""
