"""Files that appear whole or not at all, under names that stay inside their folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hipport.errors import os_error
from hipport.lazy_regex import regex

_UNSAFE = regex(r"[^A-Za-z0-9._+-]+")
_LONGEST = 120


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# Asked once: the question changes the mask for a moment, which other threads would see.
_MODE = 0o666 & ~_umask()


def safe_name(text: str) -> str:
    """The text as part of a file name: no separators, no leading dot, at most 120 characters."""
    name = _UNSAFE.sub("_", text).lstrip(".") or "_"
    return name if len(name) <= _LONGEST else name[:40] + "__" + name[-(_LONGEST - 42) :]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the path's place at the end; on an error nothing is left.

    A link at the path is replaced and not followed.
    """
    try:
        handle, temporary = tempfile.mkstemp(prefix=".hipport-", dir=path.parent)
    except OSError as error:
        raise os_error(path, "cannot write", error) from None
    try:
        os.close(handle)
        with Path(temporary).open("wb") as file:  # its name is a path, for those who read it again
            yield file
        Path(temporary).chmod(_MODE)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
