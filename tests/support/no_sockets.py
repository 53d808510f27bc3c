"""A filter of system calls (seccomp(2)) that ends whoever asks the kernel for a network socket."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

# linux/audit.h and the tables of system calls: architecture, number of socket(2).
_SYSTEMS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
_AF_UNIX = 1
_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FAMILY_AT = 0, 4, 16
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


def forbid_sockets() -> None:
    """Have the kernel end this process and its children at the first socket."""
    architecture, socket = _SYSTEMS[platform.machine()]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 0, 5, architecture),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_EQUAL, 0, 2, socket),
        (_LOAD, 0, 0, _FAMILY_AT),
        (_EQUAL, 0, 1, _AF_UNIX),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _KILL),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    filter_ = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(_SECCOMP, _FILTER, filter_)
    assert done == 0, os.strerror(ctypes.get_errno())
