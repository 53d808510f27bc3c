"""Which wrapper each registration call belongs to."""

from __future__ import annotations

from bisect import bisect_right

from hipport.fatbin.host.function_bounds import function_at
from hipport.fatbin.host.host_image import HostImage
from hipport.fatbin.host.registration_calls import Call, Calls
from hipport.fatbin.host.x86_decode import displacement


def group(image: HostImage, found: Calls) -> tuple[dict[int, list[Call]], list[Call]]:
    """Wrapper address -> the calls made for it, and the calls that belong to no wrapper known.

    Calls in the function that registers the wrapper are its own; those of another function are
    the wrapper's whose constructor calls that function.
    """
    by_function: dict[int, list[Call]] = {}
    for call in found.calls:
        by_function.setdefault(function_at(image, call.site), []).append(call)
    groups: dict[int, list[Call]] = {}
    owner: dict[int, int] = {}
    links: dict[int, list[tuple[int, int]]] = {}
    for site, target in found.links:
        if target in by_function:
            links.setdefault(function_at(image, site), []).append((site, target))
    for start, inside in by_function.items():
        if not any(call.kind == "fatbin" for call in inside):
            continue
        for call in inside:
            if call.kind == "fatbin" and call.wrapper is not None:
                groups.setdefault(call.wrapper, [])
        near = [] if image.aarch64 else _local_calls(image, start, by_function)
        for site, target in near + links.get(start, []):
            wrapper = _wrapper_before(inside, site)
            if wrapper is not None:
                owner[target] = wrapper
    unknown: list[Call] = []
    for start, inside in by_function.items():
        for call in inside:
            if call.kind == "fatbin":
                continue
            wrapper = _wrapper_before(inside, call.site)
            if wrapper is None:
                wrapper = owner.get(start)
            (unknown if wrapper is None else groups[wrapper]).append(call)
    return groups, unknown


def _wrapper_before(calls: list[Call], site: int) -> int | None:
    """The last wrapper registered before `site` in the same function."""
    before = [c.wrapper for c in calls if c.kind == "fatbin" and c.site <= site]
    return before[-1] if before else None


def _local_calls(
    image: HostImage, start: int, targets: dict[int, list[Call]]
) -> list[tuple[int, int]]:
    """(Site, target) of the `call rel32` in the function at `start` that reach a target."""
    index = bisect_right(image.starts, start)
    end = image.starts[index] if index < len(image.starts) else start + 65536
    found = []
    for base, code in image.code:
        if base <= start < base + len(code):
            body = bytes(code[start - base : min(end - base, len(code))])
            at = body.find(b"\xe8")
            while 0 <= at <= len(body) - 5:
                target = start + at + 5 + displacement(body, at + 1)
                if target in targets and target != start:
                    found.append((start + at, target))
                at = body.find(b"\xe8", at + 1)
    return found
