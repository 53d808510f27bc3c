"""The names that code for AMD's GPUs uses in place of those for NVIDIA's: `HipStream`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping


def ported_names(name: str, parts: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The names with a part for AMD instead of each for NVIDIA; none of a name for no vendor.

    `parts` are those of rules/file_kinds.toml. A part in small letters ends where they do; one that
    begins with a capital may follow any small letter.
    """
    for part, ports in parts.items():
        before = "a-z" if part[0].islower() else "A-Z" if part[1].isupper() else ""
        # A word of capitals ends before the capital of the next word: CUDAGraph.
        after = "[A-Z](?![a-z])" if before == "A-Z" else f"[{before or 'a-z'}]"
        shape = (f"(?<![{before}])" if before else "") + f"{part}(?!{after})"
        if re.search(shape, name):
            yield from (re.sub(shape, port, name) for port in ports)
