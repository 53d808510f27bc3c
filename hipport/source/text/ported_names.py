"""The names that code for AMD's GPUs uses in place of those for NVIDIA's: `HipStream`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache


def ported_names(name: str, parts: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The names with a part for AMD instead of each for NVIDIA; none of a name for no vendor.

    `parts` are those of rules/file_kinds.toml. A part in small letters ends where they do; one that
    begins with a capital may follow any small letter.
    """
    any_part, shapes = _shapes(tuple(parts))
    if any_part.search(name):
        for part, shape in shapes.items():
            if shape.search(name):
                yield from (shape.sub(port, name) for port in parts[part])


@lru_cache(maxsize=4)
def _shapes(parts: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, re.Pattern[str]]]:
    """What any part looks like in a name, which most have none of, and what each does."""
    shapes = {part: _shape(part) for part in parts}
    every = re.compile("|".join(shapes.values()))
    return every, {part: re.compile(shape) for part, shape in shapes.items()}


def _shape(part: str) -> str:
    before = "a-z" if part[0].islower() else "A-Z" if part[1].isupper() else ""
    # A word of capitals ends before the capital of the next word: CUDAGraph.
    after = "[A-Z](?![a-z])" if before == "A-Z" else f"[{before or 'a-z'}]"
    return (f"(?<![{before}])" if before else "") + f"{part}(?!{after})"
