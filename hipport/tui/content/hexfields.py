"""The Hex tab: the bytes to show, and the field of a structure that each belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from hipport.fatbin.binary import Bundle
from hipport.fatbin.byte_source import MemorySource, Source
from hipport.fatbin.elf_file import MAGIC, SHT_NOBITS, Elf
from hipport.fatbin.format_error import FormatError
from hipport.named_tuples import NamedTuple
from hipport.tui.content.kernel import find_kernel
from hipport.tui.facts import layouts
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope
from hipport.tui.view_settings import Settings

_MOST_HEADERS = 2000


class Known(NamedTuple):
    """A run of bytes with a name."""

    offset: int
    size: int
    name: str
    form: str


class Bytes(NamedTuple):
    """The content of the view. `start` is where the cursor starts."""

    source: Source
    fields: list[Known]
    """Sorted; none overlap."""
    regions: list[Known]
    """Sections and the like, which hold what no field names."""
    start: int = 0


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[Bytes]:
    """The bytes of the selection; for a kernel its code object, with the cursor on its
    descriptor."""
    source = source_of(library, scope)
    if source is None:
        yield Bytes(MemorySource(b"", "nothing selected"), [], [])
        return
    fields, regions, start = [], [], 0
    try:
        if scope.entry is None and scope.bundle is not None:
            fields = bundle_fields(scope.bundle)
        elif source.head(0, 4) == MAGIC:
            elf = Elf(source)
            fields, regions = elf_fields(elf), elf_regions(elf)
        if scope.kernel is not None:
            kernel = find_kernel(library, scope.kernel)
            place = kernel.code_object.bytes_of(kernel.symbol or f"{kernel.name}.kd")
            if place is not None:
                start = place[0]
                fields += structure("kernel descriptor", start)
            code = kernel.code_object.bytes_of(kernel.name)
            if code is not None:
                regions.append(Known(*code, "kernel code", "bytes"))
    except FormatError:
        pass  # the bytes are still shown; the Overview tab says what is wrong with them
    if scope.entry is None and scope.bundle is None and scope.binary is not None:
        for bundle in scope.binary.bundles:
            if bundle.place.label == source.label:
                at = bundle.place.offset
                regions.append(Known(at, bundle.size, f"bundle {bundle.index}", "bytes"))
                fields += [_moved(field, at, bundle.index) for field in bundle_fields(bundle)]
    yield Bytes(source, without_overlaps(fields), regions, start)


def source_of(library: Library, scope: Scope) -> Source | None:
    """The bytes of the selection: file, stored bundle or image; None for everything."""
    if scope.entry is not None:
        return library.code_object(scope.entry).source if scope.kernel else scope.entry.source()
    if scope.bundle is not None:
        return scope.bundle.stored
    return scope.binary.source if scope.binary is not None else None


def structure(name: str, at: int, label: str = "") -> list[Known]:
    """The fields of a structure at an offset."""
    return [
        Known(at + field.offset, field.size, f"{label or name}: {field.name}", field.form)
        for field in layouts()[name]
    ]


def elf_fields(elf: Elf) -> list[Known]:
    """The ELF header, program headers and section headers."""
    fields = structure("ELF header", 0)
    head = elf.source.read(0, 64)
    segments_at = int.from_bytes(head[32:40], "little")
    sections_at = int.from_bytes(head[40:48], "little")
    for index in range(min(len(elf.segments), _MOST_HEADERS)):
        fields += structure("program header", segments_at + 56 * index, f"program header {index}")
    for index, section in enumerate(elf.sections[:_MOST_HEADERS]):
        label = f"section header {index} {section.name}".rstrip()
        fields += structure("section header", sections_at + 64 * index, label)
    return fields


def elf_regions(elf: Elf) -> list[Known]:
    return [
        Known(section.offset, section.size, f"section {section.name}", "bytes")
        for section in elf.sections
        if section.size and section.type != SHT_NOBITS
    ]


def bundle_fields(bundle: Bundle) -> list[Known]:
    """The header of a bundle, and the entries of an uncompressed one."""
    names = (f"{bundle.format} v{bundle.version}", bundle.format)
    name = next((each for each in names if each in layouts()), None)
    if name is None:
        return []
    fields = structure(name, 0)
    at = fields[-1].offset + fields[-1].size
    if bundle.compression:
        return [*fields, Known(at, max(0, bundle.size - at), "compressed data", "bytes")]
    if name == "offload bundle":
        for entry in bundle.entries:
            length = int.from_bytes(bundle.stored.head(at + 16, 8), "little")
            fields += structure("bundle entry", at, f"entry {entry.index}")
            fields.append(Known(at + 24, length, f"entry {entry.index}: ID", "text"))
            at += 24 + length
        fields += [
            Known(entry.offset, entry.size, f"image of {entry.id}", "bytes")
            for entry in bundle.entries
            if entry.size
        ]
    return fields


def _moved(field: Known, by: int, bundle: int) -> Known:
    return field._replace(offset=field.offset + by, name=f"bundle {bundle}: {field.name}")


def without_overlaps(fields: list[Known]) -> list[Known]:
    """Sorted by offset; of two that overlap, the one that starts first stays."""
    kept: list[Known] = []
    for field in sorted(fields):
        if field.size and (not kept or kept[-1].offset + kept[-1].size <= field.offset):
            kept.append(field)
    return kept


def field_at(shown: Bytes, offset: int) -> Known | None:
    """The field, else the smallest region, that holds the byte."""
    index = bisect_right(shown.fields, offset, key=lambda field: field.offset) - 1
    if index >= 0 and offset < shown.fields[index].offset + shown.fields[index].size:
        return shown.fields[index]
    around = [r for r in shown.regions if r.offset <= offset < r.offset + r.size]
    return min(around, key=lambda region: region.size, default=None)


def value_of(source: Source, field: Known) -> str:
    """The field's value in words; runs of bytes by their size."""
    if field.form == "text":
        return source.head(field.offset, min(field.size, 64)).decode("utf-8", "backslashreplace")
    if field.form == "bytes":
        return f"{field.size} bytes"
    value = int.from_bytes(source.head(field.offset, field.size), "little")
    return f"{value:#x}" if field.form == "hex" else str(value)
