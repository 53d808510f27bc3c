"""Where device code is in a host file: ELF and PE/COFF sections, or only the wrappers."""

from __future__ import annotations

from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.bundle_search import scan, walk
from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.elf_file import (
    EM_AMDGPU,
    EM_CUDA,
    EM_X86_64,
    ET_REL,
    KINDS,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHT_LLVM_OFFLOADING,
    SHT_NOBITS,
    SHT_PROGBITS,
    Elf,
    Section,
)
from hipport.fatbin.embedded import embedded
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits

# The names clang gives them; a linked PE image keeps only the first eight bytes.
FATBIN_SECTIONS = (".hip_fatbin", ".hip_fat")
OFFLOADING_SECTIONS = (".llvm.offloading", ".llvm.of")
NVIDIA_SECTIONS = (".nv_fatbin", "__nv_relfatbin", ".nv_fatb", "__nv_rel")
OBJECT_PREFIX = "__CLANG_OFFLOAD_BUNDLE__"
_DEVICE_CODE = {EM_AMDGPU: "AMDGPU code object", EM_CUDA: "cubin"}
# The sections with data that hold no code object.
_TABLES = (".eh_frame", ".eh_frame_hdr", ".gcc_except_table", ".hipFatBinSegment", ".interp")
_PE_OTHERS = (".text", ".pdata", ".xdata", ".reloc", ".rsrc", ".hipFatB", ".hipFatBinSegment")


def read_elf(path: str, source: Source, limits: Limits) -> Binary:
    """A host ELF file with its bundles; a code object is left to the formats."""
    elf = Elf(source)
    binary = Binary(path, KINDS.get(elf.type, f"ELF type {elf.type}"), source)
    if elf.machine in _DEVICE_CODE:
        walk(binary, source, limits)
        binary.kind = _DEVICE_CODE[elf.machine]
        return binary
    binary.elf = elf
    try:
        sections = elf.sections
    except FormatError as error:
        binary.faults.append(error)
        elf.forget_sections()
        sections = []
    if not sections:
        _without_sections(binary, elf, limits)
        return binary
    objects: list[tuple[str, int, int]] = []
    data: list[tuple[str, int, int]] = []
    for section in sections:
        if section.type == SHT_NOBITS:
            continue
        place = (section.name, section.offset, section.size)
        if section.name.startswith(OBJECT_PREFIX):
            objects.append(place)
        elif section.name in FATBIN_SECTIONS + NVIDIA_SECTIONS or _offloading(section):
            _walk_section(binary, *place, limits)
        elif _is_data(section):
            data.append(place)
    _object_sections(binary, source, objects)
    if not binary.bundles and elf.type != ET_REL and (_wrapped(elf) or _nameless(sections)):
        _without_their_section(binary, elf, limits)
    _search_data(binary, data, limits)
    return binary


def _is_data(section: Section) -> bool:
    """Whether the section may hold any data of the program."""
    return (
        section.type == SHT_PROGBITS
        and section.flags & (SHF_ALLOC | SHF_EXECINSTR) == SHF_ALLOC
        and section.name not in _TABLES
    )


def _search_data(binary: Binary, data: list[tuple[str, int, int]], limits: Limits) -> None:
    """Add what is found in sections for data of any kind."""
    known = {bundle.place for bundle in binary.bundles}
    for name, offset, size in data:
        size = min(size, binary.source.size - offset)
        area = Window(binary.source, offset, size) if size > 0 else None
        found = [b for b in embedded(area, limits) if b.place not in known] if area else []
        for bundle in found:
            binary.add(bundle)
        if found:
            places = f"{len(found)} place{'s' * (len(found) > 1)}"
            binary.remarks.append(f"device code in {places} of {name}, which the program loads")


def _wrapped(elf: Elf) -> bool:
    return elf.find(".hipFatBinSegment") is not None


def _nameless(sections: list[Section]) -> bool:
    """Whether the table of names is damaged: every section but the first has a name."""
    return any(not section.name.strip() for section in sections if section.type)


def _offloading(section: Section) -> bool:
    return section.type == SHT_LLVM_OFFLOADING or section.name in OFFLOADING_SECTIONS


def read_pe_file(path: str, source: Source, limits: Limits) -> Binary:
    """A Windows image or object with its bundles."""
    from hipport.fatbin.host import pe_file as pe_format

    pe = pe_format.read(source)
    binary = Binary(path, "COFF object" if pe.is_object else "PE image", source)
    objects, data = [], []
    for section in pe.sections:
        if section.name.startswith(OBJECT_PREFIX):
            objects.append((section.name, section.offset, section.size))
        elif section.name in FATBIN_SECTIONS + OFFLOADING_SECTIONS + NVIDIA_SECTIONS:
            _walk_section(binary, section.name, section.offset, section.size, limits)
        elif section.size and not section.name.startswith(_PE_OTHERS):
            data.append((section.name, section.offset, section.size))
    _object_sections(binary, source, objects)
    _search_data(binary, data, limits)
    return binary


