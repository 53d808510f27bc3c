"""Which kind of package a file is, from its first 512 bytes."""

from __future__ import annotations

from hipport.zstd import MAGIC as ZSTD_MAGIC

AR, THIN_AR = b"!<arch>\n", b"!<thin>\n"
# RFC 1952 (method 8, deflate); bzip2's header and its first block or its end; the .xz file format,
# "Stream Header"; RFC 8878. Two or three bytes alone occur in files of any kind.
_COMPRESSIONS = (
    (b"\x1f\x8b\x08", b"", "gzip"),
    (b"BZh", b"1AY&SY", "bz2"),
    (b"BZh", b"\x17rE8P\x90", "bz2"),
    (b"\xfd7zXZ\0", b"", "xz"),
    (ZSTD_MAGIC, b"", "zstd"),
)
# What else is a compressed file or a package; none of them is opened. LZ4 frame format, current and
# legacy; 7zFormat.txt; the rpm lead; lzip and RAR by their magic numbers.
_NOT_OPENED = {
    b"\x04\x22\x4d\x18": "an lz4 file",
    b"\x02\x21\x4c\x18": "an lz4 file",
    b"7z\xbc\xaf\x27\x1c": "a 7z file",
    b"\xed\xab\xee\xdb": "an rpm package",
    b"LZIP\x01": "an lzip file",
    b"Rar!\x1a\x07": "a RAR file",
}
# LZMA and compress begin like files of any kind: only a file that the user named counts as one.
_MAYBE = {b"\x5d\0\0": "an lzma file", b"\x1f\x9d": "a file of compress"}


def is_ar(head: bytes) -> bool:
    """Whether it is a static library (System V ABI, "Archive File")."""
    return head.startswith((AR, THIN_AR))


def is_zip(head: bytes) -> bool:
    """Whether it is a zip file or a wheel (PKWARE APPNOTE 6.3)."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_plain_tar(head: bytes) -> bool:
    """Whether it is a tar file that is not compressed (POSIX.1-2001)."""
    return head[257:262] == b"ustar"


def compression(head: bytes) -> str:
    """How the file is compressed, a tar file or any other; "" where it is not compressed."""
    return next(
        (
            name
            for magic, block, name in _COMPRESSIONS
            if head.startswith(magic) and (not block or head[4:10] == block)
        ),
        "",
    )


def not_opened(head: bytes, *, named: bool = False) -> str:
    """What the file is if it is a package or compressed in a way that is not opened; else "".
    `named`: the user named it, so that two bytes are enough to say what it may be."""
    known = _NOT_OPENED | _MAYBE if named else _NOT_OPENED
    return next((name for magic, name in known.items() if head.startswith(magic)), "")


def is_package(head: bytes) -> bool:
    """Whether it is any of these."""
    return is_ar(head) or is_zip(head) or is_plain_tar(head) or compression(head) != ""


def is_tensile_index(head: bytes) -> bool:
    """Whether it is an index of Tensile: a small MessagePack map whose first key is `solutions`."""
    return 0x80 < (head or b"\0")[0] < 0x90 and head.startswith(b"\xa9solutions", 1)
