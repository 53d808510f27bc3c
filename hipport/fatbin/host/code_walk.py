"""The values of registers at each call in a function, from one walk over its instructions.

Registration code runs from top to bottom, except for jumps forward over work already done, so the
values at a place are those on which all jumps to it and the instruction before it agree. After a
backward jump, nothing is known. A value that is not certain counts as unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hipport.named_tuples import NamedTuple

Value = int | str
"""A number, or the name of a runtime function where its address was loaded."""
Key = int | tuple[int, int]
"""A register, or a place on the stack: register and displacement."""
State = dict[Key, Value]
OTHER = ""
"""A value loaded from a fixed place where no relocation puts the address of a runtime function."""
ADDRESS = (1 << 64) - 1
# A state has some 30 registers and as many places on the stack; hostile code could have more of
# everything than fits into memory.
_MOST_KNOWN, _MOST_WAITING, _MOST_VISITS = 128, 1 << 12, 1 << 19


class Step(NamedTuple):
    """The effect of an instruction, apart from the change of state."""

    size: int
    """Its size in bytes; 0 for an unknown instruction, which ends the walk."""
    calls: bool = False
    """Calls something, or stores a runtime function's address where it can be called from."""
    called: Value | None = None
    jump: int | None = None
    goes_on: bool = True


class Visit(NamedTuple):
    """A call, or a jump out of the function."""

    site: int
    called: Value | None
    """None where it cannot be known."""
    state: State
    """The registers that it may change; arguments are among them."""


class Machine(NamedTuple):
    """A processor with its calling convention."""

    step: Callable[[bytes, int, int, State, Mapping[int, str]], Step]
    """Code, offset, address, state (which it changes) and slots of runtime functions."""
    lost: frozenset[Key]
    """Registers that a call may change."""
    first: int
    """Register of the first argument."""
    names: tuple[int, ...]
    """Registers of the fourth argument, the device's name, and of the third, which equals it."""


def walk(
    machine: Machine, body: bytes, start: int, slots: Mapping[int, str]
) -> tuple[list[Visit], bool]:
    """The calls of the function at `start`, and whether all of it could be decoded."""
    visits, complete, heads = _pass(machine, body, start, slots, set())
    if heads:
        visits, complete, _ = _pass(machine, body, start, slots, heads)
    return visits, complete


def _pass(
    machine: Machine, body: bytes, start: int, slots: Mapping[int, str], heads: set[int]
) -> tuple[list[Visit], bool, set[int]]:
    """One walk; also the places where nothing can be known, because jumps go back to them."""
    visits: list[Visit] = []
    back: set[int] = set()
    waiting: dict[int, State] = {}
    state: State | None = {}
    at = 0
    while at < len(body):
        here = start + at
        arriving = waiting.pop(here, None)
        if here in heads:
            state = {}
        elif arriving is not None:
            state = arriving if state is None else _agreed(state, arriving)
        elif state is None:
            state = {}
        step = machine.step(body, at, here, state, slots)
        if not step.size or len(visits) > _MOST_VISITS:
            return visits, False, back
        if len(state) > _MOST_KNOWN:
            state.clear()
        inside = step.jump is not None and start <= step.jump < start + len(body)
        if step.calls or (step.jump is not None and not inside):
            called = step.called if step.calls else step.jump
            given = {key: state[key] for key in machine.lost if key in state}
            visits.append(Visit(here, called, given))
        if step.calls:
            for key in machine.lost:
                state.pop(key, None)
        if inside and step.jump is not None:
            known = waiting.get(step.jump)
            if known is not None:
                waiting[step.jump] = _agreed(known, state)
            elif step.jump <= here or step.jump in heads or len(waiting) >= _MOST_WAITING:
                back.add(step.jump)
            else:
                waiting[step.jump] = dict(state)
        if not step.goes_on:
            state = None
        at += step.size
    return visits, True, back


def _agreed(one: State, other: State) -> State:
    return {key: value for key, value in one.items() if other.get(key) == value}
