"""Where the functions of host code begin and end, and which of them load a runtime function."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from hipport.fatbin.host.host_image import HostImage
from hipport.fatbin.host.x86_decode import displacement
from hipport.lazy_regex import regex

_LOAD_SLOT = regex(rb"[\x48\x4c]\x8b[\x05\x0d\x15\x1d\x25\x2d\x35\x3d](?=....)", re.S)
_DIRECT_CALL = regex(rb"\xe8(?=....)", re.S)
_REGION = 1 << 16
_MAX_REGIONS = 1 << 14
_MAX_WALKED = 16 << 20
# Without a table of functions: how much code before a use, and between two, belongs to it.
_BEFORE, _BETWEEN = 1 << 10, 1 << 12


def function_at(image: HostImage, address: int) -> int:
    """The start of the function that holds an address; 0 if that is not known."""
    index = bisect_right(image.starts, address)
    return image.starts[index - 1] if index else 0


def functions_of(image: HostImage, uses: list[int]) -> Iterator[tuple[int, bytes]]:
    """Start and code of each function that holds one of these addresses. Without a table of
    functions only AArch64 code, where an instruction may start at every fourth byte, is given."""
    left = _MAX_WALKED
    areas = _known(image, uses) if image.starts else _runs(uses) if image.aarch64 else []
    for start, end in areas:
        for base, code in image.code:
            if base < end and start < base + len(code):
                start = max(start, base)
                body = bytes(code[start - base : end - base])
                left -= len(body)
                if left < 0:
                    raise image.source.fault(0, f"more than {_MAX_WALKED} bytes register kernels")
                yield start, body
                break


def _known(image: HostImage, uses: list[int]) -> list[tuple[int, int]]:
    found = {}
    for use in uses:
        index = bisect_right(image.starts, use)
        if index:
            last = index == len(image.starts)
            found[image.starts[index - 1]] = 1 << 64 if last else image.starts[index]
    return sorted(found.items())


def _runs(uses: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for use in sorted(uses):
        if runs and use - runs[-1][1] < _BETWEEN:
            runs[-1] = runs[-1][0], use + 4
        else:
            runs.append((use - _BEFORE, use + 4))
    return runs


def loads_of_slots(image: HostImage, sites: list[int]) -> list[int]:
    """Where a runtime function is loaded into a register in the functions with these calls, or
    in those that they call: `mov r14, [rip + slot]`, as with -fno-plt."""
    starts = {function_at(image, site) for site in sites}
    regions = {start: _region(image, start) for start in starts}
    for start in starts:
        body = regions[start]
        for match in _DIRECT_CALL.finditer(body):
            target = start + match.start() + 5 + displacement(body, match.start() + 1)
            if target not in regions and len(regions) < _MAX_REGIONS:
                regions[target] = _region(image, target)
    return [
        start + match.start()
        for start, body in regions.items()
        for match in _LOAD_SLOT.finditer(body)
        if start + match.start() + 7 + displacement(body, match.start() + 3) in image.slots
    ]


def _region(image: HostImage, start: int) -> bytes:
    """The bytes of the function at `start`, as far as they are known."""
    index = bisect_right(image.starts, start)
    end = image.starts[index] if index < len(image.starts) else start + _REGION
    for base, code in image.code:
        if base <= start < base + len(code):
            return bytes(code[start - base : min(end - base, start - base + _REGION)])
    return b""