def _walk_section(binary: Binary, name: str, offset: int, size: int, limits: Limits) -> None:
    source = binary.source
    if offset + size > source.size:
        binary.faults.append(
            source.fault(
                min(offset, source.size),
                f"section {name} of {size:#x} bytes at {offset:#x} reaches past the end of the "
                f"file ({source.size:#x})",
            )
        )
        size = source.size - offset
    if size > 0:
        walk(binary, Window(source, offset, size), limits)


def _object_sections(binary: Binary, source: Source, sections: list[tuple[str, int, int]]) -> None:
    """-fgpu-rdc objects of the old driver have one section for each entry, named after its ID."""
    if not sections:
        return
    bundle = Bundle("object sections", source, sum(size for _, _, size in sections))
    entries = []
    for index, (name, offset, size) in enumerate(sections):
        if offset + size > source.size:
            bundle.faults.append(source.fault(0, f"section {name} reaches past the end"))
            offset = size = 0
        entries.append(BundleEntry(bundle, index, name.removeprefix(OBJECT_PREFIX), offset, size))
    bundle.entries = tuple(entries)
    binary.add(bundle)


def _without_sections(binary: Binary, elf: Elf, limits: Limits) -> None:
    """No section headers: the wrappers in writable data point at the bundles. Without wrappers
    the last resort is to look for magic numbers."""
    starts = _wrapped_starts(binary, elf, limits)
    if not starts:
        if elf.type != ET_REL and elf.machine == EM_X86_64:
            scan(binary, elf.source, limits)
        return
    binary.remarks.append("no section headers: bundles found through their wrappers")
    _through_wrappers(binary, elf, starts, limits)


def _without_their_section(binary: Binary, elf: Elf, limits: Limits) -> None:
    """There are wrappers or damaged names, and no section that holds bundles: a kpack split
    zeroed it, or the table of sections is damaged."""
    _moved_away(binary, elf, limits)
    starts = [] if binary.moved else _wrapped_starts(binary, elf, limits)
    if starts:
        binary.faults.append(
            elf.source.fault(
                starts[0],
                f"{len(starts)} wrappers point at bundles and no section is named as theirs: the "
                "section headers or their names are damaged",
            )
        )
        _through_wrappers(binary, elf, starts, limits)


def _wrapped_starts(binary: Binary, elf: Elf, limits: Limits) -> list[int]:
    """Where the wrappers point, in the file."""
    from hipport.fatbin.host.wrappers import read_wrappers

    try:
        wrappers = read_wrappers(elf, limits)
    except FormatError as error:
        binary.faults.append(error)
        return []
    return sorted({w.bundle_offset for w in wrappers if w.bundle_offset is not None})


def _through_wrappers(binary: Binary, elf: Elf, starts: list[int], limits: Limits) -> None:
    segments = elf.segments
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        holder = next((s for s in segments if s.offset <= start < s.offset + s.file_size), None)
        end = following or (holder.offset + holder.file_size if holder else elf.source.size)
        end = min(end, elf.source.size)
        before = len(binary.bundles)
        if start < end:
            _first(binary, Window(elf.source, start, end - start), limits)
        if len(binary.bundles) == before and start >= end:
            binary.faults.append(elf.source.fault(start, "a wrapper points past the end"))


def _first(binary: Binary, area: Source, limits: Limits) -> None:
    """The container at the very start of the area; what follows it is other data."""
    from hipport.fatbin.formats import recognize

    form = recognize(area.head(0, 64))
    try:
        if form is None:
            raise area.fault(0, "a wrapper points at bytes that are no bundle")
        binary.add(form.read(area, limits))
    except FormatError as error:
        binary.faults.append(error)


def _moved_away(binary: Binary, elf: Elf, limits: Limits) -> None:
    """After a kpack split the section is zeroed and the wrappers name an archive."""
    from hipport.fatbin.host.wrappers import KPACK, kpack_reference, read_wrappers

    try:
        wrappers = read_wrappers(elf, limits)
        kpack = [wrapper for wrapper in wrappers if wrapper.magic == KPACK]
        if not kpack:
            return
        name, paths = kpack_reference(elf)
    except FormatError as error:
        binary.faults.append(error)
        return
    where = f" (looked for in {', '.join(paths)})" if paths else ""
    binary.moved = "moved to a kpack archive"
    binary.remarks.append(
        f"device code moved to a kpack archive: {len(kpack)} bundles of {name or '?'}{where}"
    )
