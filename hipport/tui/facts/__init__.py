"""Tables of facts that the views read: layouts of structures, bits of registers, instructions."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from hipport.named_tuples import NamedTuple


class Field(NamedTuple):
    """A field of a structure; offset and size in bytes."""

    offset: int
    size: int
    name: str
    form: str
    """How to show its value: hex, dec, text, or bytes."""


class Bits(NamedTuple):
    """Some bits of a register: `words` maps a value to its meaning, "*" any other."""

    register: str
    low: int
    width: int
    name: str
    processors: str
    """Regular expression that the processor's name matches."""
    words: dict[str, str]


def _rows(name: str) -> list[list[str]]:
    text = files(__name__).joinpath(name).read_text("utf-8")
    return [row.split("\t") for row in text.splitlines() if row and not row.startswith("#")]


@cache
def layouts() -> dict[str, list[Field]]:
    """Structure -> its fields in order."""
    found: dict[str, list[Field]] = {}
    for structure, offset, size, name, form in _rows("layouts.tsv"):
        found.setdefault(structure, []).append(Field(int(offset), int(size), name, form))
    return found


@cache
def descriptor_bits() -> list[Bits]:
    """The bits of the kernel descriptor's registers."""
    found = []
    for register, low, width, name, processors, words in _rows("descriptor.tsv"):
        pairs = dict(pair.split("=", 1) for pair in words.split("; ") if pair)
        found.append(Bits(register, int(low), int(width), name, processors, pairs))
    return found


@cache
def elf_names() -> dict[tuple[str, int], str]:
    """(Table, number) -> name, for the tables file, machine, abi, segment and section."""
    return {(table, int(number, 16)): name for table, number, name in _rows("elf.tsv")}


@cache
def instructions() -> dict[str, Any]:
    """The parsed instructions.toml."""
    return tomllib.loads(files(__name__).joinpath("instructions.toml").read_text("utf-8"))
