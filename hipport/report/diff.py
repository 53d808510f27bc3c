"""The change of one file as a unified diff that `patch -p1` applies."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def diff(path: str, old: bytes, new: bytes) -> Iterator[bytes]:
    """The lines of the diff, none where nothing changed. Only a line feed ends a line."""
    # A tab ends a name that holds blanks: see the GNU diffutils manual, "File names with blanks".
    end = "\t" if " " in path else ""
    lines = difflib.unified_diff(
        _lines(old), _lines(new), f"a/{path}{end}", f"b/{path}{end}", lineterm="\n"
    )
    for number, line in enumerate(lines):
        # The first two lines hold the path, the others bytes of the file.
        data = line.encode("utf-8" if number < 2 else "latin-1")
        yield data if data.endswith(b"\n") else data + b"\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str]:
    return [line.decode("latin-1") for line in _LINE.findall(data)]
