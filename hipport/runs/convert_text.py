"""Converts one text in memory."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import msgspec
from msgspec.structs import replace

from hipport.errors import HipportError, UsageError, printable
from hipport.model import FileReport, Report
from hipport.runs.conversion_options import build_files, refuse_contradictions, settings_of
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.settings import Settings
from hipport.runs.watch import Watch
from hipport.source.buildfiles.build_kinds import build_kind
from hipport.source.tree.file_task import LARGEST_SOURCE, Outcome, Task, language_of
from hipport.source.tree.run_tasks import convert_bytes
from hipport.source.tree.tree_report import report_of


class TextConversion(msgspec.Struct, frozen=True):
    """A converted text, and the report on it."""

    data: bytes
    report: Report


def language_of_text(name: str, request: ConvertRequest) -> tuple[str, bool]:
    """The language of a text of that name, and whether it is a build file.

    Raises UsageError where nothing of that name is converted.
    """
    build = build_kind(name, build_files(request))
    language = build or language_of(name)
    if not language:
        raise UsageError(
            f"--stdin-filename {name}: not a source file's name", remedy="end it in .cu"
        )
    return language, bool(build)


def settings_of_text(request: ConvertRequest) -> Settings:
    """The request over the configuration of a text, which has no folder for a header beside it."""
    return settings_of(replace(request, inline_helpers=True))


def convert_text(
    data: bytes,
    name: str,
    request: ConvertRequest,
    watch: Watch | None = None,
    settings: Settings | None = None,
) -> TextConversion:
    """Convert a text; its name decides its language and where its configuration is looked for.

    `settings` are those of the request, if it is not the first text that they are used for. Raises
    HipportError for what cannot be converted at all.
    """
    settings = settings or settings_of_text(request)
    refuse_contradictions(request)
    language, is_build_file = language_of_text(name, request)
    if len(data) > LARGEST_SOURCE:
        raise HipportError(f"{name}: larger than {LARGEST_SOURCE >> 20} MiB", remedy="leave it out")
    # Reports name no place outside the tree, and here there is none.
    path = PurePosixPath(name)
    shown = printable(path.name if path.is_absolute() or ".." in path.parts else str(path))
    outcome = Outcome(FileReport(shown, language, "failed"))
    task = Task(
        ".",
        Path(name).as_posix(),
        shown,
        language,
        "",
        keeps_bytes=request.keeps_bytes,
        explains=request.explain,
        is_build_file=is_build_file,
    )
    new = convert_bytes(data, task, settings.decisions(Path(name)), outcome)
    outcome.file.status = "converted" if new != data else "unchanged"
    if request.writes:
        outcome.file.output = "-"
    (watch or Watch()).outcome(outcome)
    report = report_of([outcome])
    report.findings = settings.judged(report.findings, lambda _: Path(name))
    return TextConversion(new, report)
