"""What a conversion ends with: its report, and what was done and is left, on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import reduce
from pathlib import Path

from hipport.commands.output import Output
from hipport.commands.terminal import complain, say, show
from hipport.errors import printable
from hipport.report.context import Context
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.load import load
from hipport.runs.convert import Conversion
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.exit_code import Exit, exit_of_conversion
from hipport.runs.from_here import from_here, sources_from_here, tasks_from_here
from hipport.runs.given import texts
from hipport.source.tree.source_lines import SourceLines


def conclude(
    done: Conversion,
    request: ConvertRequest,
    output: Output,
    folder: str,
    *,
    depfile: Path | None,
    has_report: bool,
    names_changed: bool,
    fails_on_change: bool,
    is_quiet: bool,
) -> int:
    """Print and write what was asked for besides the files; the exit code."""
    if done.verified:
        from hipport.report.verify_summary import verdict_lines

        for line in verdict_lines(done.verified):
            complain(line)
    if has_report:
        _write_report(done, request, output, folder)
    if names_changed:
        for file in done.report.files:
            if file.status == "converted":
                show(printable(str(done.source_of(file.path))))
    exit = exit_of_conversion(
        done.report,
        len(done.faults),
        output.fail_on,
        writes=request.writes,
        fails_on_change=fails_on_change,
    )
    if depfile and not exit.code:
        from hipport.runs.depfile import write_depfile

        write_depfile(depfile, done, request)
    if not is_quiet and (done.tasks or exit.code):
        _close(done, request, output, folder, exit)
    return exit.code


def _write_report(done: Conversion, request: ConvertRequest, output: Output, folder: str) -> None:
    """Write the report: JSON is about the tree, all else is read from the working folder."""
    folder = "" if output.format == "json" else folder
    # Files that were changed in place have other lines now.
    tasks = [] if request.in_place else tasks_from_here(done.tasks, folder)
    output.write(
        from_here(done.report, folder),
        Context(_rules(done, request), SourceLines(tasks), output.fail_on),
    )


def _rules(done: Conversion, request: ConvertRequest) -> Mapping[str, FindingRule]:
    """The rules that name what was found: the audit's too, where a file was reported by them."""
    known = load().findings
    if not request.verify and all(each.code in known for each in done.report.findings):
        return known
    return load(is_audit=True).findings


def _close(
    done: Conversion, request: ConvertRequest, output: Output, folder: str, exit: Exit
) -> None:
    """Say on stderr what was done and what is left."""
    from hipport.report.closing import Ending, next_steps, plain_lines

    where = _where(done, request)
    steps = (
        ()
        if not done.tasks
        else next_steps(
            sys.argv[2:],
            tuple(texts(request.paths)),
            where,
            done.report,
            has_report=bool(output.path),
            writes=request.writes,
            is_verified=request.verify,
        )
    )
    why = f"exit code {exit.code}: {exit.why}" if exit.why else ""
    ending = Ending(where, request.in_place, output.path, steps, why)
    if sys.stderr.isatty():
        from rich.console import Console

        from hipport.report.conversion_summary import write

        console = Console(stderr=True, highlight=False)
        file_of = sources_from_here(done.source_of, folder)
        context = Context(_rules(done, request), fail_on=output.fail_on, file_of=file_of)
        write(from_here(done.report, folder), console, context, ending)
    else:
        for line in plain_lines(done.report, ending):
            say(line)


def _where(done: Conversion, request: ConvertRequest) -> str:
    """The file or folder that holds all results, "" if the sources were changed or none written."""
    if request.in_place:
        return ""
    memories = {task.memory_path for task in done.tasks}
    if len(memories) == 1 and (folder := memories.pop()):
        return str(Path(folder))
    outputs = (str(task.output) for task in done.tasks if task.output)
    common = reduce(lambda *both: os.path.commonpath(both), outputs, next(outputs, ""))
    return str(request.output or common) if common else ""
