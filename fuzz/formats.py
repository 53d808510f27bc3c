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
from hipport.fatbin.elf_file import SHF_EXECINSTR, Elf
from hipport.fatbin.embedded import embedded
from hipport.fatbin.host import aarch64_code, x86_code
from hipport.fatbin.host.code_walk import walk
from hipport.fatbin.host.host_image import FUNCTIONS, HostImage
from hipport.fatbin.host.registration_calls import find_calls
from hipport.fatbin.host.registration_groups import group
from hipport.fatbin.object import bitcode, spirv
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.questions.kernel_tables import images
from hipport.fatbin.reader import open_path
from hipport.fatbin.target_id import TargetId
from hipport.fatbin.writing.slim import slim
from hipport.zstd import zstd

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
FORMATS = (
    *("offload_bundle", "compressed_bundle", "offload_binary", "bare_code_object"),
    *("kpack", "nv_fatbin", "text_bundle", "iree", "kernel_database", "aotriton"),
)
_TEMPLATE = (FIXTURES / "binary" / "code-objects" / "v3-gfx906.co").read_bytes()
_PT_NOTE = 4
_CODE_AT = 0x1000
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


def exercise_bitcode(data: bytes) -> None:
    """The bytes behind the magic number of LLVM bitcode."""
    with contextlib.suppress(HipportError):
        bitcode.kernel_names(MemorySource(bitcode.MAGIC + data, "input"), LIMITS)


def bitcode_seeds() -> list[bytes]:
    """The device's bitcode of an object made with -fgpu-rdc."""
    found = []
    for binary in open_path(str(FIXTURES / "binary/object-rdc/kernels-22.o"), LIMITS):
        for entry, source in images(binary, LIMITS, lambda entry: not entry.is_host):
            assert source.head(0, 4) == bitcode.MAGIC, entry.id
            found.append(source.read(4, source.size - 4))
    return found


def exercise_host_code(data: bytes) -> None:
    """Code that reaches the runtime's functions in one way or another, for both processors."""
    slots = {_CODE_AT + 8 * place: name for place, name in enumerate(FUNCTIONS)}
    for machine in (aarch64_code.MACHINE, x86_code.SYSTEM_V):
        visits, _ = walk(machine, data, _CODE_AT, slots)
        assert all(_CODE_AT <= site < _CODE_AT + len(data) for site, _, _ in visits)
        assert len({site for site, _, _ in visits}) == len(visits)
    source = MemorySource(data, "input")
    for aarch64 in (False, True):
        code = [(_CODE_AT, memoryview(data))]
        image = HostImage(source, code, _nothing, lambda address: None, slots, aarch64=aarch64)
        image.starts = [_CODE_AT] if len(data) & 1 else []
        with contextlib.suppress(HipportError):
            group(image, find_calls(image))


def _nothing(address: int, size: int) -> bytes:
    return b"name\0"[:size]


def host_code_seeds() -> list[bytes]:
    """The code of objects and libraries for both processors."""
    found = []
    for path in _fixtures():
        if path.suffix in (".o", ".so") and path.stat().st_size <= _LARGEST_SEED:
            with contextlib.suppress(HipportError):
                elf = Elf(MemorySource(path.read_bytes(), "seed"))
                parts = [s for s in elf.sections if s.flags & SHF_EXECINSTR]
                found += [elf.content(part).read(0, part.size) for part in parts]
    return found


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
