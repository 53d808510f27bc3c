"""The files that a line table of DWARF names (DWARF 5, 6.2.4 "The Line Number Program Header")."""

from __future__ import annotations

import posixpath

from hipport.fatbin.object.debug_sections import Part

_PATH, _FOLDER = 1, 2  # DW_LNCT_path, DW_LNCT_directory_index
_STRING, _LINE_STRP, _STRP = 0x08, 0x1F, 0x0E
_UDATA, _BLOCK, _DATA16 = 0x0F, 0x09, 0x1E
_FIXED = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, _DATA16: 16}
_MOST = 1 << 16
"""Files or folders of one table."""


class FileTable:
    """The header of the line table at an offset of .debug_line."""

    def __init__(self, parts: dict[str, Part], at: int, folder: str) -> None:
        """`folder` is where the unit was compiled. Raises FormatError for a damaged table."""
        self._parts, self._lines = parts, parts[".debug_line"]
        lines = self._lines
        self._end, at, self._width = lines.length(at)
        self._version = lines.number(at, 2)
        if not 3 <= self._version <= 5:
            raise lines.fault(at, f"a line table of version {self._version}")
        at += 4 if self._version == 5 else 2  # sizes of addresses and of segment selectors
        at += self._width + (5 if self._version >= 4 else 4)
        at += lines.number(at, 1)  # the lengths of the opcodes, and opcode_base
        tables = self._tables if self._version == 5 else self._old_tables
        self._folders, self._files = tables(at, folder)

    def path(self, index: int) -> str:
        """The path of a file, absolute if the folder of the unit is; "" for a wrong number."""
        index -= self._version < 5
        if not 0 <= index < len(self._files):
            return ""
        name, folder = self._files[index]
        inside = self._folders[folder] if 0 <= folder < len(self._folders) else ""
        return posixpath.normpath(posixpath.join(self._folders[0], inside, name))

    def _old_tables(self, at: int, unit: str) -> tuple[list[str], list[tuple[str, int]]]:
        """Those before version 5: texts one after the other, an empty one at the end."""
        folders: list[str] = [unit]
        files: list[tuple[str, int]] = []
        while len(folders) < _MOST:
            text, at = self._lines.text(at)
            if not text:
                break
            folders.append(text)
        while len(files) < _MOST:
            text, at = self._lines.text(at)
            if not text:
                break
            folder, at = self._lines.leb128(at)
            for _ in ("time", "size"):
                _, at = self._lines.leb128(at)
            files.append((text, folder))
        return folders, files

    def _tables(self, at: int, unit: str) -> tuple[list[str], list[tuple[str, int]]]:
        folders, at = self._entries(at)
        files, _ = self._entries(at)
        names = [posixpath.join(unit, name) for name, _ in folders]
        return names or [unit], files

    def _entries(self, at: int) -> tuple[list[tuple[str, int]], int]:
        """Paths with the numbers of their folders, and where the entries end."""
        lines = self._lines
        shape: list[tuple[int, int]] = []
        count, at = lines.number(at, 1), at + 1
        for _ in range(count):
            content, at = lines.leb128(at)
            form, at = lines.leb128(at)
            shape.append((content, form))
        number, at = lines.leb128(at)
        if number > _MOST or (number and not shape):
            raise lines.fault(at, f"{number} files or folders")
        found: list[tuple[str, int]] = []
        lines.spend(number)
        for _ in range(number):
            path, folder = "", 0
            for content, form in shape:
                value, at = self._value(form, at)
                if content == _PATH and isinstance(value, str):
                    path = value
                elif content == _FOLDER and isinstance(value, int):
                    folder = value
            found.append((path, folder))
        return found, at

    def _value(self, form: int, at: int) -> tuple[str | int, int]:
        lines = self._lines
        if form == _STRING:
            return lines.text(at)
        if form in (_LINE_STRP, _STRP):
            name = ".debug_line_str" if form == _LINE_STRP else ".debug_str"
            if name not in self._parts:
                raise lines.fault(at, f"a text of {name}, which is missing")
            return self._parts[name].text(lines.number(at, self._width))[0], at + self._width
        if form == _UDATA:
            return lines.leb128(at)
        if form == _BLOCK:
            size, at = lines.leb128(at)
            return 0, at + size
        if form not in _FIXED:
            raise lines.fault(at, f"a file with an attribute of form {form:#x}")
        return lines.number(at, _FIXED[form]), at + _FIXED[form]
