"""The nouns of a fat binary: Binary -> Bundle -> BundleEntry -> CodeObject -> Kernel.

Standard library only. Everything beyond headers is read on demand.
"""

from __future__ import annotations

from hipport.fatbin.byte_source import PIECE, MemorySource, Place, Source, Window
from hipport.fatbin.format_error import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import weakref
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from hipport.fatbin.clock import Clock
    from hipport.fatbin.elf_file import Elf
    from hipport.fatbin.object.code_object import CodeObject
    from hipport.fatbin.target_id import EntryId, TargetId

    _Thing = TypeVar("_Thing")


class BundleEntry:
    """One image of a bundle: a code object for a target, the host's part, bitcode, SPIR-V."""

    __slots__ = ("_bundle", "id", "image_kind", "index", "offset", "size")

    def __init__(self, bundle: Bundle, index: int, entry_id: str, offset: int, size: int) -> None:
        self._bundle = bundle
        self.index = index
        self.id = entry_id
        """The ID exactly as stored; undecodable bytes are written \\xNN."""
        self.offset = offset
        """Bytes from the start of the (decompressed) bundle."""
        self.size = size
        self.image_kind = ""
        """The kind of image, if the container states it: "object", "bitcode", "cubin" …"""

    @property
    def bundle(self) -> Bundle:
        return self._bundle

    @property
    def parsed(self) -> EntryId:
        from hipport.fatbin.target_id import parse_entry_id

        return parse_entry_id(self.id)

    @property
    def target(self) -> TargetId | None:
        """The target ID that the entry ID names; None for the host and unknown forms."""
        return self.parsed.target

    @property
    def is_host(self) -> bool:
        return self.id.startswith("host-")

    def source(self) -> Source:
        """The image's bytes. Decompresses the bundle if it is compressed."""
        if self.size == 0:  # its offset means nothing
            return MemorySource(b"", self._bundle.payload_label)
        payload = self._bundle.payload()
        return Window(payload, self.offset, self.size)

    def code_object(self) -> CodeObject:
        """The AMDGPU code object; raises FormatError if the image is something else."""
        from hipport.fatbin.object.code_object import CodeObject

        return CodeObject(self.source())


class Bundle:
    """A run of bytes that holds images for one or more targets."""

    __slots__ = (
        "__weakref__",
        "_cached",
        "_stream",
        "clock",
        "compression",
        "embedded",
        "entries",
        "faults",
        "format",
        "index",
        "place",
        "size",
        "stored",
        "uncompressed_size",
        "version",
    )

    def __init__(
        self,
        format: str,
        stored: Source,
        size: int,
        *,
        stream: Callable[[], Iterator[bytes]] | None = None,
        compression: str = "",
        version: int = 0,
        uncompressed_size: int = 0,
    ) -> None:
        self.format = format
        self.index = 0
        """Position among the bundles of its binary, counted from 0."""
        self.stored = stored
        """The bytes from the bundle's start; may go on past its end."""
        self.place: Place = stored.place(0)
        self.size = size
        """Bytes it takes in the file."""
        self.compression = compression
        """Empty, "zlib" or "zstd"."""
        self.version = version
        self.uncompressed_size = uncompressed_size or size
        self.entries: tuple[BundleEntry, ...] = ()
        self.faults: list[FormatError] = []
        """What is wrong with it; the other entries can still be read."""
        self.clock: Clock | None = None
        """The clock of its file, which limits the time that reading takes."""
        self.embedded = False
        """Whether it was found in data: the program loads it, and no wrapper points at it."""
        self._stream = stream
        self._cached: weakref.ref[Source] | None = None

    @property
    def payload_label(self) -> str:
        """How messages name places in the uncompressed bundle."""
        if self._stream is None:
            return self.place.label
        return f"{self.place.label}[{self.place.offset:#x}, decompressed]"

    @property
    def is_stream(self) -> bool:
        """Whether it has to be decompressed before anything in it can be read."""
        return self._stream is not None

    def payload(self) -> Source:
        """The uncompressed bundle. Kept only as long as the caller keeps it."""
        if self.clock is not None:
            self.clock.check(self.stored)
        if self._stream is None:
            return self.stored
        source = self._cached() if self._cached is not None else None
        if source is None:
            import weakref

            data = bytearray()
            for piece in self._stream():
                data += piece
            source = MemorySource(memoryview(data).toreadonly(), self.payload_label)
            self._cached = weakref.ref(source)
        return source

    def pieces(self) -> Iterator[bytes]:
        """The uncompressed bundle from its start, a piece at a time. Needs little memory."""
        pieces = self._stream() if self._stream is not None else self._stored_pieces()
        yield from self.timed(pieces)

    def _stored_pieces(self) -> Iterator[bytes]:
        for offset in range(0, self.size, PIECE):
            yield self.stored.read(offset, min(PIECE, self.size - offset))

    def timed(self, things: Iterator[_Thing]) -> Iterator[_Thing]:
        """The items read from the bundle; raises FormatError once its file has no time left."""
        return things if self.clock is None else self.clock.timed(things, self.stored)

    def record(self, fault: FormatError) -> None:
        """Add a fault unless it is known already."""
        if all(str(known) != str(fault) for known in self.faults):
            self.faults.append(fault)

    @property
    def device_entries(self) -> list[BundleEntry]:
        """Entries that are not the host's."""
        return [entry for entry in self.entries if not entry.is_host]


class Binary:
    """One file, or one member of a package or archive, with or without device code."""

    def __init__(self, path: str, kind: str, source: Source) -> None:
        self.path = path
        """The file's path; members follow after `!`, as in `a.whl!lib/x.so`."""
        self.kind = kind
        """In words: "ELF shared object", "COFF object", "offload bundle" …"""
        self.source = source
        self.bundles: list[Bundle] = []
        self.faults: list[FormatError] = []
        self.remarks: list[str] = []
        """Facts about the file that are not faults, such as a section moved to a kpack archive."""
        self.moved = ""
        """Where its device code went, if it is no longer in the file."""
        self.reading = 0
        """Which bundle is being read, for progress reports."""
        self.unopened = ""
        """Why nothing is known about the content, in words; empty if it was read."""
        self.elf: Elf | None = None

    @property
    def size(self) -> int:
        return self.source.size

    def add(self, bundle: Bundle) -> None:
        bundle.index = len(self.bundles)
        self.bundles.append(bundle)

    def all_faults(self) -> Iterator[FormatError]:
        """The faults of the file and of its bundles found so far."""
        yield from self.faults
        for bundle in self.bundles:
            yield from bundle.faults
