"""Walks over hostile code: what is known stays certain, and memory bounded."""

from __future__ import annotations

import tracemalloc

import pytest

from hipport.fatbin.host import aarch64_code, x86_code
from hipport.fatbin.host.code_walk import walk

X86, ARM = x86_code.SYSTEM_V, aarch64_code.MACHINE
LOAD_RCX, CALL = b"\x48\xb9" + b"\x11" * 8, b"\xe8" + bytes(4)
RCX = 1


def test_more_places_on_the_stack_than_any_function_has() -> None:
    stores = b"".join(b"\x48\x89\x8c\x24" + (8 * at).to_bytes(4, "little") for at in range(3000))
    tracemalloc.start()
    visits, complete = walk(X86, LOAD_RCX + stores + CALL * 5000, 0x1000, {})
    assert (len(visits), complete) == (5000, True)
    assert tracemalloc.get_traced_memory()[1] < 32 << 20
    tracemalloc.stop()


def test_more_jumps_than_are_kept_leave_nothing_known_behind_them() -> None:
    """Each goes to an instruction of its own; those that are not kept count as known nothing of."""
    count = 6000
    jumps = b"".join(
        b"\x0f\x84" + (6 * (count - at - 1) + 10 + at).to_bytes(4, "little") for at in range(count)
    )
    code = LOAD_RCX + jumps + b"\x48\xb9" + b"\x22" * 8 + b"\x90" * count + CALL
    ((_, _, state),) = walk(X86, code, 0x1000, {})[0]
    assert RCX not in state


def test_a_value_counts_where_all_jumps_agree_on_it() -> None:
    skip = b"\x74\x0a"  # je over a movabs
    other = b"\x48\xb9" + b"\x22" * 8
    for body, known in (
        (LOAD_RCX + skip + LOAD_RCX + CALL, True),
        (LOAD_RCX + skip + other + CALL, False),
        (skip + LOAD_RCX + CALL, False),
        (LOAD_RCX + b"\xeb\x0a" + other + CALL, False),  # something else may go there
        (LOAD_RCX + CALL + other + b"\xeb\xef", False),  # back to the call
    ):
        visits, complete = walk(X86, body, 0x1000, {})
        assert complete and (RCX in visits[0].state) == known, body.hex()


def test_calls_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hipport.fatbin.host.code_walk._MOST_VISITS", 1000)
    visits, complete = walk(ARM, b"\x00\x00\x00\x94" * 1009, 0x1000, {})
    assert len(visits) == 1001 and not complete
