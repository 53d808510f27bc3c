"""The ELF tab: header, program headers and sections of a host file or a code object."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.elf_file import Elf
from hipport.fatbin.format_error import FormatError
from hipport.tui.facts import elf_names
from hipport.tui.ondisk import reason
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope
from hipport.tui.spans import Line, fact, heading, line, wrapped
from hipport.tui.view_settings import Settings

_FLAGS = ((4, "R"), (2, "W"), (1, "X"))
_SECTION_FLAGS = ((2, "A"), (1, "W"), (4, "X"))
_MOST = 5000


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[list[Line]]:
    """The code object of the target selected, else the file."""
    if scope.entry is not None:
        yield elf_lines(library.code_object(scope.entry).elf, settings)
    elif scope.binary is None:
        yield [line(("Choose a file or a target.", "dim"))]
    elif scope.binary.elf is None:
        yield [line((f"{scope.binary.kind}: no ELF file; choose a target.", "dim"))]
    else:
        yield elf_lines(scope.binary.elf, settings)


def elf_lines(elf: Elf, settings: Settings) -> list[Line]:
    """The headers; a damaged table is reported, and the next one is read."""
    lines = [
        heading("Header"),
        fact("type", _named("file", elf.type)),
        fact("machine", _named("machine", elf.machine)),
        fact("OS ABI", f"{_named('abi', elf.os_abi)}, version {elf.abi_version}"),
        fact("flags", f"{elf.flags:#x}"),
        fact("size", settings.size(elf.source.size)),
    ]
    for table in (_segments, _sections):
        try:
            lines += [line(), *table(elf, settings)]
        except FormatError as error:
            lines += wrapped(reason(error), "bad")
    return lines


def _segments(elf: Elf, settings: Settings) -> list[Line]:
    lines = [heading(f"Program headers ({len(elf.segments)}): type, flags, offset, address, size")]
    for segment in elf.segments:
        kind, flags = _named("segment", segment.type), _letters(segment.flags, _FLAGS)
        size = settings.short_size(segment.file_size)
        where = f"{segment.offset:#10x} {segment.address:#14x} {size:>10}"
        lines.append(line(f"  {kind:<12} {flags} {where}"))
    return lines


def _sections(elf: Elf, settings: Settings) -> list[Line]:
    sections = elf.sections
    lines = [heading(f"Sections ({len(sections)}): type, flags, offset, size, name")]
    for index, section in enumerate(sections[:_MOST]):
        kind, flags = _named("section", section.type), _letters(section.flags, _SECTION_FLAGS)
        where = f"{section.offset:#10x} {settings.short_size(section.size):>10}"
        text = f"  {index:>3} {kind:<12} {flags} {where}  "
        lines.append(line(text, (section.name, "label")))
    if len(sections) > _MOST:
        lines.append(line((f"  … {len(sections) - _MOST} more", "dim")))
    return lines


def _named(table: str, number: int) -> str:
    return elf_names().get((table, number), f"{number:#x}")


def _letters(flags: int, names: tuple[tuple[int, str], ...]) -> str:
    return "".join(letter if flags & bit else "-" for bit, letter in names)
