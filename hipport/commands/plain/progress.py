"""What is being read, on a terminal, once it takes longer than two seconds."""

from __future__ import annotations

import sys
from threading import Event, Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hipport.fatbin.binary import Binary

_AFTER, _EVERY = 2.0, 0.5
_ERASE = "\r\x1b[K"


class Progress:
    """A line on stderr that a thread keeps up to date; `show` it for each file, `stop` it."""

    def __init__(self) -> None:
        self._binary: Binary | None = None
        self._done = Event()
        self._shown = False
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def show(self, binary: Binary) -> None:
        self._binary = binary

    def stop(self) -> None:
        """Erase the line; nothing is written after this."""
        self._done.set()
        self._thread.join()
        if self._shown:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()

    def _work(self) -> None:
        if self._done.wait(_AFTER):
            return
        while not self._done.wait(_EVERY):
            sys.stderr.write(_ERASE + described(self._binary))
            sys.stderr.flush()
            self._shown = True


def described(binary: Binary | None) -> str:
    """The file, and how many of its bundles were read."""
    from hipport.fatbin.format_error import printable

    if binary is None:
        return "reading …"
    text = f"reading {printable(binary.path)[-60:]}"
    count = len(binary.bundles)
    return f"{text}: bundle {binary.reading + 1} of {count}" if count > 1 else text
