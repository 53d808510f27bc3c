"""DWARF written by hand: each form, each kind of unit and table, and each border."""

from __future__ import annotations

import contextlib
import struct

import pytest

from fuzz.small_elf import small_elf
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.elf_file import Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.debug_sections import Budget, Part, TooMuch
from hipport.fatbin.object.declared_lines import Declared, declared_lines, has_functions

STRING, DATA1, DATA2, UDATA, SEC_OFFSET = 0x08, 0x0B, 0x05, 0x0F, 0x17
NAME, STMT_LIST, COMP_DIR, FILE, LINE, LINKAGE, OTHER = 0x03, 0x10, 0x1B, 0x3A, 0x3B, 0x6E, 0x40
UNIT, FUNCTION, TYPE = 0x11, 0x2E, 0x24
TEXTS = b"first\0k\0"
PLACE = Declared("/a/b/c.cu", 7)


def leb128(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + leb128(rest) if rest else bytes([low])


Attribute = tuple[int, int, bytes]
"""Name, form, and bytes of the value."""
Entry = tuple[int, list[Attribute]]
K = [(LINKAGE, STRING, b"k\0"), (FILE, DATA1, b"\1"), (LINE, DATA1, b"\7")]


def shapes_of(entries: list[Entry], constant: int = 0) -> bytes:
    rows = b""
    for code, (tag, attributes) in enumerate(entries, 1):
        rows += leb128(code) + leb128(tag) + b"\0"
        for name, form, _ in attributes:
            rows += leb128(name) + leb128(form) + (leb128(constant) if form == 0x21 else b"")
        rows += b"\0\0"
    return rows + b"\0"


def lengthy(content: bytes, wide: bool) -> bytes:
    head = b"\xff" * 4 + struct.pack("<Q", len(content)) if wide else b""
    return (head or struct.pack("<I", len(content))) + content


def sections(
    entries: list[Entry],
    version: int = 5,
    kind: int = 1,
    wide: bool = False,
    lines: bytes | None = None,
    constant: int = 0,
) -> dict[str, bytes]:
    """One unit of these entries, behind one that says where it was compiled."""
    number = "<Q" if wide else "<I"
    unit: list[Attribute] = [
        (STMT_LIST, SEC_OFFSET, struct.pack(number, 0)),
        (COMP_DIR, STRING, b"/a\0"),
        (0x72, SEC_OFFSET, struct.pack(number, 8)),  # DW_AT_str_offsets_base
    ]
    every = [(UNIT, unit), *entries]
    offset = struct.pack(number, 0)
    extra = bytes({4: 8, 5: 8, 2: 16 if wide else 12, 6: 16 if wide else 12}.get(kind, 0))
    head = struct.pack("<HBB", 5, kind, 8) + offset + extra
    if version != 5:
        head = struct.pack("<H", version) + offset + b"\x08"
    body = b"".join(
        leb128(code) + b"".join(value for _, _, value in attributes)
        for code, (_, attributes) in enumerate(every, 1)
    )
    offsets = bytes(8) + b"".join(struct.pack(number, at) for at in (0, TEXTS.index(b"k")))
    return {
        ".debug_info": lengthy(head + body + b"\0", wide),
        ".debug_abbrev": shapes_of(every, constant),
        ".debug_line": lines if lines is not None else old_lines(wide=wide),
        ".debug_str": TEXTS,
        ".debug_line_str": TEXTS,
        ".debug_str_offsets": offsets,
    }


def old_lines(version: int = 4, wide: bool = False, folder: int = 1, cut: int = 0) -> bytes:
    """A table of one folder, b, and one file, c.cu."""
    start = b"\1" * (5 if version >= 4 else 4) + b"\x03" + b"\0\1"
    tables = b"b\0\0" + b"c.cu\0" + leb128(folder) + b"\0\0" + b"\0"
    rest = start + tables[: len(tables) - cut]
    size = struct.pack("<Q" if wide else "<I", len(rest))
    return lengthy(struct.pack("<H", version) + size + rest, wide)


def new_lines(
    folders: list[list[Attribute]], files: list[list[Attribute]], wide: bool = False
) -> bytes:
    """A table of version 5: each folder and file with its content types, forms and values."""
    rest = bytes(5) + b"\x03" + b"\0\1"
    for table in (folders, files):
        first = table[0] if table else []
        rest += bytes([len(first)])
        rest += b"".join(leb128(content) + leb128(form) for content, form, _ in first)
        rest += leb128(len(table)) + b"".join(value for each in table for _, _, value in each)
    size = struct.pack("<Q" if wide else "<I", len(rest))
    return lengthy(struct.pack("<HBB", 5, 8, 0) + size + rest, wide)


def found(
    parts: dict[str, bytes], names: tuple[str, ...] = ("k", "never"), limits: Limits | None = None
) -> dict[str, Declared]:
    limits = limits or Limits()
    elf = Elf(MemorySource(small_elf(parts), "input"))
    return declared_lines(elf, names, limits, Budget(limits))


def number(size: int) -> bytes:
    return bytes(range(1, size + 1))


LONG = b"\x80\x80\x01"
# Form -> a value in a unit with offsets of 4 bytes (DWARF 5, 7.5.6 and table 7.6; GNU and LLVM).
FORMS = {
    **{form: number(1) for form in (0x0B, 0x0C, 0x11, 0x25, 0x29)},
    **{form: number(2) for form in (0x05, 0x12, 0x26, 0x2A)},
    **{form: number(3) for form in (0x27, 0x2B)},
    **{form: number(4) for form in (0x06, 0x13, 0x1C, 0x28, 0x2C)},
    **{form: number(8) for form in (0x01, 0x07, 0x14, 0x20, 0x24)},
    **dict.fromkeys((0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02), LONG),
    0x1E: number(16),
    0x19: b"",
    0x21: b"",
    0x08: b"text\0",
    0x09: b"\3" + number(3),
    0x18: leb128(200) + bytes([0x2E]) * 200,
    0x0A: b"\4" + number(4),
    0x03: b"\5\0" + number(5),
    0x04: b"\6\0\0\0" + number(6),
    0x16: leb128(0x03) + b"\2\0" + number(2),
    0x2001: LONG + number(4),
}
OFFSETS = (0x0E, 0x10, 0x17, 0x1D, 0x1F, 0x1F20, 0x1F21)


@pytest.mark.parametrize("tag", [FUNCTION, TYPE], ids=["function", "type"])
@pytest.mark.parametrize("wide", [False, True], ids=["32", "64"])
def test_what_is_behind_a_value_of_each_form_is_read(tag: int, wide: bool) -> None:
    values = {**FORMS, **dict.fromkeys(OFFSETS, number(8 if wide else 4))}
    for form, value in values.items():
        other = (OTHER, form, value)
        entries = (
            [(TYPE, [other, other]), (FUNCTION, K)] if tag == TYPE else [(FUNCTION, [other, *K])]
        )
        assert found(sections(entries, wide=wide)) == {"k": PLACE}, hex(form)


@pytest.mark.parametrize("form", [0, 0x02, 0x2D, 0x16], ids=hex)
def test_a_form_that_is_not_known_is_a_fault(form: int) -> None:
    value = leb128(0x16) if form == 0x16 else b"\0"
    with pytest.raises(FormatError, match=rf"\.debug_info.*: an attribute of form {form:#x}$"):
        found(sections([(FUNCTION, [(OTHER, form, value), *K])]))


# Forms of a name, which is the second text: index 1, offset 6.
NAMES = {
    0x0E: b"\6\0\0\0",
    0x1F: b"\6\0\0\0",
    0x1A: b"\1",
    0x1F02: b"\1",
    0x25: b"\1",
    0x26: b"\1\0",
    0x27: b"\1\0\0",
    0x28: b"\1\0\0\0",
}


@pytest.mark.parametrize("form", NAMES, ids=hex)
def test_names_are_texts_of_other_sections(form: int) -> None:
    entries = [(FUNCTION, [(LINKAGE, form, NAMES[form]), *K[1:]])]
    parts = sections(entries)
    assert found(parts) == {"k": PLACE}
    missing = ".debug_line_str" if form == 0x1F else ".debug_str"
    assert found({name: part for name, part in parts.items() if name != missing}) == {}
    if form not in (0x0E, 0x1F):
        del parts[".debug_str_offsets"]
        assert found(parts) == {}


def test_the_constant_of_an_abbreviation_is_a_value() -> None:
    attributes = [K[0], K[1], (LINE, 0x21, b"")]
    assert found(sections([(FUNCTION, attributes)], constant=300)) == {
        "k": PLACE._replace(line=300)
    }


@pytest.mark.parametrize("wide", [False, True], ids=["32", "64"])
@pytest.mark.parametrize("kind", range(1, 7))
def test_units_of_each_kind(kind: int, wide: bool) -> None:
    assert found(sections([(FUNCTION, K)], kind=kind, wide=wide)) == {"k": PLACE}


@pytest.mark.parametrize("version", [3, 4, 5])
def test_units_and_tables_of_each_version(version: int) -> None:
    for lines in (old_lines(3), old_lines(4), new_lines(FOLDERS, FILES)):
        assert found(sections([(FUNCTION, K)], version=version, lines=lines)) == {"k": PLACE}


@pytest.mark.parametrize("version", [2, 6])
def test_other_versions_are_faults(version: int) -> None:
    with pytest.raises(FormatError, match=rf"\.debug_info.*: a unit of DWARF {version}$"):
        found(sections([(FUNCTION, K)], version=version))
    with pytest.raises(FormatError, match=rf"\.debug_line.*: a line table of version {version}$"):
        found(sections([(FUNCTION, K)], lines=old_lines(version)))


FOLDERS = [[(1, STRING, b"/a\0")], [(1, STRING, b"b\0")]]
FILES = [
    [(1, STRING, b"c.cu\0"), (2, DATA1, b"\0")],
    [(1, STRING, b"c.cu\0"), (2, DATA1, b"\1")],
]


@pytest.mark.parametrize("wide", [False, True], ids=["32", "64"])
def test_attributes_of_files_have_each_form(wide: bool) -> None:
    offset = struct.pack("<Q" if wide else "<I", 6)
    for path, name in ((STRING, b"c.cu\0"), (0x1F, offset), (0x0E, offset)):
        for folder, one in ((DATA1, b"\1"), (DATA2, b"\1\0"), (UDATA, b"\1")):
            for other, skipped in (
                *((0x0F, LONG), (0x09, b"\3abc"), (0x1E, number(16)), (0x0B, b"\1")),
                *((0x05, b"\1\2"), (0x06, number(4)), (0x07, number(8)), (STRING, b"x\0")),
            ):
                row = [(0x2001, other, skipped), (1, path, name), (2, folder, one)]
                lines = new_lines(FOLDERS, [row, row], wide)
                file = "c.cu" if path == STRING else "k"
                assert found(sections([(FUNCTION, K)], wide=wide, lines=lines)) == {
                    "k": Declared(f"/a/b/{file}", 7)
                }


def test_files_of_a_table_have_numbers() -> None:
    """From 0 in version 5, from 1 before; one that a table lacks has no place."""
    for file, new, old in ((0, "/a/c.cu", ""), (1, "/a/b/c.cu", "/a/b/c.cu"), (2, "", "")):
        entries = [(FUNCTION, [K[0], (FILE, DATA1, bytes([file])), K[2]])]
        for lines, path in ((new_lines(FOLDERS, FILES), new), (old_lines(), old)):
            places = {"k": Declared(path, 7)} if path else {}
            assert found(sections(entries, lines=lines)) == places
    for folder, path in ((0, "/a/c.cu"), (1, "/a/b/c.cu"), (2, "/a/c.cu")):
        assert found(sections([(FUNCTION, K)], lines=old_lines(folder=folder)))["k"].path == path
    assert found(sections([(FUNCTION, K)], lines=new_lines([], FILES)))["k"].path == "/a/c.cu"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[(1, 0x1D, number(4))]], "a file with an attribute of form 0x1d"),
        ([[(1, 0x0E, b"\x09\0\0\0")]], "a text that does not end"),
        ([[]], "1 files or folders"),
    ],
)
def test_damaged_tables_of_files(table: list[list[Attribute]], message: str) -> None:
    with pytest.raises(FormatError, match=rf": {message}$"):
        found(sections([(FUNCTION, K)], lines=new_lines(FOLDERS, table)))


