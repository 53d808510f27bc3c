"""Tensile's index beside its code objects: the solutions for each processor.

A MessagePack map (ROCm/Tensile, Tensile/LibraryIO.py) with `solutions`, and with `library`, a tree
that chooses among them. A solution's `hardwarePredicate` names a processor; where it does not, and
in the tree of an index that only names others ("lazy"), the file's own name does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgpack

from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import Limits
from hipport.lazy_regex import regex

KIND = "Tensile index"
_LARGEST = 256 << 20
_ERRORS = (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException)
_PROCESSOR = regex(r"gfx[0-9][0-9a-f]*(?:-[0-9]+)*(?:-generic)?")
_MAX_VALUE = 1 << 20
"""Bytes of one solution and of the tree of an index without solutions: those of published
libraries take 8 KB and 20 KB."""


def described(source: Source, path: str, limits: Limits) -> str:
    """One line on what the index holds. Raises FormatError for one that is damaged."""
    if source.size > min(_LARGEST, limits.max_stream):
        return f"{KIND} of {source.size} bytes, which is too large to be read"
    try:
        processors, placeholders, count = _counted(source, limits)
    except _ERRORS as error:
        raise source.fault(0, f"damaged {KIND}: {str(error) or type(error).__name__}") from None
    in_name = _PROCESSOR.findall(re.split(r"[/!]", path)[-1])
    known = ", ".join(sorted(processors) or in_name[-1:]) or "any processor"
    if not count:
        return f"{KIND}: names {placeholders} other indexes for {known}"
    return f"{KIND}: {count} solutions for {known}"


def _counted(source: Source, limits: Limits) -> tuple[set[str], int, int]:
    """Processors, names of other indexes, and solutions. One solution is decoded at a time."""
    unpacker = msgpack.Unpacker(
        max_buffer_size=source.size or 1, strict_map_key=False, unicode_errors="backslashreplace"
    )
    unpacker.feed(source.view(0, source.size))
    keys = unpacker.read_map_header()
    found: Counter[str] = Counter()
    count = 0
    for _ in range(keys):
        key = unpacker.unpack()
        if key == "solutions":
            count = unpacker.read_array_header()
            if count > limits.max_kernels:
                raise ValueError(f"{count} solutions")
            for _ in range(count):
                found.update(_processors(_value(unpacker).get("hardwarePredicate")))
        elif key == "library" and not count:
            tree = _value(unpacker)
            found.update(_processors(tree))
            found[""] += sum(1 for each in _nodes(tree) if each.get("type") == "Placeholder")
        else:
            unpacker.skip()
    return {name for name in found if name}, found[""], count


def _value(unpacker: Any) -> dict[str, Any]:
    start = unpacker.tell()
    value = unpacker.unpack()
    if unpacker.tell() - start > _MAX_VALUE or not isinstance(value, dict):
        raise ValueError("no map where a solution or the tree has to be, or a very large one")
    return value


def _processors(tree: object) -> Iterator[str]:
    for each in _nodes(tree):
        value = each.get("value") if each.get("type") == "Processor" else None
        if isinstance(value, str) and _PROCESSOR.fullmatch(value):
            yield value


def _nodes(tree: object) -> Iterator[dict[Any, Any]]:
    """Every map in a tree."""
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
