"""A container with one bad field: the exact fault, and nothing said of the field at its bound."""

from __future__ import annotations

import lzma
import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import msgpack
import pytest

from fuzz.small_elf import small_elf
from hipport.fatbin.binary import Bundle
from hipport.fatbin.byte_source import MemorySource, Source
from hipport.fatbin.elf_file import Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import aotriton, kpack, nv_fatbin, offload_binary
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.notes import notes

Read = Callable[[Source, Limits], Bundle]


class Case(NamedTuple):
    data: bytes
    said: str
    """What is raised; or what is read, with the faults."""
    limits: Limits = Limits()


def told(read: Read, case: Case) -> str:
    try:
        bundle = read(MemorySource(case.data, "a"), case.limits)
    except FormatError as error:
        return str(error)
    entries = [f"{one.id} {one.image_kind} {one.offset:#x}+{one.size}" for one in bundle.entries]
    return "; ".join([f"{bundle.size} bytes", *entries, *map(str, bundle.faults)])


def nvidia(*images: bytes, header: int = 16, size: int | None = None) -> bytes:
    inside = b"".join(images)
    size = len(inside) if size is None else size
    return struct.pack("<4sHHQ", nv_fatbin.MAGIC, 1, header, size) + inside


def image(kind: int = 2, header: int = 64, size: int = 8, flags: int = 0, room: int = 8) -> bytes:
    row = struct.pack("<HHIQIIHHI8xQ8xQ", kind, 257, header, size, 0, 0, 0, 0, 80, flags, 0)
    return row + bytes(room)


SM80 = "cuda-nvptx64-nvidia-cuda--sm_80"
NVIDIA = [
    Case(nvidia(), "16 bytes"),
    Case(nvidia(image()), f"88 bytes; {SM80} cubin 0x50+8"),
    Case(nvidia(image(kind=1), image(3)), f"160 bytes; {SM80} ptx 0x50+8; {SM80} kind3 0x98+8"),
    Case(nvidia(image(flags=1 << 13)), f"88 bytes; {SM80} cubin (compressed) 0x50+8"),
    Case(nvidia(image(flags=1 << 15)), f"88 bytes; {SM80} cubin (compressed) 0x50+8"),
    Case(nvidia(image(flags=1 << 14)), f"88 bytes; {SM80} cubin 0x50+8"),
    Case(nvidia(image(header=72, size=0)), f"88 bytes; {SM80} cubin 0x58+0"),
    Case(
        nvidia(image(header=73, size=0)),
        "88 bytes; a: offset 0x10: image 0 reaches past the end",
    ),
    Case(nvidia(image(header=63)), "88 bytes; a: offset 0x10: image 0 reaches past the end"),
    Case(nvidia(image(size=9)), "88 bytes; a: offset 0x10: image 0 reaches past the end"),
    Case(
        nvidia(image(), image(size=9)),
        f"160 bytes; {SM80} cubin 0x50+8; a: offset 0x58: image 1 reaches past the end",
    ),
    Case(nvidia(image(), bytes(63)), f"151 bytes; {SM80} cubin 0x50+8"),
    Case(nvidia(image(), size=72) + bytes(4), f"88 bytes; {SM80} cubin 0x50+8"),
    Case(nvidia(image(), size=73), "a: offset 0x8: size 0x49 is wrong: 0x58 bytes are there"),
    Case(nvidia(header=15), "a: offset 0x8: size 0x0 is wrong: 0x10 bytes are there"),
    Case(
        nvidia(image(), image(), image()),
        f"232 bytes; {SM80} cubin 0x50+8; {SM80} cubin 0x98+8; "
        "a: offset 0xa0: more than 2 images; the rest is not read",
        Limits(max_entries=2),
    ),
    Case(
        nvidia(image(), image()),
        f"160 bytes; {SM80} cubin 0x50+8; {SM80} cubin 0x98+8",
        Limits(max_entries=2),
    ),
]


