"""Static libraries: `!<arch>` with GNU or BSD long names (System V ABI, "Archive File")."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.package_kinds import THIN_AR

NAME = "archive"
_HEADER = 60
_TABLES = (b"/", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED")


def members(source: Source, limits: Limits) -> Iterator[tuple[str, Source | FormatError]]:
    """The members that are files; symbol tables and the name table are left out."""
    if source.head(0, 8) == THIN_AR:
        yield "", source.fault(0, "a thin archive holds no members, only their paths")
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
        if start + size > source.size:
            yield "", source.fault(position, f"a member of {size} bytes reaches past the end")
            return
        raw = header[:16].rstrip(b" ")
        if raw == b"//":
            names = source.read(start, min(size, limits.max_note))
        elif raw.startswith(b"#1/") and raw[3:].isdigit():
            length = min(int(raw[3:]), size)
            name = source.read(start, min(length, 4096)).rstrip(b"\0")
            if name not in _TABLES:
                yield _text(name), Window(source, start + length, size - length)
        elif raw not in _TABLES:
            yield _text(_long_name(raw, names)), Window(source, start, size)
        position = start + size + (size & 1)
        count += 1
        if count > limits.max_members:
            yield "", source.fault(position, f"more than {limits.max_members} members")
            return
    if position < source.size:
        yield "", source.fault(position, "a member header that is cut off")


def _long_name(raw: bytes, names: bytes) -> bytes:
    if raw[:1] == b"/" and raw[1:].isdigit():
        raw = names[int(raw[1:]) :].partition(b"\n")[0]
    return raw.removesuffix(b"/")


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
