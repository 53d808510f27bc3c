"""`hipport convert`: CUDA sources in, HIP sources and a report out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hipport.commands.completing import complete_targets
from hipport.commands.configured import config_options, target_options
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output import Output, fail_on_option, format_option
from hipport.commands.sections import CONVERT
from hipport.commands.terminal import Terminal, complain
from hipport.errors import UsageError, logged

if TYPE_CHECKING:
    from hipport.runs.convert import Conversion
    from hipport.runs.convert_request import ConvertRequest
    from hipport.source.tree.file_task import Outcome

_LONG_WORK = 20
_STDOUT = Path("-")

EPILOG = """\b
Examples:
  hipport convert src/                       a converted copy in src_hip/
  hipport convert --in-place --backup .cuda src/
  hipport convert --diff kernel.cu | less
  hipport convert --check --report todo.json src/
"""


@click.command(cls=SectionedCommand, sections=CONVERT, epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the result to this folder (- for stdout, of one file).",
)
@click.option("--in-place", is_flag=True, help="Convert the files in place.")
@click.option(
    "--backup",
    metavar="SUFFIX",
    default="",
    help="With --in-place: keep the originals under this suffix.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Overwrite manual edits in the result; with --in-place, convert files that git has"
    " no copy of.",
)
@click.option("--diff", is_flag=True, help="Write nothing; print a unified diff.")
@click.option(
    "--explain", is_flag=True, help="For each edit, print the rule that made it and the evidence."
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a file would change.")
@click.option("--stdin-filename", default="stdin.cu", help="File name for `-`; sets its language.")
@click.option(
    "--rename", multiple=True, metavar=".cu=.hip", help="Rename the files with this extension."
)
@click.option(
    "--launch",
    type=click.Choice(["ggl", "keep"]),
    help="Kernel launches: use hipLaunchKernelGGL (ggl, the default), or keep <<<>>> (keep).",
)
@target_options
@click.option(
    "--unsafe", is_flag=True, help="Also apply rewrites that may change what the code does."
)
@click.option(
    "--guards",
    is_flag=True,
    help="Make guards such as #ifdef __CUDACC__ accept both CUDA and HIP.",
)
@click.option(
    "--kernel-string",
    "kernel_strings",
    multiple=True,
    metavar="NAME",
    help="Also convert the kernel in the string that this variable or macro holds.",
)
@click.option(
    "--torch",
    is_flag=True,
    help="Replace PyTorch's own names with those for ROCm, as the installed PyTorch lists them.",
)
@click.option(
    "--helpers/--no-helpers",
    default=True,
    help="Use a helper header for functions that HIP lacks (the default), or report them.",
)
@click.option(
    "--inline-helpers",
    is_flag=True,
    help="Put the helpers into each file that needs them, not into a header.",
)
@click.option(
    "--build-files/--no-build-files",
    default=True,
    help="Convert CMake files and makefiles, and report other build files (the default).",
)
@click.option(
    "--scripts", is_flag=True, help="Also convert shell and batch scripts: MPI, NCCL, compilers."
)
@click.option(
    "--targets",
    shell_complete=complete_targets,
    metavar="gfx90a,gfx942",
    default="",
    help="The GPUs to name in build files.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Copy matching files unconverted; patterns as in .gitignore.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    help="Write a report to this file (- for stdout); the extension chooses the format.",
)
@click.option(
    "--depfile",
    type=click.Path(path_type=Path),
    metavar="FILE.d",
    help="For make, ninja, and Meson: write FILE when done, and its dependencies to FILE.d.",
)
@format_option
@fail_on_option
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help="Number of processes; by default, as many as the amount of work justifies.",
)
@click.option(
    "--shard",
    metavar="K/N",
    default="",
    help="Convert part K of N to the folder of -o; --parts joins the parts.",
)
@click.option(
    "--parts",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Reuse what --shard wrote to the folders in DIR, and convert only the rest.",
)
@click.option(
    "--exit-non-zero-on-change", is_flag=True, help="Exit 1 if a file was converted; for hooks."
)
@click.option(
    "--verify", is_flag=True, help="Compile the result in memory, as hipport verify does."
)
@click.option("--semantic", is_flag=True, help="Resolve names with libclang and the CUDA headers.")
@click.option(
    "-p",
    "database",
    type=click.Path(path_type=Path),
    help="With --semantic or --verify: compile_commands.json or its folder; by default, PATH"
    " and PATH/build are searched.",
)
@click.option(
    "-I", "includes", multiple=True, metavar="DIR", help="... search this folder for headers."
)
@click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="... define a macro.")
@click.option(
    "--std", metavar="c++20", default="", help="... the C++ standard; by default gnu++17."
)
@click.option(
    "--cuda-path", type=click.Path(path_type=Path), help="... the CUDA toolkit with the headers."
)
@click.option("-q", "--quiet", is_flag=True, help="Print no summary.")
@config_options
def command(
    diff: bool,
    check: bool,
    stdin_filename: str,
    targets: str,
    report_file: Path | None,
    depfile: Path | None,
    format_: str | None,
    fail_on: str,
    exit_non_zero_on_change: bool,
    quiet: bool,
    **asked: Any,
) -> None:
    """Convert CUDA sources to HIP, and report what could not be converted.

    For a folder, writes a complete converted copy to PATH_hip beside it, or to the folder given
    with -o. Exit code 0: done; 1: findings (--fail-on) or changes (--check); 2: usage error, or a
    file could not be read or written.
    """
    from hipport.runs.convert import convert
    from hipport.runs.convert_request import ConvertRequest
    from hipport.runs.from_here import folder_of
    from hipport.runs.targets import words

    request = ConvertRequest(
        **asked, targets=words(targets), writes=not (diff or check), keeps_bytes=diff
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
        raise click.Abort from None
    if diff and folder is None and not is_stdin:
        complain("the diff names files from the folder that was given: apply it there")
    from hipport.commands.converted import conclude

    conclude(
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
            click.echo(logged(outcome.file.path))


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
