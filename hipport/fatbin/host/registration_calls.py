"""The search for registration calls in host code.

Clang emits, for each translation unit, a constructor that calls __hipRegisterFatBinary with the
address of its wrapper and then one call for each kernel and variable, in the same function or
in one that it calls. In x86-64 code the arguments are loaded just before each call with
`lea reg, [rip + d]`, so that a search byte by byte finds most of them. Functions that reach the
runtime through registers, and AArch64 code, are walked over instruction by instruction.
"""

from __future__ import annotations

import re

from hipport.fatbin.host import aarch64_code, x86_code
from hipport.fatbin.host.code_walk import Machine, State, walk
from hipport.fatbin.host.function_bounds import functions_of, loads_of_slots
from hipport.fatbin.host.host_image import FUNCTIONS, HostImage
from hipport.fatbin.host.x86_decode import displacement
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple

_JUMP_SLOT = regex(rb"\xff\x25(?=....)", re.S)
_CALL_SLOT = regex(rb"\xff\x15(?=....)", re.S)
# `mov r11, [rip + slot]` and a call or jump, lld's table with -z retpolineplt.
_RETPOLINE = regex(rb"\x4c\x8b\x1d(?=....[\xe8\xe9])", re.S)
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
    """One call of a registration function. `name` is None where it is not a constant."""

    site: int
    kind: str
    name: str | None
    wrapper: int | None
    """For __hipRegisterFatBinary: the wrapper's address."""


class Calls(NamedTuple):
    """What was found."""

    calls: list[Call]
    """Every registration call, by address."""
    links: list[tuple[int, int]]
    """Site and target of other calls that functions which were walked over make."""
    unread: int
    """Calls in those functions of what is not known."""


def find_calls(image: HostImage) -> Calls:
    """The registration calls of a file's host code."""
    if not image.slots and not image.stubs:
        return Calls([], [], 0)
    if image.aarch64:
        stubs = {**image.stubs, **aarch64_code.stubs(image)}
        return _walked(image, stubs, [], aarch64_code.uses(image, stubs))
    stubs = _stubs(image)
    calls = _searched(image, stubs)
    uses = x86_code.uses(image, stubs) + loads_of_slots(image, [call.site for call in calls])
    return _walked(image, stubs, calls, uses)


def _walked(image: HostImage, stubs: dict[int, str], calls: list[Call], uses: list[int]) -> Calls:
    """The calls of functions with these uses, in place of what the search found there."""
    if image.aarch64:
        machine = aarch64_code.MACHINE
    else:
        machine = x86_code.WINDOWS if image.windows else x86_code.SYSTEM_V
    links: list[tuple[int, int]] = []
    unread = 0
    for start, body in functions_of(image, uses):
        calls = [call for call in calls if not start <= call.site < start + len(body)]
        visits, complete = walk(machine, body, start, image.slots)
        unread += not complete
        for site, called, state in visits:
            name = stubs.get(called) if isinstance(called, int) else called
            if name:
                calls.append(_visited(image, machine, site, FUNCTIONS[name], state))
            elif called is None or _passes_function(machine, state):
                unread += 1
            elif isinstance(called, int):
                links.append((site, called))
    return Calls(sorted(calls, key=lambda call: call.site), links, unread)


def _passes_function(machine: Machine, state: State) -> bool:
    """Whether a call of something else is given a runtime function, as a thunk is, in a register
    that no value survives a call in."""
    return any(
        isinstance(value, str) and value for key, value in state.items() if key in machine.lost
    )


def _visited(image: HostImage, machine: Machine, site: int, kind: str, state: State) -> Call:
    if kind == "fatbin":
        wrapper = state.get(machine.first)
        return Call(site, kind, None, wrapper if isinstance(wrapper, int) else None)
    for register in machine.names:
        pointer = state.get(register)
        name = image.text(pointer) if isinstance(pointer, int) else None
        if name is not None:
            return Call(site, kind, name, None)
    return Call(site, kind, None, None)


def _stubs(image: HostImage) -> dict[int, str]:
    """What jumps to a slot, or loads it for the thunk of a retpoline."""
    stubs = dict(image.stubs)
    for base, code in image.code:
        for match in _JUMP_SLOT.finditer(code):
            at = match.start()
            slot = base + at + 6 + displacement(code, at + 2)
            if slot in image.slots and len(stubs) < _MAX_CALLS:
                # The stub starts at the jump, or at the endbr64 and bnd prefixes before it.
                for before in (0, 1, 4, 5):
                    stubs.setdefault(base + at - before, image.slots[slot])
        for match in _RETPOLINE.finditer(code):
            slot = base + match.start() + 7 + displacement(code, match.start() + 3)
            if slot in image.slots and len(stubs) < _MAX_CALLS:
                stubs.setdefault(base + match.start(), image.slots[slot])
    return stubs


def _searched(image: HostImage, stubs: dict[int, str]) -> list[Call]:
    sites: list[tuple[int, int, memoryview, str]] = []
    for base, code in image.code:
        sites += ((base + at, at, code, name) for at, name in _direct(base, code, stubs))
        for match in _CALL_SLOT.finditer(code):
            at = match.start()
            found = image.slots.get(base + at + 6 + displacement(code, at + 2))
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
        name = stubs.get(base + at + 5 + displacement(code, at + 1))
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
