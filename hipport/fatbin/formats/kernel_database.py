"""SQLite databases with code objects in them: MIOpen's `.kdb` and rocFFT's kernel cache.

MIOpen (src/include/miopen/kern_db.hpp): table kern_db, kernel_blob compressed with bzip2 where
uncompressed_size is not 0. rocFFT (library/src/rtc_cache.cpp): table cache_v1, code. Any blob that
is a code object, a bundle, or bzip2 data with one inside counts, whatever the name of its table.

The database is read only and never written beside: a file is opened as immutable, everything else
as a copy in memory. The only SQL that runs reads tables.
"""

from __future__ import annotations

import threading

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import FileSource, MemorySource, Source
from hipport.fatbin.compression import Stream
from hipport.fatbin.elf_file import EM_AMDGPU, Elf
from hipport.fatbin.elf_file import MAGIC as ELF_MAGIC
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import RAISE_LIMIT, Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "kernel database"
MAGIC = b"SQLite format 3\0"
_BZIP2 = b"BZh"
_MAX_TABLES, _MAX_COLUMNS = 64, 64
_LOOK = 64
_MAX_FAULTS = 64
_NAMES = ("kernel_name", "kernel_args", "arch")
_SIZE = "uncompressed_size"
_STEPS, _MOST_CALLS = 1_000_000, 20_000
"""Instructions of SQLite between two checks of their number, and the highest number of checks."""


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(source: Source, limits: Limits) -> Bundle:
    """One entry for each blob that is a code object; none in other databases."""
    import sqlite3

    bundle = Bundle(NAME, source, source.size)
    try:
        database = _Database(source, limits)
        entries: list[BundleEntry] = []
        for table, column, others in database.blobs():
            for row in database.rows(table, column, others):
                try:
                    _add(entries, bundle, database, (table, column), row)
                except FormatError as error:
                    bundle.record(error)
                if len(entries) > limits.max_all_entries or len(bundle.faults) > _MAX_FAULTS:
                    raise source.fault(0, "too many code objects or damaged rows; gave up")
        bundle.entries = tuple(entries)
    except (sqlite3.Error, ValueError, OverflowError) as error:  # names that are no UTF-8
        raise source.fault(0, f"a damaged SQLite database: {error}") from None
    return bundle


Row = tuple[int, int, bytes, int, str]
"""Row ID, size and first bytes of a blob, its uncompressed size if stated, and what names it."""


class _Database:
    """A connection that can only read tables."""

    def __init__(self, source: Source, limits: Limits) -> None:
        import sqlite3
        from urllib.parse import quote

        self.source, self.limits = source, limits
        self.lock = threading.Lock()
        if isinstance(source, FileSource) and source.path:
            path = f"file:{quote(source.path)}?mode=ro&immutable=1"
            connection = sqlite3.connect(path, uri=True, check_same_thread=False)
        else:
            if source.size > limits.max_size:
                what = f"a database of {source.size} bytes; the limit is {limits.max_size}"
                raise source.fault(0, what, remedy=RAISE_LIMIT)
            connection = sqlite3.connect(":memory:", check_same_thread=False)
            copy = bytearray(source.read(0, source.size))
            # File format, "File format version numbers": a copy has no write-ahead log.
            copy[18:20] = b"\x01\x01"
            connection.deserialize(copy)
        connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
        self._connection = connection
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limits.max_size, 1 << 30))
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        for pragma in ("trusted_schema=off", "query_only=on", "cell_size_check=on", "mmap_size=0"):
            connection.execute(f"pragma {pragma}")
        connection.set_authorizer(_authorise)
        self._calls = 0
        connection.set_progress_handler(self._too_long, _STEPS)

    def _too_long(self) -> bool:
        self._calls += 1
        return self._calls > _MOST_CALLS

    def blobs(self) -> Iterator[tuple[str, str, list[str]]]:
        """Table, column and all columns of what may hold blobs, by their declarations."""
        rows = self._connection.execute(
            "select name, sql from sqlite_master where type = 'table' order by rootpage"
        ).fetchmany(_MAX_TABLES)
        for name, sql in rows:
            if not isinstance(name, str) or name.startswith("sqlite_"):
                continue
            if not isinstance(sql, str) or sql.lower().lstrip().startswith("create virtual"):
                continue
            found = self._connection.execute(f"select * from {_quoted(name)} limit 0").description
            columns = [str(each[0]) for each in found][:_MAX_COLUMNS]
            for column in columns:
                yield name, column, columns

    def rows(self, table: str, column: str, columns: list[str]) -> Iterator[Row]:
        """The blobs of a column that are not empty."""
        import sqlite3

        size = _quoted(_SIZE) if _SIZE in columns else "0"
        names = "".join(f", {_quoted(each)}" for each in _NAMES if each in columns)
        where = _quoted(column)
        try:
            cursor = self._connection.execute(
                f"select rowid, length({where}), substr({where}, 1, {_LOOK}), {size}{names} "
                f"from {_quoted(table)} where typeof({where}) = 'blob' and length({where}) > 4"
            )
        except sqlite3.OperationalError:  # no row IDs: neither program makes such tables
            return
        for number, length, head, stated, *named in cursor:
            if isinstance(number, int) and isinstance(head, bytes):
                label = " ".join(text for text in named if isinstance(text, str))
                yield number, length, head, stated if isinstance(stated, int) else 0, label

    def blob(self, table: str, column: str, row: int) -> bytes:
        query = f"select {_quoted(column)} from {_quoted(table)} where rowid = ?"
        with self.lock:
            found = self._connection.execute(query, (row,)).fetchone()
        return found[0] if found and isinstance(found[0], bytes) else b""


