"""Where functions of a code object are declared, according to its DWARF debug information.

The compiler wrote these lines, so they are exact for templates, for code from macros, and
behind `#line`. DWARF 5, 3.3 "Subroutine and Entry Point Entries" and 7.5 "Format of Debugging
Information". Tables of lines alone (-gline-tables-only) do not say where a function is declared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hipport.fatbin.elf_file import Elf
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.debug_files import FileTable
from hipport.fatbin.object.debug_sections import Budget, Part, debug_sections
from hipport.named_tuples import NamedTuple

_SUBPROGRAM = 0x2E  # DW_TAG_subprogram
_NAME, _STMT_LIST, _COMP_DIR, _FILE, _LINE = 0x03, 0x10, 0x1B, 0x3A, 0x3B
_ORIGIN, _SPECIFICATION, _LINKAGE, _OLD_LINKAGE, _STR_BASE = 0x31, 0x47, 0x6E, 0x2007, 0x72
_USED = frozenset((_NAME, _STMT_LIST, _COMP_DIR, _FILE, _LINE, _ORIGIN, _SPECIFICATION))
_USED |= {_LINKAGE, _OLD_LINKAGE, _STR_BASE}
# DWARF 5, 7.5.6 "Form Encodings": data, flags, references, strx1 to 4, addrx1 to 4.
_FIXED = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x1E: 16, 0x0C: 1, 0x19: 0}
_FIXED |= {0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8, 0x20: 8, 0x1C: 4, 0x24: 8}
_FIXED |= {0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4, 0x29: 1, 0x2A: 2, 0x2B: 3, 0x2C: 4}
_ADDRESS, _STRING, _INDIRECT, _CONSTANT, _STRP, _LINE_STRP = 0x01, 0x08, 0x16, 0x21, 0x0E, 0x1F
_OFFSETS = frozenset((0x10, 0x17, 0x1D, _STRP, _LINE_STRP, 0x1F20, 0x1F21))
_REF_ADDR = 0x10
_TEXT_OFFSETS = {_STRP: 1, _LINE_STRP: 2}
_LEB128 = frozenset((0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02))
_SIZED_BLOCKS = {0x0A: 1, 0x03: 2, 0x04: 4}
_BLOCKS = frozenset((0x09, 0x18))
_INDEXED = {0x1A: 0, 0x1F02: 0, 0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4}
_OFFSET_ADDRESS = 0x2001  # LLVM's: an address and an offset from it
# The value of a text is its place in a section, times 4, and the number of the section.
_TEXTS = (".debug_info", ".debug_str", ".debug_line_str", ".debug_str_offsets")
_BY_INDEX = 3
_HOPS = 4
_EXTRA = {4: 8, 5: 8}  # the ids of skeleton and split units


class Declared(NamedTuple):
    """A place of a source."""

    path: str
    """As given to the compiler; normally absolute."""
    line: int


class _Function(NamedTuple):
    name: str
    """Mangled; "" where another entry has it."""
    file: int | None
    line: int | None
    origin: int | None
    """The offset of the entry that this one completes."""


class _Shape(NamedTuple):
    """An abbreviation: the attributes of one kind of entry."""

    tag: int
    attributes: list[tuple[int, int, int]]
    """Name, form and constant."""
    size: int | None
    """The bytes of its attributes, where they are the same for all."""


def has_functions(elf: Elf) -> bool:
    """Whether a code object may say where its functions are declared."""
    return any(section.name.endswith("debug_info") for section in elf.sections)


def declared_lines(
    elf: Elf, wanted: Collection[str], limits: Limits, budget: Budget
) -> dict[str, Declared]:
    """Mangled name -> place, for those functions that have debug information. Two functions of a
    name have none. Raises FormatError for damage, TooMuch where the budget ends."""
    parts = debug_sections(elf, limits, budget)
    if not {".debug_info", ".debug_abbrev", ".debug_line"} <= parts.keys():
        return {}
    found: dict[str, set[Declared]] = {}
    names = frozenset(wanted)
    at, end = 0, len(parts[".debug_info"].data)
    while at < end and len(found) < len(names):
        unit = _Unit(parts, at)
        for name, place in unit.functions(names):
            found.setdefault(name, set()).add(place)
        at = unit.end
    return {name: next(iter(places)) for name, places in found.items() if len(places) == 1}


class _Unit:
    """One unit of .debug_info."""

    def __init__(self, parts: dict[str, Part], at: int) -> None:
        self._parts, self._info, self._start = parts, parts[".debug_info"], at
        info = self._info
        self.end, at, self._width = info.length(at)
        version = info.number(at, 2)
        if not 3 <= version <= 5:
            raise info.fault(at, f"a unit of DWARF {version}")
        at += 2
        if version == 5:
            kind, self._address, at = info.number(at, 1), info.number(at + 1, 1), at + 2
            shapes, at = info.number(at, self._width), at + self._width
            at += _EXTRA.get(kind, 0) or (8 + self._width if kind in (2, 6) else 0)
        else:
            shapes, at = info.number(at, self._width), at + self._width
            self._address, at = info.number(at, 1), at + 1
        self._shapes = self._shapes_at(shapes)
        self._first = at
        self._strings = 0

    def functions(self, wanted: frozenset[str]) -> Iterator[tuple[str, Declared]]:
        """The functions of these names, and where they are declared."""
        values, at = self._entry(self._first)
        if values is None:
            return
        self._strings = values.get(_STR_BASE, 0)
        folder = self._text(values.get(_COMP_DIR))
        lines = values.get(_STMT_LIST)
        if lines is None:
            return
        files: FileTable | None = None
        found: dict[int, _Function] = {}
        while at < self.end:
            start = at - self._start
            values, at = self._entry(at)
            if values is not None:
                found[start] = self._function(values)
        for each in found.values():
            whole = _whole(each, found)
            if whole.name in wanted and whole.line and whole.file is not None:
                files = files or FileTable(self._parts, lines, folder)
                path = files.path(whole.file)
                if path:
                    yield whole.name, Declared(path, whole.line)

    def _function(self, values: dict[int, int]) -> _Function:
        linkage = values.get(_LINKAGE, values.get(_OLD_LINKAGE))
        origin = values.get(_SPECIFICATION, values.get(_ORIGIN))
        name = self._text(linkage if linkage is not None else values.get(_NAME))
        return _Function(name, values.get(_FILE), values.get(_LINE), origin)

    def _text(self, value: int | None) -> str:
        """A text at a place from `_value`: which section, and where in it."""
        if value is None or value < 0:
            return ""
        section, at = _TEXTS[value & 3], value >> 2
        if section == ".debug_str_offsets":
            if section not in self._parts:
                return ""
            at = self._parts[section].number(self._strings + at * self._width, self._width)
            section = ".debug_str"
        return self._parts[section].text(at)[0] if section in self._parts else ""

    def _entry(self, at: int) -> tuple[dict[int, int] | None, int]:
        """The attributes of an entry, None for those of no interest, and where it ends."""
        self._info.spend(1)
        start = at
        code, at = self._info.leb128(at)
        if not code:
            return None, at
        if code not in self._shapes:
            raise self._info.fault(start, f"an entry without an abbreviation: {code}")
        shape = self._shapes[code]
        is_read = shape.tag == _SUBPROGRAM or start == self._first
        if shape.size is not None and not is_read:
            return None, at + shape.size
        values: dict[int, int] = {}
        for name, form, constant in shape.attributes:
            value, at = self._value(form, at, constant)
            if name in _USED:
                values[name] = value
        if at > self.end:
            raise self._info.fault(start, "an entry reaches past its unit")
        return values if is_read else None, at

    def _value(self, form: int, at: int, constant: int) -> tuple[int, int]:
        """A number, or for a text its place times 4 and its section; and where it ends."""
        size = _FIXED.get(form)
        if size is not None:
            data = self._info.data
            value = int.from_bytes(data[at : at + size], "little")
            return (value << 2 | _BY_INDEX if form in _INDEXED else value), at + size
        if form in _LEB128:
            value, at = self._info.leb128(at)
            return (value << 2 | _BY_INDEX if form in _INDEXED else value), at
        if form in _OFFSETS:
            value = self._info.number(at, self._width)
            if form in _TEXT_OFFSETS:
                value = value << 2 | _TEXT_OFFSETS[form]
            elif form == _REF_ADDR:
                value -= self._start  # Other references count from the unit.
            return value, at + self._width
        if form == _CONSTANT:
            return constant, at
        if form == _STRING:
            end = self._info.data.find(b"\0", at)
            return at << 2, (end if end >= 0 else self.end) + 1
        if form == _ADDRESS:
            return 0, at + self._address
        if form in _BLOCKS or form in _SIZED_BLOCKS:
            width = _SIZED_BLOCKS.get(form, 0)
            size, at = (
                (self._info.number(at, width), at + width) if width else self._info.leb128(at)
            )
            return 0, at + size
        if form == _OFFSET_ADDRESS:
            return 0, self._info.leb128(at)[1] + 4
        if form == _INDIRECT:
            form, at = self._info.leb128(at)
            if form not in (_INDIRECT, _CONSTANT):
                return self._value(form, at, 0)
        raise self._info.fault(at, f"an attribute of form {form:#x}")

    def _shapes_at(self, at: int) -> dict[int, _Shape]:
        """The abbreviations of the unit (DWARF 5, 7.5.3)."""
        part = self._parts[".debug_abbrev"]
        found: dict[int, _Shape] = {}
        while True:
            code, at = part.leb128(at)
            if not code:
                return found
            tag, at = part.leb128(at)
            at += 1
            attributes: list[tuple[int, int, int]] = []
            while True:
                name, at = part.leb128(at)
                form, at = part.leb128(at)
                constant = 0
                if form == _CONSTANT:
                    constant, at = part.leb128(at)
                if not name and not form:
                    break
                attributes.append((name, form, constant))
            part.spend(1 + len(attributes))
            forms = [form for _, form, _ in attributes if form != _CONSTANT]
            is_fixed = all(form in _FIXED for form in forms)
            size = sum(_FIXED[form] for form in forms) if is_fixed else None
            found[code] = _Shape(tag, attributes, size)


def _whole(function: _Function, found: dict[int, _Function]) -> _Function:
    """The function, with the attributes of the entries that it completes."""
    for _ in range(_HOPS):
        other = found.get(function.origin) if function.origin is not None else None
        if other is None:
            break
        function = _Function(
            function.name or other.name,
            other.file if function.file is None else function.file,
            other.line if function.line is None else function.line,
            other.origin,
        )
    return function