def offload(
    version: int = 2,
    size: int = 152,
    at: int = 32,
    number: int = 1,
    entry: tuple[int, ...] = (1, 4, 0, 72, 2, 144, 8),
) -> bytes:
    """One entry at 32, two pairs of places at 72, their texts at 120, an image at 144."""
    texts = b"triple\0arch\0amd\0gfx90a\0"
    place = 120
    rows = [place, place + 12, 4, place + 7, place + 16, 7]
    if version == 1:
        rows, number = [place, place + 12, place + 7, place + 16], 40
    head = struct.pack("<4sIQQQ", offload_binary.MAGIC, version, size, at, number)
    pairs = struct.pack(f"<{len(rows)}Q", *rows).ljust(48, b"\0")
    return head + struct.pack("<HHIQQQQ", *entry) + pairs + texts.ljust(24, b"\0") + b"contents"


SOUND = "152 bytes; hip-amd-gfx90a object 0x90+8"
OFFLOAD = [
    Case(offload(), SOUND),
    Case(offload(version=1), SOUND),
    Case(
        offload(version=3),
        "a: offset 0x20: a compressed offload binary (version 3) cannot be read yet",
    ),
    Case(offload(version=0), "a: offset 0x4: offload binary of unknown version 0 (known: 1, 2, 3)"),
    Case(offload(version=4), "a: offset 0x4: offload binary of unknown version 4 (known: 1, 2, 3)"),
    Case(offload(size=153), "a: offset 0x8: size 0x99 is wrong: 0x98 bytes are there"),
    Case(offload(size=31), "a: offset 0x8: size 0x1f is wrong: 0x98 bytes are there"),
    Case(offload(size=32), "a: offset 0x10: 1 entries at 0x20 reach past the end"),
    Case(offload(size=71), "a: offset 0x10: 1 entries at 0x20 reach past the end"),
    Case(offload(number=0), "152 bytes"),
    Case(offload(number=4), "a: offset 0x10: 4 entries at 0x20 reach past the end"),
    Case(offload(number=3), "a: offset 0x18: 3 entries; the limit is 2", Limits(max_entries=2)),
    Case(offload(), SOUND, Limits(max_entries=1)),
    Case(
        offload(entry=(1, 4, 0, 72, 2, 145, 8)),
        "152 bytes; hip-amd-gfx90a object 0x0+0; "
        "a: offset 0x20: entry 'hip-amd-gfx90a' reaches past the end",
    ),
    Case(offload(entry=(6, 1, 0, 72, 2, 144, 7)), "152 bytes; openmp-amd-gfx90a spirv 0x90+7"),
    Case(offload(entry=(7, 3, 0, 72, 2, 144, 8)), "152 bytes; 3-amd-gfx90a 7 0x90+8"),
    Case(offload(entry=(0, 2, 0, 72, 1, 144, 8)), "152 bytes; cuda-amd none 0x90+8"),
    Case(offload(entry=(1, 8, 0, 72, 0, 144, 8)), "152 bytes; sycl- object 0x90+8"),
    Case(
        offload(entry=(1, 4, 0, 72, 4, 144, 8)),
        "152 bytes; hip- object 0x90+8; a: offset 0x28: a string table with 4 entries",
    ),
    Case(
        offload(entry=(1, 4, 0, 72, 257, 144, 8)),
        "152 bytes; hip- object 0x90+8; a: offset 0x28: a string table with 257 entries",
    ),
    Case(
        offload(entry=(1, 4, 0, 105, 2, 144, 8)),
        "152 bytes; hip- object 0x90+8; a: offset 0x28: a string table with 2 entries",
    ),
]


def archive(table: dict[str, Any], blobs: bytes = b"contents", at: int | None = None) -> bytes:
    place = 16 + len(blobs) if at is None else at
    packed = cast("bytes", msgpack.packb(table))
    return struct.pack("<4sIQ", kpack.MAGIC, 1, place) + blobs + packed


def plain(offset: object = 16, size: object = 8, ordinal: object = 0) -> dict[str, Any]:
    return {
        "blobs": [{"offset": offset, "size": size}],
        "toc": {"lib.so": {"gfx90a": {"ordinal": ordinal}}},
    }


def framed(size: int, original: object = 3, ordinal: int = 0) -> dict[str, Any]:
    item = {"ordinal": ordinal, "original_size": original, "type": "co"}
    return {
        "compression_scheme": "zstd-per-kernel",
        "zstd_offset": 16,
        "zstd_size": size,
        "toc": {"lib.so": {"gfx90a": item}},
    }


