"""The relocations that clang emits for AArch64 registration code, applied to its instructions.

ELF for the Arm 64-bit Architecture, "Relocation types".
"""

from __future__ import annotations

_ABS64 = 257
_LD_LITERAL, _ADR, _ADR_PAGE, _ADR_PAGE_NC, _ADD_LOW = 273, 274, 275, 276, 277
_JUMP26, _CALL26 = 282, 283
_LOAD_LOW = 286  # R_AARCH64_LDST64_ABS_LO12_NC
_GOT_PAGE, _GOT_LOW = 311, 312
# R_AARCH64_MOVW_UABS_G0 to G3, with and without a check for overflow.
_PART_OF_NUMBER = {263: 0, 264: 0, 265: 16, 266: 16, 267: 32, 268: 32, 269: 48}
VIA_GOT = (_GOT_PAGE, _GOT_LOW)


def size_of(kind: int) -> int:
    """Bytes that a relocation changes."""
    return 8 if kind == _ABS64 else 4


def applied(kind: int, field: int, place: int, value: int) -> int | None:
    """The field at address `place` with the symbol's value and addend in it; None for a type
    that registration code does not have."""
    if kind == _ABS64:
        return value
    if kind in _PART_OF_NUMBER:
        return _put(field, value >> _PART_OF_NUMBER[kind], 5, 16)
    if kind in (_JUMP26, _CALL26):
        return _put(field, value - place >> 2, 0, 26)
    if kind == _ADD_LOW:
        return _put(field, value, 10, 12)
    if kind in (_LOAD_LOW, _GOT_LOW):
        return _put(field, (value & 0xFFF) >> 3, 10, 12)
    if kind == _LD_LITERAL:
        return _put(field, value - place >> 2, 5, 19)
    if kind == _ADR:
        return _adr(field, value - place)
    if kind in (_ADR_PAGE, _ADR_PAGE_NC, _GOT_PAGE):
        return _adr(field, (value >> 12) - (place >> 12))
    return None


def _adr(word: int, distance: int) -> int:
    return _put(_put(word, distance, 29, 2), distance >> 2, 5, 19)


def _put(word: int, number: int, at: int, bits: int) -> int:
    mask = (1 << bits) - 1
    return word & ~(mask << at) | (number & mask) << at
