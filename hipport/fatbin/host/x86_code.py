"""x86-64 host code that reaches the runtime's functions through registers, as in the large code
model and with -fno-plt: where it does, and what its instructions load.

System V psABI, "Large code model": addresses are numbers of 64 bits, or distances of 64 bits from
the global offset table, whose address a function calculates from its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hipport.fatbin.host.code_walk import ADDRESS, OTHER, Key, Machine, State, Step, Value
from hipport.fatbin.host.host_image import HostImage
from hipport.fatbin.host.x86_decode import GROUPS, Instruction, Memory, decode
from hipport.lazy_regex import regex

_AX, _CX, _DX, _BX, _SP, _BP, _SI, _DI = range(8)
# psABI, "Registers": rbx, rbp and r12 to r15 survive a call.
_LOST = frozenset({_AX, _CX, _DX, _SI, _DI, 8, 9, 10, 11})
# `lea r, [rip - 7]`, which gives its own address, and a movabs of the distance to the table. A
# search for a literal is many times as fast as one for a class of bytes before it.
_OWN_ADDRESS = regex(rb"\xf9\xff\xff\xff")
_LEA = regex(rb"[\x48\x4c]\x8d[\x05\x0d\x15\x1d\x25\x2d\x35\x3d]", re.S)
_MOVABS = regex(rb"[\x48\x49][\xb8-\xbf]", re.S)
# Opcodes whose registers are those of vectors, and those with operands that are not written down
# (mul, div, cmpxchg; so are those of all without ModRM).
_OF_VECTORS = frozenset(
    0x0F00 | op
    for op in (*range(0x10, 0x18), *range(0x28, 0x30), *range(0x51, 0x80), *range(0xC2, 0x100))
    if op not in (0x2C, 0x2D, 0x7E, 0xC3, 0xC5, 0xC7, *range(0xC8, 0xD0), 0xD7)
)
_UNWRITTEN = frozenset([0xF6, 0xF7, 0x90, *range(0x91, 0x98), 0x0FB0, 0x0FB1, 0x0FC7])
# push and pop, but for push of memory, which is one of a group; leave.
_PUSHES = frozenset([*range(0x50, 0x60), 0x68, 0x6A, 0x8F, 0x9C, 0x9D, 0xC9])
_MAX_USES = 1 << 19


def uses(image: HostImage, stubs: Iterable[int]) -> list[int]:
    """Addresses of the movabs instructions that load a stub, or the distance of a slot."""
    wanted = set() if image.moves else set(stubs)
    base = _table(image) if image.slots else None
    if base is not None:
        wanted |= {slot - base & ADDRESS for slot in image.slots}
    found: list[int] = []
    for number in sorted(wanted):
        pattern = re.compile(re.escape(number.to_bytes(8, "little")))
        for start, code in image.code:
            for match in pattern.finditer(code):
                if _MOVABS.match(code, max(0, match.start() - 2)):
                    found.append(start + match.start() - 2)
                    if len(found) > _MAX_USES:
                        raise image.source.fault(0, f"more than {_MAX_USES} registration calls")
    return found


def _table(image: HostImage) -> int | None:
    """The address of the global offset table, from the first function that calculates it."""
    for start, code in image.code:
        for match in _OWN_ADDRESS.finditer(code):
            at, number = match.start() - 3, match.end() + 2
            if at >= 0 and _LEA.match(code, at) and _MOVABS.match(code, match.end()):
                distance = int.from_bytes(code[number : number + 8], "little")
                return start + at + distance & ADDRESS
    return None


def step(code: bytes, at: int, address: int, state: State, slots: Mapping[int, str]) -> Step:
    """One instruction; see `Machine.step`."""
    one = decode(code, at)
    if one is None:
        return Step(0)
    following = address + one.size
    branch = _branch(one, following, state, slots)
    if branch is not None:
        return branch
    place = _place(one, following, state)
    stored = state.get(one.reg) if one.opcode == 0x89 and one.reg is not None else None
    if stored and isinstance(stored, str) and one.rm is None and not isinstance(place, tuple):
        return Step(one.size, calls=True)
    if not _compares(one):
        _change(one, place, state, slots)
    return Step(one.size)


def _branch(
    one: Instruction, following: int, state: State, slots: Mapping[int, str]
) -> Step | None:
    op, target = one.opcode, following + one.immediate
    if one.vector:
        return None
    if op == 0xE8:
        return Step(one.size, calls=True, called=target)
    if op in (0xE9, 0xEB):
        return Step(one.size, jump=target, goes_on=False)
    if 0x70 <= op < 0x80 or 0x0F80 <= op < 0x0F90 or 0xE0 <= op < 0xE4:
        return Step(one.size, jump=target)
    if op == 0xFF and one.reg in (2, 4):
        if one.rm is not None:
            called = state.get(one.rm)
        else:
            called = _loaded(_place(one, following, state), state, slots)
        return Step(one.size, calls=True, called=called, goes_on=one.reg == 2)
    if op in (0xC2, 0xC3, 0xCC, 0xF4, 0x0F0B):
        return Step(one.size, goes_on=False)
    return None


def _change(
    one: Instruction, place: int | Key | None, state: State, slots: Mapping[int, str]
) -> None:
    """The values that the instruction writes, if they are known."""
    op, reg, rm = one.opcode, one.reg, one.rm
    if op == 0x8D and reg is not None and not one.vector:  # lea
        _set(state, reg, place if isinstance(place, int) and one.wide else None)
    elif 0xB8 <= op < 0xC0 and reg is not None:  # mov of a number
        _set(state, reg, one.immediate & (ADDRESS if one.wide else 0xFFFFFFFF))
    elif op == 0xC7 and rm is not None and one.wide:
        _set(state, rm, one.immediate & ADDRESS)
    elif op == 0x8B and reg is not None and one.wide:
        _set(state, reg, _loaded(place, state, slots) if rm is None else state.get(rm))
    elif op == 0x89 and reg is not None and one.wide:
        if rm is not None:
            _set(state, rm, state.get(reg))
        elif isinstance(place, tuple):
            _set(state, place, state.get(reg))
    elif op in (0x01, 0x03) and rm is not None and reg is not None and one.wide:
        to, other = (rm, reg) if op == 0x01 else (reg, rm)
        _set(state, to, _sum(state.get(to), state.get(other)))
    elif op in (0x81, 0x83) and rm is not None and one.wide and one.reg in (0, 5):
        _set(state, rm, _sum(state.get(rm), one.immediate if one.reg == 0 else -one.immediate))
    elif not 0x50 <= op < 0x58:  # push
        _lose(one, place, state)
    moves = op in (0x03, 0x8B, 0x8D) and reg == _SP
    if rm == _SP or moves or op in _PUSHES or (op == 0xFF and reg == 6):
        _forget_frame(state, _SP)
    if _BP in (rm, reg):
        _forget_frame(state, _BP)


def _lose(one: Instruction, place: int | Key | None, state: State) -> None:
    """Everything that an instruction with these operands may write."""
    op = one.opcode
    if op not in _OF_VECTORS:
        for register in (None if op in GROUPS else one.reg, one.rm):
            if register is not None:
                _set(state, register, None)
                if 4 <= register < 8 and not op & 1:  # ah, ch, dh, bh
                    _set(state, register & 3, None)
    if (op in _UNWRITTEN or (one.reg is None and not one.vector)) and not 0x58 <= op < 0x60:
        for register in (_AX, _CX, _DX, _BX, _SI, _DI):
            _set(state, register, None)
    if isinstance(place, tuple) and one.vector:
        _forget_frame(state, place[0])  # Its displacement may be scaled.
    elif isinstance(place, tuple):
        for key in [key for key in state if isinstance(key, tuple) and key[0] == place[0]]:
            if -8 < key[1] - place[1] < 64:
                del state[key]


def _compares(one: Instruction) -> bool:
    """Whether the instruction writes nothing but flags, or nothing."""
    op = one.opcode
    if one.vector:
        return False
    return (
        0x38 <= op < 0x3E
        or op in (0x84, 0x85, 0xA8, 0xA9, 0x90)
        or (op in (0x80, 0x81, 0x83) and one.reg == 7)
        or (op in (0xF6, 0xF7) and one.reg in (0, 1))
        or 0x0F18 <= op < 0x0F20
    )


def _place(one: Instruction, following: int, state: State) -> int | tuple[int, int] | None:
    """The address of the memory operand; (register, displacement) in the frame; or None."""
    memory = one.memory
    if memory is None:
        return None
    if memory.relative:
        return following + memory.displacement & ADDRESS
    if memory.base in (_SP, _BP) and memory.scaled is None:
        return memory.base or 0, memory.displacement
    return _address(memory, state)


def _address(memory: Memory, state: State) -> int | None:
    base = 0 if memory.base is None else state.get(memory.base)
    index = 0 if memory.scaled is None else state.get(memory.scaled)
    if isinstance(base, int) and isinstance(index, int):
        return base + index * memory.scale + memory.displacement & ADDRESS
    return None


def _loaded(place: int | Key | None, state: State, slots: Mapping[int, str]) -> Value | None:
    if isinstance(place, tuple):
        return state.get(place)
    return None if place is None else slots.get(place, OTHER)


def _sum(one: Value | None, other: Value | None) -> int | None:
    if isinstance(one, int) and isinstance(other, int):
        return one + other & ADDRESS
    return None


def _set(state: State, key: Key, value: Value | None) -> None:
    if value is None or key == _SP:
        state.pop(key, None)
    else:
        state[key] = value


def _forget_frame(state: State, register: int) -> None:
    for key in [key for key in state if isinstance(key, tuple) and key[0] == register]:
        del state[key]


SYSTEM_V = Machine(step, _LOST, _DI, (_CX, _DX))
# Microsoft's convention, "Caller/callee saved registers": rsi and rdi survive too.
WINDOWS = Machine(step, _LOST - {_SI, _DI}, _CX, (9, 8))
