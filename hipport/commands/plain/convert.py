"""`hipport convert`: CUDA sources in, HIP sources and a report out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hipport.commands.output import Output
from hipport.commands.terminal import Terminal, complain, show
from hipport.errors import UsageError, logged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hipport.runs.convert import Conversion
    from hipport.runs.convert_request import ConvertRequest
    from hipport.source.tree.file_task import Outcome

_LONG_WORK = 20
_STDOUT = Path("-")


def run(
    paths: Sequence[str],
    diff: bool = False,
    check: bool = False,
    stdin_filename: str = "stdin.cu",
    targets: str = "",
    report_file: Path | None = None,
    depfile: Path | None = None,
    format_: str | None = None,
    fail_on: str = "manual",
    exit_non_zero_on_change: bool = False,
    quiet: bool = False,
    **asked: Any,
) -> int:
    """Convert what the paths name; the exit code. `asked` are fields of ConvertRequest."""
    from hipport.runs.convert import convert
    from hipport.runs.convert_request import ConvertRequest
    from hipport.runs.from_here import folder_of
    from hipport.runs.targets import words

    request = ConvertRequest(
        tuple(paths), **asked, targets=words(targets), writes=not (diff or check), keeps_bytes=diff
    )
    is_stdin = "-" in request.paths
    to_stdout = request.output == _STDOUT
    if to_stdout:
        request = _without_output(request, is_stdin=is_stdin)
    prints = is_stdin or to_stdout or diff or request.explain or exit_non_zero_on_change
    _refuse(request, report_file, depfile, format_, prints=prints)
    output = Output.of(
        report_file, format_ or ("json" if report_file == _STDOUT else None), fail_on
    )
    folder = None if is_stdin else folder_of(request.paths)
    source = Path(request.paths[0]) if to_stdout and not is_stdin else None
    watch = _Printed(folder or "", source, is_quiet=quiet, names_changed=check)
    try:
        done = _from_stdin(stdin_filename, request, watch) if is_stdin else convert(request, watch)
    except KeyboardInterrupt:
        watch.interrupted(goes_on=request.writes)
        raise
    if diff and folder is None and not is_stdin:
        complain("the diff names files from the folder that was given: apply it there")
    from hipport.commands.converted import conclude

    return conclude(
        done,
        request,
        output,
        folder or "",
        depfile=depfile,
        has_report=report_file is not None,
        # Where the result itself is printed, its name would end up in it.
        names_changed=exit_non_zero_on_change and not (is_stdin or to_stdout),
        fails_on_change=check or exit_non_zero_on_change,
        is_quiet=quiet,
    )


def _without_output(request: ConvertRequest, *, is_stdin: bool) -> ConvertRequest:
    """The request for one result on standard output, which has no folder for a header beside it."""
    from msgspec.structs import replace

    from hipport.runs.conversion_options import refuse_contradictions

    if is_stdin:
        return replace(request, output=None)
    refuse_contradictions(request)
    if len(request.paths) > 1 or Path(request.paths[0]).is_dir() or request.shard or request.parts:
        raise UsageError("-o - writes the result of one file", remedy="name a folder")
    if request.explain:
        raise UsageError("--explain writes where the result goes", remedy="name a folder with -o")
    if request.verify:
        raise UsageError("--verify compiles what is written", remedy="name a folder with -o")
    return replace(request, output=None, writes=False, keeps_bytes=True, inline_helpers=True)


def _refuse(
    request: ConvertRequest,
    report_file: Path | None,
    depfile: Path | None,
    format_: str | None,
    *,
    prints: bool,
) -> None:
    """Raise UsageError for files that cannot be written as asked, on standard output too."""
    if report_file == _STDOUT and prints:
        raise UsageError("--report - writes where the result goes", remedy="name a file")
    if format_ and not report_file:
        raise UsageError("--format is that of a report", remedy="add --report FILE, or --report -")
    if depfile:
        from hipport.runs.depfile import refuse_depfile

        refuse_depfile(depfile, request)


class _Printed(Terminal):
    """Prints diffs and explanations of each file as well, and what --check names.

    With `source`, the result of that file is all that is printed.
    """

    def __init__(
        self, folder: str, source: Path | None, *, is_quiet: bool, names_changed: bool
    ) -> None:
        super().__init__(_LONG_WORK, is_quiet=is_quiet)
        self._folder = folder
        self._source = source
        self._names_changed = names_changed

    def outcome(self, outcome: Outcome) -> None:
        if self._source:
            if not outcome.error:
                # A file of which nothing is converted is not kept.
                sys.stdout.buffer.write(outcome.new or self._source.read_bytes())
            return
        from hipport.report.conversion import print_changes

        print_changes(outcome, self._folder)
        if self._names_changed and outcome.file.status == "converted":
            show(logged(outcome.file.path))


def _from_stdin(name: str, request: ConvertRequest, watch: Terminal) -> Conversion:
    """Convert standard input to standard output."""
    from hipport.runs.conversion_options import refuse_contradictions
    from hipport.runs.convert import Conversion
    from hipport.runs.convert_text import convert_text, language_of_text
    from hipport.source.tree.file_task import LARGEST_SOURCE

    refuse_contradictions(request)
    _refuse_for_stdin(request)
    language_of_text(name, request)
    data = sys.stdin.buffer.read(LARGEST_SOURCE + 1)
    if len(data) > LARGEST_SOURCE:
        raise UsageError(
            f"standard input: larger than {LARGEST_SOURCE >> 20} MiB", remedy="leave it out"
        )
    converted = convert_text(data, name, request, watch)
    if request.writes:
        sys.stdout.buffer.write(converted.data)
    return Conversion(converted.report, (), [], lambda _: Path(name))


def _refuse_for_stdin(request: ConvertRequest) -> None:
    """Raise UsageError for what cannot be done with standard input."""
    if request.explain and request.writes:
        raise UsageError(
            "--explain writes where the result goes", remedy="add --check, or name a file"
        )
    if len(request.paths) > 1 or request.in_place or request.output:
        raise UsageError(
            "- converts standard input to standard output", remedy="give no other path, no -o"
        )
    if request.verify:
        raise UsageError("--verify compiles what is written", remedy="drop -, --diff and --check")
    if request.semantic:
        raise UsageError("--semantic reads the files beside a source", remedy="name the file")