TWO = struct.pack("<II3sI1s", 2, 3, b"one", 1, b"t")
NOT_SO = "a: offset 0x18: the table is not as described: "
GFX90A = "hip-amdgcn-amd-amdhsa--gfx90a"
KPACK = [
    Case(archive(plain()), f"77 bytes; {GFX90A} hsaco of lib.so 0x10+8"),
    Case(archive(plain(size=61)), f"77 bytes; {GFX90A} hsaco of lib.so 0x10+61"),
    Case(archive(plain(size=62)), "a: offset 0x10: 62 bytes at 0x10 reach past the end (0x4d)"),
    Case(archive(plain(size=-1)), f"{NOT_SO}ValueError('-1 is not a size')"),
    Case(archive(plain(size="8")), f"{NOT_SO}ValueError(\"'8' is not a size\")"),
    Case(archive(plain(size=0)), f"77 bytes; {GFX90A} hsaco of lib.so 0x10+0"),
    Case(archive(plain(ordinal=1)), f"{NOT_SO}IndexError('list index out of range')"),
    Case(archive(plain(ordinal=-1)), f"{NOT_SO}ValueError('-1 is not a size')"),
    Case(archive({"blobs": []}), f"{NOT_SO}KeyError('toc')"),
    Case(archive(plain(), at=15), "a: offset 0x8: the table's offset 0xf lies outside the archive"),
    Case(
        archive(plain(), at=77), "a: offset 0x8: the table's offset 0x4d lies outside the archive"
    ),
    Case(
        archive(plain()), "a: offset 0x8: a table of 53 bytes; the limit is 52", Limits(max_note=52)
    ),
    Case(archive(plain()), f"77 bytes; {GFX90A} hsaco of lib.so 0x10+8", Limits(max_note=53)),
    Case(
        archive(plain()),
        f"{NOT_SO}ValueError('more than 0 entries')",
        Limits(max_entries=0),
    ),
    Case(archive(framed(16), TWO), f"145 bytes; {GFX90A} co of lib.so 0x18+3"),
    Case(archive(framed(16, ordinal=1), TWO), f"145 bytes; {GFX90A} co of lib.so 0x1f+3"),
    Case(archive(framed(14), TWO), "a: offset 0x1b: 2 frames do not fit into the blob area"),
    Case(archive(framed(15), TWO), "a: offset 0x1b: 2 frames do not fit into the blob area"),
]


OBJECT = small_elf({".text": b"1234"})
ROW = struct.Struct("<IIIII")


def kernel(name: bytes, offset: int = 0, size: int = len(OBJECT), length: int = 0) -> bytes:
    return ROW.pack(0, 256, offset, size, length or len(name)) + name


def triton(
    *rows: bytes, size: int | None = None, count: int | None = None, directory: int | None = None
) -> bytes:
    inside = b"".join(rows)
    content = inside + OBJECT
    fields = (
        len(content) if size is None else size,
        len(rows) if count is None else count,
        len(inside) if directory is None else directory,
    )
    return struct.pack("<4sIII", aotriton.MAGIC, *fields) + lzma.compress(content)


ONE, SIZE = kernel(b"one\0"), len(OBJECT)
NONE = kernel(b"no", size=0)
ID, ITS = "hip-amdgcn-amd-amdhsa--mach0x00", "a[0x0, decompressed]: offset"


def read_triton(data: bytes, *said: str, limits: Limits | None = None) -> Case:
    """A case in which the archive is read: its size is that of what xz made."""
    return Case(data, "; ".join([f"{len(data)} bytes", *said]), limits or Limits())


