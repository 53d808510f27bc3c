"""The images of a bundle, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.entry_stream import images_of
from hipport.fatbin.format_error import FormatError

DATA = bytes(range(100))
PLACES = ((3, 10), (13, 0), (13, 30), (60, 40))


def entries_of(bundle: Bundle, places: tuple[tuple[int, int], ...]) -> list[BundleEntry]:
    return [BundleEntry(bundle, at, f"e{at}", *place) for at, place in enumerate(places)]


def packed(data: bytes, size: int) -> tuple[Bundle, list[bytes]]:
    """A bundle that is decompressed in pieces of a size, and those that were taken."""
    taken: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        for at in range(0, len(data), size):
            taken.append(data[at : at + size])
            yield taken[-1]

    return Bundle("compressed bundle", MemorySource(b"?" * 9, "a"), 9, stream=pieces), taken


@pytest.mark.parametrize("size", [1, 7, 13, 60, 100])
def test_each_image_has_its_bytes_and_its_place(size: int) -> None:
    bundle, taken = packed(DATA + b"behind", size)
    found = []
    for entry, source in images_of(bundle, entries_of(bundle, PLACES)):
        content = source.read(0, source.size)
        found.append((entry.id, content, str(source.fault(0, "x"))))
    assert found == [
        (f"e{at}", DATA[start : start + length], f"a[0x0, decompressed]: offset {start:#x}: x")
        for at, (start, length) in enumerate(PLACES)
    ]
    assert b"".join(taken) == DATA + b"behind"


@pytest.mark.parametrize("places", [((13, 30), (3, 10)), ((3, 10), (12, 30))])
def test_images_in_any_order_are_read_too(places: tuple[tuple[int, int], ...]) -> None:
    bundle, taken = packed(DATA, 7)
    found = [
        (each.id, source.read(0, source.size))
        for each, source in images_of(bundle, entries_of(bundle, places))
    ]
    assert found == [(f"e{at}", DATA[a : a + size]) for at, (a, size) in enumerate(places)]
    assert b"".join(taken) == DATA


def test_a_bundle_that_ends_too_early() -> None:
    bundle, _ = packed(DATA[:70], 7)
    images = images_of(bundle, entries_of(bundle, PLACES))
    assert [next(images)[0].id for _ in range(3)] == ["e0", "e1", "e2"]
    with pytest.raises(FormatError) as error:
        next(images)
    assert str(error.value) == "a: offset 0x0: the decompressed bundle ends at 0x46"


def test_an_image_outside_of_its_bundle_is_left_out() -> None:
    bundle = Bundle("offload bundle", MemorySource(DATA, "a"), 100)
    found = list(images_of(bundle, entries_of(bundle, ((0, 4), (90, 11), (90, 10)))))
    assert [(each.id, source.read(0, source.size)) for each, source in found] == [
        ("e0", DATA[:4]),
        ("e2", DATA[90:]),
    ]
    assert [str(fault) for fault in bundle.faults] == [
        "a: offset 0x5a: 11 bytes at 0x5a reach past the end (0x64)"
    ]
