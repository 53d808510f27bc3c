"""AArch64 host code: where it uses the runtime's functions, and what its instructions load.

Arm Architecture Reference Manual for A-profile, "A64 Base Instruction Descriptions"; every
instruction has four bytes. What is not in the list below loses the registers that it may write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hipport.fatbin.host.code_walk import ADDRESS, OTHER, Machine, State, Step, Value
from hipport.fatbin.host.host_image import HostImage

_ZERO_OR_SP = 31
_BTI_C = 0xD503245F
# AAPCS64, "General-purpose Registers": x19 to x29 survive a call.
_LOST = frozenset({*range(19), 30})
_LOOK_BACK = 64
_MAX_USES = 1 << 19


def stubs(image: HostImage) -> dict[int, str]:
    """Entries of the procedure linkage table: adrp x16, ldr x17, with or without bti before."""
    found: dict[int, str] = {}
    for at, base, code, name in _loads_of_slots(image):
        if _word(code, at) & 0x3FF == 0x211:  # ldr x17, [x16, ...]
            found[base + at - 4] = name
            if at >= 8 and _word(code, at - 8) == _BTI_C:
                found[base + at - 8] = name
    return found


def uses(image: HostImage, stubs: Mapping[int, str]) -> list[int]:
    """Addresses of calls of a stub, jumps to one, and loads of a runtime function's address."""
    found = [
        base + at
        for at, base, code, _ in _loads_of_slots(image)
        if _word(code, at) & 0x3FF != 0x211
    ]
    for base, code in image.code if stubs else ():
        for match in re.finditer(rb"[\x14-\x17\x94-\x97]", code):
            at = match.start() - 3
            if at < 0 or at & 3 or base + at + _signed(_word(code, at), 0, 26) * 4 not in stubs:
                continue
            found.append(base + at)
            if len(found) > _MAX_USES:
                raise image.source.fault(0, f"more than {_MAX_USES} registration calls")
    return sorted(found)


def _loads_of_slots(image: HostImage) -> Iterator[tuple[int, int, memoryview, str]]:
    """`ldr x, [x, #low 12 bits of a slot]` behind an adrp of the slot's page."""
    by_low: dict[int, list[int]] = {}
    for slot in image.slots:
        by_low.setdefault(slot & 0xFF8, []).append(slot)
    for base, code in image.code:
        for low, slots in by_low.items():
            number = low >> 3
            lowest = b"".join(b"\\x%02x" % (number << 2 & 0xFF | high) for high in range(4))
            pattern = re.compile(
                b"[" + lowest + b"]" + re.escape(bytes((0x40 | number >> 6, 0xF9)))
            )
            for match in pattern.finditer(code):
                at = match.start() - 1
                if at < 4 or at & 3:
                    continue
                page = _page_before(code, at, base)
                for slot in slots:
                    if page == slot & ~0xFFF:
                        yield at, base, code, image.slots[slot]


def _page_before(code: memoryview, at: int, base: int) -> int | None:
    """The value that the nearest adrp before gives the register that the ldr at `at` adds to."""
    register = _word(code, at) >> 5 & 31
    for before in range(at - 4, max(-4, at - 4 * _LOOK_BACK), -4):
        word = _word(code, before)
        if word & 0x9F00001F == 0x90000000 | register:
            return _page(word, base + before)
    return None


def step(code: bytes, at: int, address: int, state: State, slots: Mapping[int, str]) -> Step:
    """One instruction; see `Machine.step`."""
    if at + 4 > len(code):
        return Step(0)
    word = int.from_bytes(code[at : at + 4], "little")
    branch = _branch(word, address, state)
    if branch is not None:
        return branch
    register, source = word & 31, word >> 5 & 31
    value: Value | None = None
    if word & 0x9F000000 == 0x90000000:  # adrp
        value = _page(word, address)
    elif word & 0x9F000000 == 0x10000000:  # adr
        value = address + _immediate(word) & ADDRESS
    elif register == _ZERO_OR_SP and word & 0x3F000000 in (0x11000000, 0x12000000, 0x0B000000):
        _forget_frame(state)  # sp moves
    elif word & 0xFF800000 == 0x91000000:  # add with a number
        before = state.get(source)
        if isinstance(before, int):
            value = before + (word >> 10 & 0xFFF) * (4096 if word >> 22 & 1 else 1) & ADDRESS
    elif word & 0xFFE0FFE0 == 0xAA0003E0:  # mov of a register
        value = state.get(word >> 16 & 31)
    elif word & 0xFF800000 == 0xD2800000:  # movz
        value = (word >> 5 & 0xFFFF) << (word >> 17 & 48)
    elif word & 0xFF800000 == 0xF2800000:  # movk
        before, shift = state.get(register), word >> 17 & 48
        if isinstance(before, int):
            value = before & ~(0xFFFF << shift) & ADDRESS | (word >> 5 & 0xFFFF) << shift
    elif word & 0xFF000000 == 0x58000000:  # ldr of a literal
        value = slots.get(address + _signed(word, 5, 19) * 4, OTHER)
    elif word & 0x0A000000 == 0x08000000:
        if not word >> 22 & 1 and source != _ZERO_OR_SP and _is_function(state, word):
            return Step(4, calls=True)
        value = _memory(word, state, slots)
    elif word & 0xFFFFF01F == 0xD503201F:  # nop and other hints
        return Step(4)
    _set(state, register, value)
    return Step(4)


