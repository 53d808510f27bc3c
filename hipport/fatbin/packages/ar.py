"""Static libraries: `!<arch>` with GNU or BSD long names (System V ABI, "Archive File").

A thin archive (`!<thin>`, binutils) has the paths of its members instead of them, relative to its
own folder. Those inside that folder are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from hipport.fatbin.byte_source import FileSource, Source, Window
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.package_kinds import THIN_AR

NAME = "archive"
_HEADER = 60
_TABLES = (b"/", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED")


def members(source: Source, limits: Limits) -> Iterator[tuple[str, Source | FormatError]]:
    """The members that are files; symbol tables and the name table are left out."""
    thin = source.head(0, 8) == THIN_AR
    if thin and not isinstance(source, FileSource):
        yield "", source.fault(0, "a thin archive, whose members are files outside this package")
        return
    names = b""
    position, count = 8, 0
    while position + _HEADER <= source.size:
        header = source.read(position, _HEADER)
        field = header[48:58].strip()
        if header[58:] != b"`\n" or not field.isdigit():
            yield "", source.fault(position, "a damaged member header")
            return
        start, size = position + _HEADER, int(field)
        raw = header[:16].rstrip(b" ")
        if thin and raw != b"//" and raw not in _TABLES:
            yield _beside(source, _text(_long_name(raw, names)), position)
            size = 0
        if start + size > source.size:
            yield "", source.fault(position, f"a member of {size} bytes reaches past the end")
            return
        if raw == b"//":
            names = source.read(start, min(size, limits.max_note))
        elif raw.startswith(b"#1/") and raw[3:].isdigit():
            length = min(int(raw[3:]), size)
            name = source.read(start, min(length, 4096)).rstrip(b"\0")
            if name not in _TABLES:
                yield _text(name), Window(source, start + length, size - length)
        elif raw not in _TABLES and not thin:
            yield _text(_long_name(raw, names)), Window(source, start, size)
        position = start + size + (size & 1)
        count += 1
        if count > limits.max_members:
            yield "", source.fault(position, f"more than {limits.max_members} members")
            return
    if position < source.size:
        yield "", source.fault(position, "a member header that is cut off")


def _beside(archive: Source, name: str, position: int) -> tuple[str, Source | FormatError]:
    """The file that a thin archive names; none outside the archive's folder, links followed."""
    assert isinstance(archive, FileSource)
    folder = os.path.realpath(os.path.dirname(archive.path) or ".")  # noqa: PTH120
    try:
        path = os.path.realpath(os.path.join(folder, name))  # noqa: PTH118
        if os.path.commonpath([folder, path]) != folder:
            what = f"the member {name!r} of this thin archive lies outside its folder"
            return name, archive.fault(position, f"{what}; it is not read")
        return name, FileSource(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return name, archive.fault(position, f"the member {name!r} cannot be read: {reason}")


def _long_name(raw: bytes, names: bytes) -> bytes:
    if raw[:1] == b"/" and raw[1:].isdigit():
        raw = names[int(raw[1:]) :].partition(b"\n")[0]
    return raw.removesuffix(b"/")


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