TRITON = [
    read_triton(triton(ONE), f"{ID} one 0x18+{SIZE}"),
    read_triton(triton(ONE), f"{ID} one 0x18+{SIZE}", limits=Limits(max_size=SIZE + 24)),
    Case(
        triton(ONE),
        f"a: offset 0x4: says it decompresses to {SIZE + 24} bytes; the limit is {SIZE + 23} "
        "(if the file is trusted, raise the limit with --max-size)",
        Limits(max_size=SIZE + 23),
    ),
    read_triton(triton()),
    read_triton(triton(NONE, ONE), f"{ID} one 0x2e+{SIZE}"),
    read_triton(triton(NONE, count=0), f"{ITS} 0x0: the directory ends here, not at 0x16"),
    Case(
        triton(ONE, directory=SIZE + 25),
        f"a: offset 0x8: 1 kernels in a directory of {SIZE + 25} bytes",
    ),
    Case(
        triton(ONE),
        "a: offset 0x8: 1 kernels in a directory of 24 bytes",
        Limits(max_all_entries=0),
    ),
    read_triton(triton(ONE), f"{ID} one 0x18+{SIZE}", limits=Limits(max_all_entries=1)),
    Case(
        triton(kernel(b"one\0", length=5)), f"{ITS} 0x0: a kernel's name reaches past the directory"
    ),
    read_triton(
        triton(ONE, kernel(b"", offset=1)),
        f"{ID} one 0x2c+{SIZE}",
        f"{ITS} 0x2d: {SIZE} bytes at 0x2d reach past the end ({SIZE + 44:#x})",
    ),
    read_triton(
        triton(ONE, size=SIZE + 25),
        f"{ID} one 0x18+{SIZE}",
        f"a: offset 0x4: decompresses to {SIZE + 24} bytes, declares {SIZE + 25}",
    ),
]


@pytest.mark.parametrize(
    ("read", "case"),
    [
        pytest.param(read, case, id=f"{name}-{number}")
        for name, read, cases in (
            ("nvidia", nv_fatbin.read, NVIDIA),
            ("offload", offload_binary.read, OFFLOAD),
            ("kpack", kpack.read, KPACK),
            ("triton", aotriton.read, TRITON),
        )
        for number, case in enumerate(cases)
    ],
)
def test_one_bad_field(read: Read, case: Case) -> None:
    assert told(read, case) == case.said


@pytest.mark.parametrize("read", [nv_fatbin.read, offload_binary.read], ids=["nvidia", "offload"])
def test_every_cut_is_a_fault(read: Read) -> None:
    """Whatever is cut off, the fault says so; nothing is read as if it were whole."""
    data = nvidia(image(), image()) if read is nv_fatbin.read else offload()
    for size in range(len(data)):
        header = 16 if read is nv_fatbin.read else 32
        said = told(read, Case(data[:size], ""))
        if size < header:
            assert said.endswith("that is cut off in its header"), size
        else:
            assert said == (
                f"a: offset 0x8: size {struct.unpack_from('<Q', data, 8)[0]:#x} is wrong: "
                f"{size:#x} bytes are there"
            )


def note(name: bytes, kind: int, content: bytes) -> bytes:
    padded = [each.ljust(len(each) + 3 & ~3, b"\0") for each in (name, content)]
    return struct.pack("<III", len(name), len(content), kind) + b"".join(padded)


def noted(content: bytes, limits: Limits | None = None) -> str:
    elf = Elf(MemorySource(small_elf({".note": content}), "a"))
    rows = [SimpleNamespace(type=7, offset=each.offset, size=each.size) for each in elf.sections]
    here = SimpleNamespace(source=elf.source, segments=[], sections=[rows[1]])
    said = []
    try:
        for each in notes(cast("Elf", here), limits or Limits()):
            text = each.content.read(0, each.content.size)
            said.append(f"{each.name.decode()} {each.type} {text.decode()}")
    except FormatError as error:
        said.append(str(error))
    return "; ".join(said)


def test_notes() -> None:
    one, two = note(b"AMDGPU\0", 32, b"abcde"), note(b"GNU\0", 3, b"")
    assert noted(one + two) == "AMDGPU 32 abcde; GNU 3 "
    assert noted(one + two[:11]) == "AMDGPU 32 abcde"
    assert noted(one + two[:12]) == (
        "AMDGPU 32 abcde; a: offset 0x5c: a note of 4 + 0 bytes does not fit"
    )
    assert noted(one[:-3]) == "AMDGPU 32 abcde"
    assert noted(one[:-4]) == "a: offset 0x40: a note of 7 + 5 bytes does not fit"
    assert noted(one, Limits(max_note=5)) == "AMDGPU 32 abcde"
    assert noted(one, Limits(max_note=4)) == ("a: offset 0x40: a note of 5 bytes; the limit is 4")
    many = noted(note(b"", 1, b"") * 4097)
    assert many.count(" 1 ") == 4096
    assert many.endswith("a: offset 0xc040: more than 4096 notes")
    name = noted(note(b"n" * 70, 1, b"x"))
    assert name == f"{'n' * 64} 1 x"
