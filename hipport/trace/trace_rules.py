"""The facts in rules/trace.toml about launches and about names in binaries."""

from __future__ import annotations

from functools import cache

import msgspec

from hipport.rulebook.load import load
from hipport.rulebook.typed import read_toml, typed


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function that launches a kernel or asks about one: the places of its arguments."""

    kernel: int | None = None
    handle: int | None = None
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    lds: int | None = None
    stream: int | None = None
    arguments: int | None = None
    configuration: int | None = None
    work_items: bool = False
    is_query: bool = False


class Lookup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function that gives a handle for the kernel of a name."""

    handle: int
    name: int


class CudaCommands(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to recognize a command that compiles CUDA."""

    programs: tuple[str, ...]
    words: tuple[str, ...]
    languages: tuple[str, ...]


class TraceRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """rules/trace.toml."""

    configuration: dict[str, str]
    lookups: dict[str, Lookup]
    cuda_commands: CudaCommands
    calls: dict[str, Call]
    types: dict[str, str]
    sizes: dict[str, int]


@cache
def trace_rules() -> TraceRules:
    """The file, read once; raises RuleError where it is malformed."""
    path = load().folder / "trace.toml"
    return typed(read_toml(path, "rules/trace.toml"), TraceRules, "rules/trace.toml")
