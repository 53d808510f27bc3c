"""The processor time that one file on the disk may take, with all that is packed in it."""

from __future__ import annotations

from time import process_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeVar

    from hipport.fatbin.byte_source import Source

    _Thing = TypeVar("_Thing")


_REMEDY = "if the file is trusted, allow more time with --timeout"


class Clock:
    """Counts down while the caller asks for the items read from a file."""

    def __init__(self, seconds: int, remedy: str = _REMEDY) -> None:
        self.seconds = seconds
        self._remedy = remedy
        self._left = float(seconds)
        self._is_running = False

    def timed(self, things: Iterator[_Thing], source: Source) -> Iterator[_Thing]:
        """The same items. The caller's work on each counts too, until it asks for the next one.

        Raises FormatError once no time is left. Nested inside another, only the outer one counts.
        """
        counts, self._is_running = not self._is_running, True
        try:
            before = process_time()
            for thing in things:
                self.check(source)
                yield thing
                if counts:
                    now = process_time()
                    self._left -= now - before
                    before = now
        finally:
            if counts:
                self._is_running = False

    def check(self, source: Source) -> None:
        """Raises FormatError where no time is left."""
        if self._left < 0:
            what = f"took more than {self.seconds} s of processor time; what follows is not read"
            raise source.fault(0, what, remedy=self._remedy)
