"""The Strings tab: printable text in a file, bundle or code object."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.byte_source import PIECE, Source
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.tui.content.hexfields import source_of
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope
from hipport.tui.spans import Span
from hipport.tui.table import Column, Table
from hipport.tui.view_settings import Settings

_TEXT = regex(rb"[\x20-\x7e]{6,4096}")
MOST_BYTES = 64 << 20
MOST_STRINGS = 100_000


class Text(NamedTuple):
    offset: int
    text: str


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[Table[Text]]:
    """The table of strings of at least six characters."""
    source = source_of(library, scope)
    if source is None:
        yield strings_table([], "choose a file, bundle or target")
        return
    found, end = [], min(source.size, MOST_BYTES)
    note = "" if end == source.size else f"only the first {MOST_BYTES >> 20} MiB were searched"
    for text in strings(source, end, progress):
        found.append(text)
        if len(found) == MOST_STRINGS:
            note = f"only the first {MOST_STRINGS} strings are shown"
            break
    yield strings_table(found, "cancelled before the end" if progress.cancelled else note)


def strings(source: Source, end: int, progress: Progress) -> Iterator[Text]:
    """The strings up to `end`; one that crosses a boundary between pieces is split."""
    for start in range(0, end, PIECE):
        if progress.cancelled:
            return
        progress.report(start, end, "strings")
        data = source.read(start, min(PIECE, end - start))
        for match in _TEXT.finditer(data):
            yield Text(start + match.start(), match.group().decode("ascii"))


def strings_table(found: list[Text], note: str) -> Table[Text]:
    columns: list[Column[Text]] = [
        Column("text", 20, lambda item: Span(item.text), lambda item: item.text, False, False),
        Column("offset", 10, lambda item: Span(f"{item.offset:#x}", "dim"), lambda i: i.offset),
        Column("length", 6, lambda item: Span(str(len(item.text)), "dim"), lambda i: len(i.text)),
    ]
    return Table(columns, found, [item.text.lower() for item in found], note)
