"""Digests of what is read piece by piece."""

from __future__ import annotations

import hashlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from queue import Queue
    from threading import Thread

    from hipport.fatbin.byte_source import Source

_WORTH_A_THREAD = 8 << 20
_WAITING = 4
"""Pieces that may wait: so many MiB at most."""


def sha256(source: Source) -> str:
    """The SHA-256 of the bytes, in hexadecimal digits."""
    found = hashlib.sha256()
    for piece in source.pieces():
        found.update(piece)
    return found.hexdigest()


class Digest:
    """An MD5 computed in a thread beside the reader, as it takes longer than decompressing.

    Call `update` with each piece, then always `finish`: the thread waits for more."""

    def __init__(self, size: int) -> None:
        self._digest = hashlib.md5(usedforsecurity=False)
        self._queue: Queue[bytes] | None = None
        self._thread: Thread | None = None
        if size >= _WORTH_A_THREAD:
            from queue import Queue
            from threading import Thread

            self._queue = Queue(_WAITING)
            self._thread = Thread(target=self._work, args=(self._queue,), daemon=True)
            self._thread.start()

    def update(self, piece: bytes) -> None:
        if self._queue is None:
            self._digest.update(piece)
        elif piece:
            self._queue.put(piece)

    def finish(self) -> bytes:
        """The digest of all pieces."""
        if self._queue is not None and self._thread is not None:
            self._queue.put(b"")
            self._thread.join()
            self._queue = None
        return self._digest.digest()

    def _work(self, queue: Queue[bytes]) -> None:
        while piece := queue.get():
            self._digest.update(piece)