@pytest.mark.parametrize(("form", "name"), [(0x0E, ".debug_str"), (0x1F, ".debug_line_str")])
def test_a_section_of_texts_that_is_missing(form: int, name: str) -> None:
    row = [(1, form, bytes(4))]
    parts = sections([(FUNCTION, K)], lines=new_lines(FOLDERS, [row, row]))
    del parts[name]
    with pytest.raises(FormatError, match=rf": a text of {name}, which is missing$"):
        found(parts)


def test_a_function_completes_another() -> None:
    """Name, file and line may each be elsewhere: a specification of a declaration, and more."""
    start = len(sections([])[".debug_info"]) - 1

    def chain(links: int, attribute: int) -> dict[str, Declared]:
        entries: list[Entry] = [(FUNCTION, [K[0]])]
        at = start
        for link in range(links):
            size = 1 + sum(len(value) for _, _, value in entries[-1][1])
            rest = K[1:] if link == links - 1 else []
            entries[-1] = (FUNCTION, [*entries[-1][1], (attribute, 0x13, bytes(4))])
            at += size + 4
            value = struct.pack("<I", at)
            entries[-1] = (FUNCTION, [*entries[-1][1][:-1], (attribute, 0x13, value)])
            entries.append((FUNCTION, list(rest)))
        return found(sections(entries))

    for attribute in (0x31, 0x47):
        assert chain(1, attribute) == {"k": PLACE}
        assert chain(4, attribute) == {"k": PLACE}
        assert chain(5, attribute) == {}


