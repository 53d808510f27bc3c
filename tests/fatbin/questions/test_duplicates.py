"""Copies of code objects, and what they take."""

from __future__ import annotations

from fuzz.small_elf import small_elf
from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.duplicates import duplicates


def binary(name: str, *contents: bytes) -> Binary:
    """A bundle with these entries in a row."""
    data = b"".join(contents)
    source = MemorySource(data, name)
    made, bundle = Binary(name, "bare", source), Bundle("offload bundle", source, len(data) + 7)
    places = [sum(map(len, contents[:index])) for index in range(len(contents))]
    bundle.entries = tuple(
        BundleEntry(bundle, index, "hip-amdgcn-amd-amdhsa--gfx90a", at, len(content))
        for index, (at, content) in enumerate(zip(places, contents, strict=True))
    )
    made.add(bundle)
    return made


def test_copies_are_counted_but_the_first_of_each() -> None:
    debug = small_elf({".debug_info": b"12", ".debug_str": b"345", ".text": b"6"})
    files = [binary("a", b"once", b"twice", b"", b"thrice"), binary("b", b"twice", b"thrice")]
    files += [binary("c", b"thrice", debug)]
    found = duplicates(files, Limits())
    assert {
        (places[0][1].size, *(name for name, _ in places)) for places in found.groups.values()
    } == {
        (5, "a", "b"),
        (6, "a", "b", "c"),
    }
    assert found.wasted == 5 + 2 * 6
    total = 4 + 5 + 6 + 5 + 6 + 6 + len(debug)
    assert (found.entries, found.size, found.uncompressed) == (7, total, total)
    assert (found.stored, found.debug) == (total + 3 * 7, 5)
    assert duplicates([], Limits()).wasted == 0
