"""The least that reads the same: what benchmarks/fatbin.py compares with.

`list FILE` prints the entries of every bundle of an ELF library from its headers, `decode FILE`
decodes every metadata note with msgpack. Sound files only: nothing is checked.
"""

import mmap
import struct
import sys
from pathlib import Path


def bundles(data):
    """(Offset, entries) of the bundles in .hip_fatbin."""
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    strings = sections[names][4]
    for section in sections:
        if data[strings + section[0] : strings + section[0] + 12] != b".hip_fatbin\0":
            continue
        start, end = section[4], section[4] + section[5]
        at = start
        while at < end:
            if data[at : at + 24] != b"__CLANG_OFFLOAD_BUNDLE__":
                at += 4096
                continue
            (count,) = struct.unpack_from("<Q", data, at + 24)
            position, last, entries = at + 32, 0, []
            for _ in range(count):
                offset, size, length = struct.unpack_from("<QQQ", data, position)
                name = data[position + 24 : position + 24 + length].decode()
                entries.append((name, offset, size))
                position += 24 + length
                last = max(last, offset + size)
            yield at, entries
            at = start + (at + last - start + 4095) // 4096 * 4096


def notes(data):
    """The metadata notes of all code objects."""
    for at, entries in bundles(data):
        for _, offset, size in entries:
            if not size:
                continue
            start = at + offset
            (table,) = struct.unpack_from("<Q", data, start + 32)
            (count,) = struct.unpack_from("<H", data, start + 56)
            for number in range(count):
                kind, _, place = struct.unpack_from("<IIQ", data, start + table + 56 * number)
                if kind != 4:
                    continue
                _, length, what = struct.unpack_from("<III", data, start + place)
                if what == 32:
                    yield data[start + place + 20 : start + place + 20 + length]


def main():
    what, path = sys.argv[1:]
    with (
        Path(path).open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        if what == "list":
            for at, entries in bundles(data):
                for name, offset, size in entries:
                    print(at, name, offset, size)
        else:
            import msgpack

            print(sum(len(msgpack.unpackb(note)["amdhsa.kernels"]) for note in notes(data)))


if __name__ == "__main__":
    main()