def test_a_reference_from_the_start_of_the_section() -> None:
    parts = sections([])
    first, rest = lengthy(parts[".debug_info"][4:], False), sections([(FUNCTION, K[1:])])
    at = len(first) + len(rest[".debug_info"]) - 1 - sum(len(value) for *_, value in K[1:]) - 1
    entries = [(FUNCTION, K[1:]), (FUNCTION, [K[0], (0x31, 0x10, struct.pack("<I", at))])]
    rest = sections(entries)
    rest[".debug_info"] = first + rest[".debug_info"]
    assert found(rest) == {"k": PLACE}


def test_names_that_are_not_mangled_count_where_there_is_no_other() -> None:
    plain = [(NAME, STRING, b"k\0"), *K[1:]]
    assert found(sections([(FUNCTION, plain)])) == {"k": PLACE}
    for linkage in (LINKAGE, 0x2007):
        both = [(NAME, STRING, b"other\0"), (linkage, STRING, b"k\0"), *K[1:]]
        assert found(sections([(FUNCTION, both)]), ("k", "other")) == {"k": PLACE}


def test_two_functions_of_a_name_have_no_place() -> None:
    second = [K[0], K[1], (LINE, DATA1, b"\x08")]
    assert found(sections([(FUNCTION, K), (FUNCTION, second)])) == {}
    assert found(sections([(FUNCTION, K), (FUNCTION, K)])) == {"k": PLACE}
    without = [K[0], K[1], (LINE, DATA1, b"\0")]
    assert found(sections([(FUNCTION, without)])) == {}


