"""Headers of static libraries written by hand: names of each kind, and what is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.fatbin.byte_source import FileSource, MemorySource, Source
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.packages.ar import members

LIMITS = Limits(max_members=3)


def member(name: bytes, content: bytes = b"", size: int | None = None) -> bytes:
    """System V ABI, "Archive File"; contents begin at even places."""
    stated = len(content) if size is None else size
    head = b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name, 0, 0, 0, 0o644, stated)
    return head + content + b"\n" * (len(content) % 2)


def read(source: Source) -> list[str]:
    found = []
    for name, each in members(source, LIMITS):
        if isinstance(each, FormatError):
            found.append(f"{name}{each.offset:#x}: {str(each).partition(f'{each.offset:#x}: ')[2]}")
        else:
            found.append(f"{name} {each.read(0, each.size)!r}")
    return found


NAMES = member(b"//", b"long_name.o/\nother.o/\nlast")
LIBRARIES = {
    "GNU": (member(b"a.o/", b"12") + member(b"b.o/", b"345"), ["a.o b'12'", "b.o b'345'"]),
    "an odd size": (member(b"a.o/", b"1") + member(b"b.o/", b"2"), ["a.o b'1'", "b.o b'2'"]),
    "tables": (
        member(b"/", b"symbols") + member(b"/SYM64/", b"more") + member(b"a.o/", b"12"),
        ["a.o b'12'"],
    ),
    "tables of BSD": (
        member(b"__.SYMDEF", b"symbols")
        + member(b"#1/20", b"__.SYMDEF SORTED\0\0\0\0more")
        + member(b"a.o", b"12"),
        ["a.o b'12'"],
    ),
    "long names": (
        NAMES + member(b"/0", b"1") + member(b"/13", b"2") + b"",
        ["long_name.o b'1'", "other.o b'2'"],
    ),
    "the last long name": (NAMES + member(b"/22", b"1"), ["last b'1'"]),
    "a long name that is not there": (NAMES + member(b"/99", b"1"), [" b'1'"]),
    "long names of BSD": (member(b"#1/8", b"long.o\0\0" + b"12"), ["long.o b'12'"]),
    "a name of BSD longer than all": (member(b"#1/9", b"long.o"), ["long.o b''"]),
    "no text": (member(b"\xff.o/", b"1"), ["\\xff.o b'1'"]),
    "no size": (
        member(b"a.o/", b"1") + member(b"b.o/").replace(b"0         `", b"          `"),
        ["a.o b'1'", "0x46: a damaged member header"],
    ),
    "no mark": (member(b"a.o/", b"1").replace(b"`", b"'"), ["0x8: a damaged member header"]),
    "too large": (
        member(b"a.o/", b"1", 3),
        ["0x8: a member of 3 bytes reaches past the end"],
    ),
    "just as large": (member(b"a.o/", b"1", 2), ["a.o b'1\\n'"]),
    "cut off": (
        member(b"a.o/", b"12") + member(b"b.o/")[:59],
        ["a.o b'12'", "0x46: a member header that is cut off"],
    ),
    "too many": (
        member(b"a.o/", b"12") * 5,
        [*["a.o b'12'"] * 4, "0x100: more than 3 members"],
    ),
    "nothing": (b"", []),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_in_a_library(name: str) -> None:
    data, wanted = LIBRARIES[name]
    assert read(MemorySource(b"!<arch>\n" + data, "lib")) == wanted


def test_a_thin_library_names_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "lib" / "sub").mkdir(parents=True)
    (tmp_path / "lib" / "a.o").write_bytes(b"12")
    (tmp_path / "lib" / "sub" / "long_name.o").write_bytes(b"34")
    (tmp_path / "b.o").write_bytes(b"56")
    (tmp_path / "lib" / "link.o").symlink_to("../b.o")
    for rows, wanted in (
        (
            member(b"//", b"sub/long_name.o/\n") + member(b"a.o/", size=2) + member(b"/0", size=2),
            ["a.o b'12'", "sub/long_name.o b'34'"],
        ),
        (
            member(b"/", b"symbols") + member(b"../b.o/", size=2) + member(b"link.o/", size=2),
            [
                f"{name}{place}: the member '{name}' of this thin archive lies outside its folder;"
                " it is not read"
                for name, place in (("../b.o", "0x4c"), ("link.o", "0x88"))
            ],
        ),
        (
            member(b"c.o/", size=2) + member(b"a\0.o/", size=2),
            [
                "c.o0x8: the member 'c.o' cannot be read: No such file or directory",
                "a\0.o0x44: the member 'a\\x00.o' cannot be read: embedded null byte",
            ],
        ),
    ):
        path = tmp_path / "lib" / "lib.a"
        path.write_bytes(b"!<thin>\n" + rows)
        assert read(FileSource(str(path))) == wanted
        inside = "0x0: a thin archive, whose members are files outside this package"
        assert read(MemorySource(path.read_bytes(), "lib")) == [inside]
