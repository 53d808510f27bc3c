"""The least that compressed bundles cost: `python benchmarks/fatbin_floor.py FILE`.

Reads each bundle of an ELF library, decompresses it with libzstd and works out its MD5 in a thread
beside that, as `hipport fatbin` does. Sound files only: no hash is compared, no kernel is read.
"""

import hashlib
import mmap
import struct
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_PIECE = 1 << 20
_FORMS = {2: struct.Struct("<HHIIQ"), 3: struct.Struct("<HHQQQ")}


def streams(data):
    """The zstd stream of every compressed bundle."""
    at = data.find(b"CCOB")
    while at >= 0:
        (version,) = struct.unpack_from("<H", data, at + 4)
        form = _FORMS.get(version)
        if form is None or at % 8:
            at = data.find(b"CCOB", at + 4)
            continue
        _, _, total, _, _ = form.unpack_from(data, at + 4)
        yield memoryview(data)[at + 4 + form.size : at + total]
        at = data.find(b"CCOB", at + total)


def main():
    size = 0
    with (
        Path(sys.argv[1]).open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ThreadPoolExecutor(1) as beside,
    ):
        for stream in streams(data):
            decompressor, digest, waiting = zstd.ZstdDecompressor(), hashlib.md5(), []
            start = 0
            while not decompressor.eof:
                piece = b""
                if decompressor.needs_input:
                    piece, start = stream[start : start + _PIECE], start + _PIECE
                piece = decompressor.decompress(piece, _PIECE)
                size += len(piece)
                waiting.append(beside.submit(digest.update, piece))
                if len(waiting) > 4:
                    waiting.pop(0).result()
            for each in waiting:
                each.result()
            stream.release()
    print(size)


if __name__ == "__main__":
    main()
