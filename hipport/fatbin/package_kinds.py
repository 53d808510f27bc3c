"""Which kind of package a file is, from its first 512 bytes."""

from __future__ import annotations

AR, THIN_AR = b"!<arch>\n", b"!<thin>\n"
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


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
    """How it is compressed if it is a compressed tar file; "" where it is not compressed."""
    return next((name for magic, name in _COMPRESSIONS.items() if head.startswith(magic)), "")


def is_package(head: bytes) -> bool:
    """Whether it is any of these."""
    return is_ar(head) or is_zip(head) or is_plain_tar(head) or compression(head) != ""