def _authorise(action: int, first: str | None, second: str | None, *_: object) -> int:
    import sqlite3

    if action in (sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION:
        # A column may be defined by a function: its value is NULL then.
        known = second in ("length", "substr", "typeof")
        return sqlite3.SQLITE_OK if known else sqlite3.SQLITE_IGNORE
    return sqlite3.SQLITE_DENY


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _add(
    entries: list[BundleEntry],
    bundle: Bundle,
    database: _Database,
    place: tuple[str, str],
    row: Row,
) -> None:
    """The row's entry, if it holds code."""
    number, length, head, stated, label = row
    packed = head.startswith(_BZIP2)
    entry = _Blob(bundle, len(entries), "", 0, length)
    entry.database, entry.place, entry.row, entry.packed = database, place, number, packed
    if packed:
        entry.size = stated
        data = database.blob(*place, number)
        source = MemorySource(data, entry.label)
        head = b"".join(Stream(source, "bz2", _LOOK).pieces(_LOOK))[:_LOOK]
    if not head.startswith(ELF_MAGIC) or head[18:20] != EM_AMDGPU.to_bytes(2, "little"):
        return
    if packed and not stated:
        entry.size = entry.source().size
    from hipport.fatbin.object.elf_flags import target_of_flags

    target = target_of_flags(Elf(MemorySource(head, entry.label))).target
    entry.id = f"hip-amdgcn-amd-amdhsa--{target}"
    entry.image_kind = label
    entries.append(entry)


class _Blob(BundleEntry):
    """A row's code object, fetched when it is asked for."""

    __slots__ = ("database", "packed", "place", "row")
    database: _Database
    place: tuple[str, str]
    row: int
    packed: bool

    @property
    def label(self) -> str:
        return f"{self.bundle.stored.label}[{self.place[0]}, row {self.row}]"

    def source(self) -> Source:
        import sqlite3

        limit = self.database.limits.max_size
        try:
            data = self.database.blob(*self.place, self.row)
        except sqlite3.Error as error:
            raise self.bundle.stored.fault(
                0, f"row {self.row} of {self.place[0]}: {error}"
            ) from None
        source = MemorySource(data, self.label)
        if not self.packed:
            return source
        content = b"".join(Stream(source, "bz2", limit).pieces())
        if len(content) > limit:
            raise source.fault(0, f"more than {limit} bytes decompressed", remedy=RAISE_LIMIT)
        if self.size and len(content) != self.size:
            raise source.fault(0, f"decompresses to {len(content)} bytes, declares {self.size}")
        return MemorySource(content, self.label)
