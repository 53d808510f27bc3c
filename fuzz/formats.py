"""Each container format, package and kind of metadata on its own."""

from __future__ import annotations

import contextlib
import hashlib
import lzma
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from fuzz.exercise import LIMITS, exercise, read
from hipport.errors import HipportError
from hipport.fatbin.binary import Binary
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.compression import zstd
from hipport.fatbin.embedded import embedded
from hipport.fatbin.object import spirv
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.reader import open_path
from hipport.fatbin.target_id import TargetId
from hipport.fatbin.writing.slim import slim

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
FORMATS = (
    *("offload_bundle", "compressed_bundle", "offload_binary", "bare_code_object"),
    *("kpack", "nv_fatbin", "text_bundle", "iree", "kernel_database", "aotriton"),
)
_TEMPLATE = (FIXTURES / "binary" / "code-objects" / "v3-gfx906.co").read_bytes()
_PT_NOTE = 4
_LARGEST_SEED = 1 << 16


def format_exercise(name: str) -> Callable[[bytes], None]:
    """Reads bytes as one container of that format, whatever they begin with."""
    form = import_module(f"hipport.fatbin.formats.{name}")

    def exercise_format(data: bytes) -> None:
        source = MemorySource(data, "input")
        with contextlib.suppress(HipportError):
            binary = Binary("input", name, source)
            binary.add(form.read(source, LIMITS))
            read(binary)

    return exercise_format


def exercise_compressed(data: bytes) -> None:
    """A compressed bundle as it stands; other bytes are compressed first, and the hash is right."""
    if not data.startswith(b"CCOB") and data:
        data = compressed(data[1:], data[0] % 3 + 1, "zlib" if data[0] % 2 else "zstd")
    format_exercise("compressed_bundle")(data)


def compressed(content: bytes, version: int, method: str) -> bytes:
    """A sound compressed bundle around any content."""
    packed = zlib.compress(content) if method == "zlib" else zstd().compress(content)
    digest = hashlib.md5(content, usedforsecurity=False).digest()[:8]
    form = {1: "<HHI", 2: "<HHII", 3: "<HHQQ"}[version]
    total = [] if version == 1 else [4 + struct.calcsize(form) + 8 + len(packed)]
    head = struct.pack(form, version, method == "zstd", *total, len(content))
    return b"CCOB" + head + digest + packed


def exercise_aotriton(data: bytes) -> None:
    """An AOTriton archive as it stands; other bytes become the content of one."""
    if not data.startswith(b"AKS2") and len(data) > 4:
        count, directory_size = struct.unpack_from("<HH", data)
        content = data[4:]
        head = struct.pack("<III", len(content), count, directory_size)
        data = b"AKS2" + head + lzma.compress(content, preset=0)
    format_exercise("aotriton")(data)


def aotriton_seeds() -> list[bytes]:
    """Archives, and what is in them behind the two numbers that `exercise_aotriton` takes."""
    found = format_seeds("aotriton")
    for data in list(found):
        _, _, count, directory_size = struct.unpack_from("<4sIII", data)
        found.append(struct.pack("<HH", count, directory_size) + lzma.decompress(data[16:]))
    return found


def exercise_slim(data: bytes) -> None:
    """A file with fewer targets: refused, or as it should be when it is read again."""
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder, "input"), Path(folder, "output")
        path.write_bytes(data)
        try:
            slim(str(path), output, [TargetId("gfx90a")], LIMITS)
        except HipportError as error:
            assert "not as it should be" not in str(error)
            assert [each.name for each in Path(folder).iterdir()] == ["input"]


def exercise_spirv(data: bytes) -> None:
    """The bytes behind the header of a SPIR-V module."""
    with contextlib.suppress(HipportError):
        spirv.kernel_names(MemorySource(spirv.MAGIC + bytes(16) + data, "input"), LIMITS)


def spirv_seeds() -> list[bytes]:
    return [(FIXTURES / "binary/caches/kernels.spv").read_bytes()[20:]]


def exercise_embedded(data: bytes) -> None:
    """Data with code objects and bundles anywhere."""
    source = MemorySource(data, "input")
    end = 0
    for bundle in embedded(source, LIMITS):
        assert bundle.place.offset >= end
        end = bundle.place.offset + bundle.size
        assert end <= source.size


def exercise_file(data: bytes) -> None:
    exercise(data)


def exercise_metadata(data: bytes) -> None:
    """The bytes as the MessagePack note of a code object."""
    _exercise_note(data, b"AMDGPU\0\0", 7, 32)


def exercise_metadata_v2(data: bytes) -> None:
    """The bytes as the YAML note of version 2."""
    _exercise_note(data, b"AMD\0", 4, 10)


def _exercise_note(content: bytes, name: bytes, name_size: int, kind: int) -> None:
    data = with_note(content, name, name_size, kind)
    with contextlib.suppress(HipportError):
        metadata = CodeObject(MemorySource(data, "input"), LIMITS).metadata
        assert len(metadata.kernels) <= len(content)
    exercise(data)


def with_note(
    content: bytes, name: bytes = b"AMDGPU\0\0", name_size: int = 7, kind: int = 32
) -> bytes:
    """A code object whose only note has this content."""
    data = bytearray(_TEMPLATE)
    note = struct.pack("<III", name_size, len(content), kind) + name + content
    (table,) = struct.unpack_from("<Q", data, 32)
    (count,) = struct.unpack_from("<H", data, 56)
    for place in range(table, table + 56 * count, 56):
        if struct.unpack_from("<I", data, place) == (_PT_NOTE,):
            struct.pack_into("<QQQQ", data, place + 8, len(data), 0, 0, len(note))
    return bytes(data) + note


def note_seeds() -> list[bytes]:
    return _notes("v[3-6]*.co")


def note_v2_seeds() -> list[bytes]:
    return _notes("v2*.co")


def _notes(shape: str) -> list[bytes]:
    from hipport.fatbin.object.notes import notes

    paths = sorted((FIXTURES / "binary" / "code-objects").glob(shape))
    objects = [CodeObject(MemorySource(path.read_bytes(), "seed")) for path in paths]
    found = [note for each in objects for note in notes(each.elf, LIMITS)]
    return [note.content.read(0, note.content.size) for note in found]


def format_seeds(name: str) -> list[bytes]:
    """The containers of that format in the fixtures; of a compressed one what is in it, too."""
    form = import_module(f"hipport.fatbin.formats.{name}").NAME
    found = []
    for path in _fixtures():
        with contextlib.suppress(HipportError):
            for binary in open_path(str(path), LIMITS):
                for bundle in binary.bundles:
                    if bundle.format == form and bundle.size <= _LARGEST_SEED:
                        found.append(bundle.stored.head(0, bundle.size))
                    if name == "compressed_bundle" and bundle.compression:
                        with contextlib.suppress(HipportError):
                            found.append(b"\0" + b"".join(bundle.pieces()))
    return found


def file_seeds() -> list[bytes]:
    return [path.read_bytes() for path in _fixtures() if path.stat().st_size <= _LARGEST_SEED]


def _fixtures() -> Iterator[Path]:
    for folder in ("corrupt", "binary"):
        for path in sorted((FIXTURES / folder).rglob("*")):
            if path.is_file() and path.suffix not in (".py", ".sh", ".json", ".hip", ".txt"):
                yield path
