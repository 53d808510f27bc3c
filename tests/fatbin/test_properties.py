"""Properties that hold for any input."""

from __future__ import annotations

import hashlib
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.exercise import exercise
from hipport.fatbin.byte_source import MemorySource, Window
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import compressed_bundle, offload_bundle
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.demangle import demangle
from hipport.fatbin.object.occupancy import Needs, occupancy
from hipport.fatbin.processors import processors, runs_on
from hipport.fatbin.target_id import TargetId, parse_entry_id, parse_target
from hipport.fatbin.writing.bundling import write_compressed, write_plain
from hipport.fatbin.writing.safe_files import safe_name
from tests.support.binaries import BINARY

IDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60)
IMAGES = st.lists(st.tuples(IDS, st.binary(max_size=300)), min_size=1, max_size=6)
FEATURE = st.sampled_from([None, True, False])
TARGETS = st.builds(TargetId, st.sampled_from(sorted(processors())), FEATURE, FEATURE)
SEEDS = [
    (BINARY / name).read_bytes()
    for name in (
        "bundles/plain.hipfb",
        "bundles/v2-zlib.hipfb",
        "bundles/v3.hipfb",
        "bundles/text.ll",
        "code-objects/v2-gfx906.co",
        "code-objects/v6-gfx1201.co",
        "handmade/zstd.kpack",
        "handmade/offload-binary-2.bin",
        "archive/libkernels.a",
        "elf-compressed/libcompressed.so",
        "elf-rdc/librdc.so",
        "object-rdc/kernels-15.o",
    )
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A sound file with a few bytes changed, cut out or put in."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        width = draw(st.sampled_from([0, 1, 2, 4, 8, 64]))
        data[at : at + width] = draw(st.binary(max_size=9))
    return bytes(data)


@given(IMAGES, st.sampled_from([1, 8, 4096]))
def test_what_is_bundled_is_read_back(images: list[tuple[str, bytes]], align: int) -> None:
    out = io.BytesIO()
    write_plain([(i, MemorySource(content, i)) for i, content in images], out, align)
    bundle = offload_bundle.read(MemorySource(out.getvalue(), "bundle"), Limits())
    assert [(e.id, e.source().read(0, e.size)) for e in bundle.entries] == images
    assert all(e.offset % align == 0 for e in bundle.entries)
    twice = len({i for i, _ in images}) < len(images)
    assert bool(bundle.faults) == twice


@given(IMAGES, st.sampled_from([2, 3]), st.binary(max_size=50))
def test_compression_changes_nothing(
    images: list[tuple[str, bytes]], version: int, behind: bytes
) -> None:
    sources = [(i, MemorySource(content, i)) for i, content in images]
    plain, packed = io.BytesIO(), io.BytesIO()
    write_plain(sources, plain)
    write_compressed(sources, packed, version=version)
    source = MemorySource(packed.getvalue() + behind, "bundle")
    bundle = compressed_bundle.read(source, Limits())
    assert bundle.size == len(packed.getvalue())
    payload = b"".join(bundle.pieces())
    assert payload == plain.getvalue()
    digest = int.from_bytes(hashlib.md5(payload).digest()[:8], "little")
    assert compressed_bundle.read_header(source).hash == digest


@settings(max_examples=400, deadline=None)
@given(damaged())
def test_damage_raises_nothing_else_than_our_errors(data: bytes) -> None:
    exercise(data)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([b"", b"CCOB", b"\x7fELF\x02\x01", b"!<arch>\n", b"KPAK", b"MZ"]), st.binary()
)
def test_noise_raises_nothing_else_than_our_errors(start: bytes, noise: bytes) -> None:
    exercise(start + noise)


@given(st.binary(max_size=40), st.integers(-5, 60), st.integers(-5, 60))
def test_a_source_gives_what_was_asked_for_or_an_error(data: bytes, at: int, size: int) -> None:
    for source in (MemorySource(data, "x"), Window(MemorySource(b"12" + data, "x"), 2, len(data))):
        try:
            found = source.read(at, size)
        except FormatError:
            assert at < 0 or size < 0 or at + size > len(data)
        else:
            assert found == data[at : at + size] and len(found) == size


@given(TARGETS)
def test_target_ids_survive_writing(target: TargetId) -> None:
    assert parse_target(str(target)) == target
    assert parse_entry_id(f"hipv4-amdgcn-amd-amdhsa--{target}").target == target


@given(TARGETS, TARGETS)
def test_code_for_a_device_runs_on_it_and_open_code_wherever_fixed_code_does(
    code: TargetId, device: TargetId
) -> None:
    assert runs_on(device, device)
    if runs_on(code, device):
        assert runs_on(TargetId(code.processor), device)


@given(st.text())
def test_safe_names_stay_in_their_folder(text: str) -> None:
    name = safe_name(text)
    assert name and "/" not in name and "\\" not in name and not name.startswith(".")
    assert len(name) <= 120 and name.isascii() and name.isprintable()


@given(
    st.sampled_from(sorted(processors())),
    st.integers(0, 512),
    st.integers(0, 1 << 18),
    st.integers(1, 1024),
)
def test_more_registers_never_give_more_waves(
    processor: str, vgprs: int, lds: int, size: int
) -> None:
    for wave in (32, 64):
        less = occupancy(processor, Needs(vgprs, 16, lds, wave, size))
        more = occupancy(processor, Needs(vgprs + 1, 16, lds + 1, wave, size))
        if less is not None and more is not None:
            assert 0 <= more.waves <= less.waves <= less.most


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=20))
def test_demangling_answers_only_what_was_asked(names: list[str]) -> None:
    assert demangle(["_Z1fv", *names]).keys() <= {"_Z1fv", *names}
