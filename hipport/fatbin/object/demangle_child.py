"""Run as a program: demangles the lines of stdin. One line out for each, empty if refused.

The output has to be a file: the parent writes everything before it reads.
"""

import ctypes
import ctypes.util
import sys

MEMORY, SECONDS, LONGEST = 1 << 28, 30, 1 << 16


def limit() -> None:
    """No more than 256 MiB, as much output, and 30 s of processor time, where limits exist."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def runtime() -> ctypes.CDLL:
    """A C++ runtime with the demangler of the Itanium ABI."""
    for name in ("libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib", "libc++.1.dylib"):
        try:
            library = ctypes.CDLL(name)
            library.__cxa_demangle  # noqa: B018
            return library
        except (OSError, AttributeError):
            continue
    sys.exit(1)


def main() -> None:
    library = runtime()
    limit()
    demangle, free = library.__cxa_demangle, ctypes.CDLL(None).free
    demangle.restype = ctypes.c_void_p
    demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    free.argtypes = [ctypes.c_void_p]
    free.restype = None
    text_at, write = ctypes.string_at, sys.stdout.buffer.write
    for line in sys.stdin.buffer:
        pointer = demangle(line.rstrip(b"\n"), None, None, None)
        text = b""
        if pointer:
            text = text_at(pointer)
            free(pointer)
        write(text + b"\n" if len(text) <= LONGEST else b"\n")


main()