def test_every_unit_is_read_until_all_names_are_found() -> None:
    parts = sections([(FUNCTION, K)])
    other = sections([(FUNCTION, [(LINKAGE, STRING, b"m\0"), *K[1:]])])
    parts[".debug_info"] += other[".debug_info"]
    assert found(parts, ("k", "m", "n")) == {"k": PLACE, "m": PLACE}
    parts[".debug_info"] += b"\xf0\xff\xff\xff"
    assert found(parts, ("k", "m")) == {"k": PLACE, "m": PLACE}
    with pytest.raises(FormatError, match="a unit of the reserved length 0xfffffff0"):
        found(parts, ("k", "m", "n"))


@pytest.mark.parametrize("name", [".debug_info", ".debug_abbrev", ".debug_line"])
def test_sections_cut_anywhere_have_no_wrong_place(name: str) -> None:
    whole = sections([(FUNCTION, K)])
    faults = 0
    for size in range(1, len(whole[name])):
        try:
            assert found({**whole, name: whole[name][:size]}) in ({}, {"k": PLACE})
        except FormatError as error:
            faults += 1
            assert str(error).startswith("input: offset 0x") and name in str(error)
    assert faults > len(whole[name]) - 3
    assert found({key: part for key, part in whole.items() if key != name}) == {}