def _branch(word: int, address: int, state: State) -> Step | None:
    if word & 0x7C000000 == 0x14000000:  # b, bl
        target = address + _signed(word, 0, 26) * 4
        if word >> 31:
            return Step(4, calls=True, called=target)
        return Step(4, jump=target, goes_on=False)
    if word & 0xFE000000 == 0x54000000 or word & 0x7E000000 == 0x34000000:  # b.cond, cbz, cbnz
        return Step(4, jump=address + _signed(word, 5, 19) * 4)
    if word & 0x7E000000 == 0x36000000:  # tbz, tbnz
        return Step(4, jump=address + _signed(word, 5, 14) * 4)
    if word & 0xFE000000 == 0xD6000000:  # to the address in a register
        kind = word >> 21 & 15
        if kind & 7 == 2:  # ret
            return Step(4, goes_on=False)
        return Step(4, calls=True, called=state.get(word >> 5 & 31), goes_on=kind & 7 == 1)
    return None


def _memory(word: int, state: State, slots: Mapping[int, str]) -> Value | None:
    """A load or store: the value that it loads, where that is known."""
    source, register, second = word >> 5 & 31, word & 31, word >> 10 & 31
    if word & 0xFFC00000 in (0xF9400000, 0xF9000000):  # ldr, str of 64 bits at a displacement
        offset = (word >> 10 & 0xFFF) * 8
        is_load = bool(word >> 22 & 1)
        if source == _ZERO_OR_SP:
            if is_load:
                return state.get((source, offset))
            _set(state, (source, offset), state.get(register))
            return state.get(register)
        base = state.get(source)
        if is_load:
            return slots.get(base + offset & ADDRESS, OTHER) if isinstance(base, int) else None
        return state.get(register)
    if word & 0x3A000000 == 0x28000000:  # pairs
        _set(state, second, None)
    # At a displacement, one register or two; the other forms may change the base.
    base_stays = word & 0x3B000000 == 0x39000000 or word & 0x3B800000 == 0x29000000
    if not base_stays and source == _ZERO_OR_SP:
        _forget_frame(state)
    elif not base_stays:
        _set(state, source, None)
    elif source == _ZERO_OR_SP and not word >> 22 & 1:
        _overwrite(state, word)
    return None


def _overwrite(state: State, word: int) -> None:
    """Loses what a store on the stack writes over."""
    is_vector = word >> 26 & 1
    if word & 0x3B000000 == 0x39000000:
        scale = 4 if is_vector and word >> 23 & 1 else word >> 30
        offset, size = (word >> 10 & 0xFFF) << scale, 1 << scale
    else:
        scale = 2 + (word >> 30 if is_vector else word >> 31)
        offset, size = _signed(word, 15, 7) << scale, 2 << scale
    for key in [key for key in state if isinstance(key, tuple)]:
        if -8 < key[1] - offset < size:
            del state[key]


def _is_function(state: State, word: int) -> bool:
    """Whether a store may write the address of a runtime function."""
    stored = (state.get(word & 31), state.get(word >> 10 & 31))
    return any(value and isinstance(value, str) for value in stored)


def _forget_frame(state: State) -> None:
    for key in [key for key in state if isinstance(key, tuple)]:
        del state[key]


def _set(state: State, key: int | tuple[int, int], value: Value | None) -> None:
    if value is None or key == _ZERO_OR_SP:
        state.pop(key, None)
    else:
        state[key] = value


def _word(code: memoryview, at: int) -> int:
    return int.from_bytes(code[at : at + 4], "little")


def _signed(word: int, at: int, bits: int) -> int:
    value = word >> at & (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def _immediate(word: int) -> int:
    return _signed(word, 5, 19) << 2 | word >> 29 & 3


def _page(word: int, address: int) -> int:
    return (address & ~0xFFF) + (_immediate(word) << 12) & ADDRESS


MACHINE = Machine(step, _LOST, 0, (3, 2))
