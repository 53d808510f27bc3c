"""What was audited, and when."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from hipport.errors import printable
from hipport.gitindex import commit_of
from hipport.named_tuples import NamedTuple
from hipport.runs.given import AnyPath, texts


class Subject(NamedTuple):
    """The subject and the date of an audit, for a report that is passed on."""

    name: str
    path: str = ""
    """The folder or file, absolute."""
    commit: str = ""
    """The commit that git has checked out there; files may differ from it."""
    date: str = ""
    """The day of the audit, ISO 8601."""


def subject_of(paths: Sequence[AnyPath]) -> Subject:
    """What a report calls the files and folders that were named.

    The date is that of SOURCE_DATE_EPOCH where it is set, so that a report can be made again:
    https://reproducible-builds.org/specs/source-date-epoch/
    """
    given = [Path(os.path.realpath(each)) for each in texts(paths) or ["."] if each != "-"]
    date = _now().date().isoformat()
    if not given:
        return Subject("standard input", date=date)
    top = Path(os.path.commonpath(given))
    name = given[0].name if len(given) == 1 else top.name
    return Subject(printable(name or str(top)), printable(str(top)), commit_of(top), date)


def _now() -> datetime:
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else datetime.now(UTC)