def test_entries_stay_in_their_unit() -> None:
    parts = sections([(FUNCTION, [*K, (OTHER, 0x09, b"\x09")])])
    with pytest.raises(FormatError, match="an entry reaches past its unit"):
        found({**parts, ".debug_info": parts[".debug_info"] + bytes(9)})
    parts = sections([(FUNCTION, K)])
    info = parts[".debug_info"]
    parts[".debug_info"] = info[:-1] + b"\x09"
    with pytest.raises(FormatError, match="an entry without an abbreviation: 9"):
        found(parts)


def test_the_budget_counts_entries_shapes_files_and_texts() -> None:
    parts = sections([(FUNCTION, K)])
    more = sections([(FUNCTION, K), (TYPE, [(OTHER, DATA1, b"\1")])])
    # A shape of one attribute, and an entry.
    assert least(more) == least(parts) + 3
    lines = (new_lines(FOLDERS, FILES[:2]), new_lines(FOLDERS, [*FILES, FILES[1]]))
    two, three = (least(sections([(FUNCTION, K)], lines=each)) for each in lines)
    assert three == two + 2  # a file and its name
    sizes = sum(len(part) for part in parts.values())
    assert found(parts, limits=Limits(max_debug=sizes)) == {"k": PLACE}
    with pytest.raises(TooMuch, match=f"more than {sizes - 1} bytes of debug information"):
        found(parts, limits=Limits(max_debug=sizes - 1))


def least(parts: dict[str, bytes]) -> int:
    """The smallest budget under which the sections are read."""
    for most in range(100):
        with contextlib.suppress(TooMuch):
            found(parts, limits=Limits(max_debug_entries=most))
            return most
    return 0


def test_debug_information_is_known_by_its_section() -> None:
    for name, known in ((".debug_info", True), (".zdebug_info", True), (".debug_line", False)):
        assert has_functions(Elf(MemorySource(small_elf({name: b"x"}), "input"))) == known


def part(data: bytes) -> Part:
    limits = Limits(max_debug_entries=100)
    return Part(".debug_info", data, MemorySource(b"", "input"), Budget(limits))


def test_numbers_end_where_their_section_ends() -> None:
    assert part(b"\1\2\3\4").number(0, 4) == 0x04030201
    for at in (-1, 1):
        with pytest.raises(FormatError, match="the debug information ends within a number"):
            part(b"\1\2\3\4").number(at, 4)
    assert part(b"\xe5\x8e\x26").leb128(0) == (624485, 3)
    assert part(b"\x80" * 9 + b"\1").leb128(0) == (1 << 63, 10)
    for data in (b"\x80" * 10 + b"\1", b"\x80", b""):
        with pytest.raises(FormatError, match="a number that does not end"):
            part(data).leb128(0)


def test_texts_end_with_a_zero() -> None:
    assert part(b"abc\0d").text(1) == ("bc", 4)
    assert part(b"\0a\0").text(0) == ("", 1)
    longest = b"a" * ((1 << 16) - 1)
    budget = Limits(max_debug_entries=1 << 20)
    whole = Part("", longest + b"\0", MemorySource(b"", "input"), Budget(budget))
    assert whole.text(0) == (longest.decode(), 1 << 16)
    for data in (longest + b"a\0", b"abc"):
        with pytest.raises(FormatError, match="a text that does not end"):
            part(data).text(0)
    assert part(b"\xff\0").text(0)[0] == "\\xff"


def test_long_texts_count_as_more_entries() -> None:
    for size, entries in ((255, 1), (256, 2), (512, 3)):
        one = part(b"a" * size + b"\0")
        one.text(0)
        one.spend(100 - entries)
        with pytest.raises(TooMuch, match="kernels are matched without the rest"):
            one.spend(1)


def test_lengths_of_units() -> None:
    assert part(b"\2\0\0\0ab").length(0) == (6, 4, 4)
    assert part(b"x" + b"\xff" * 4 + b"\2" + bytes(7) + b"ab").length(1) == (15, 13, 8)
    for head, message in (
        (b"\3\0\0\0ab", "a unit of 3 bytes reaches past the end"),
        (b"\xef\xff\xff\xff", "a unit of 4294967279 bytes reaches past the end"),
        *(
            (bytes([low]) + b"\xff" * 3, f"a unit of the reserved length 0xffffff{low:x}")
            for low in (0xF0, 0xFE)
        ),
    ):
        with pytest.raises(FormatError, match=message):
            part(head).length(0)
