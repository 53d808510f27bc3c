"""Records kept in order, on disk once they are many: their number costs no memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, Generic, TypeVar

from hipport.errors import HipportError

_Record = TypeVar("_Record")
_CHUNK = 2_000


class Spool(Generic[_Record]):
    """A list that is read from its beginning, as often as one likes, and only grows.

    What does not fit into a chunk goes to a temporary file without a name, which nobody else can
    write to: pickle may be trusted with it. Raises HipportError where the disk is full.
    """

    def __init__(self, records: Iterable[_Record] = ()) -> None:
        self._last: list[_Record] = []
        self._places: list[int] = []
        self._file: BinaryIO | None = None
        self.extend(records)

    def append(self, record: _Record) -> None:
        self._last.append(record)
        if len(self._last) == _CHUNK:
            self._store()

    def extend(self, records: Iterable[_Record]) -> None:
        for each in records:
            self.append(each)

    def __iter__(self) -> Iterator[_Record]:
        for place in self._places:
            import pickle

            assert self._file is not None
            self._file.seek(place)
            yield from pickle.load(self._file)
        yield from self._last

    def __len__(self) -> int:
        return len(self._places) * _CHUNK + len(self._last)

    def _store(self) -> None:
        import pickle
        import tempfile

        try:
            self._file = self._file or tempfile.TemporaryFile(prefix="hipport-")  # noqa: SIM115
            self._places.append(self._file.seek(0, 2))
            pickle.dump(self._last, self._file, pickle.HIGHEST_PROTOCOL)
            self._file.flush()
        except OSError as error:
            raise HipportError(
                f"{tempfile.gettempdir()}: cannot keep results there: {error.strerror}",
                remedy="free some space, or set TMPDIR to another folder",
            ) from error
        self._last = []
