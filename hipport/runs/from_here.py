"""A conversion's report as it is read from the working folder: by editors, CI and `patch -p1`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from hipport.model import Records, Report
from hipport.runs.given import AnyPath, texts
from hipport.source.tree.file_task import Task
from hipport.spool import Spool


def folder_of(paths: Iterable[AnyPath]) -> str | None:
    """The folder that names in the report of a conversion of the paths begin in, with a slash.

    "" for the working folder, None for one that is not below it.
    """
    given = [Path(os.path.normpath(Path(each).absolute())) for each in dict.fromkeys(texts(paths))]
    if len(given) == 1:
        base = given[0] if given[0].is_dir() else given[0].parent
    else:
        base = Path(os.path.commonpath([each.parent for each in given]))
    here = Path.cwd()
    if not base.is_relative_to(here):
        return None
    below = base.relative_to(here).as_posix()
    return "" if below == "." else f"{below}/"


def from_here(report: Report, folder: str) -> Report:
    """The report with its paths below a folder of the working folder."""
    if not folder:
        return report
    return replace(
        report,
        files=Spool(replace(each, path=folder + each.path) for each in report.files),
        findings=Spool(replace(each, path=folder + each.path) for each in report.findings),
    )


def tasks_from_here(tasks: Iterable[Task], folder: str) -> Records[Task]:
    """The tasks with the names that such a report has for them."""
    return Spool(each._replace(name=folder + each.name) for each in tasks)


def sources_from_here(
    source_of: Callable[[str], Path | None], folder: str
) -> Callable[[str], Path | None]:
    """The file at a path of such a report."""
    return lambda path: source_of(path.removeprefix(folder))
