"""`hipport convert`: CUDA sources in, HIP sources and a report out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial, reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hipport.commands.settings import Settings, config_options
from hipport.config import Configurations
from hipport.errors import HipportError, UsageError, printable
from hipport.files import MEMORY, make_folder, sweep
from hipport.locking import Locks
from hipport.model import Records, Report, Severity
from hipport.report.conversion import complain, shown, with_progress, write_report, write_summary
from hipport.source.decide import Decisions
from hipport.source.helpers import with_helpers
from hipport.source.outcomes import report_of
from hipport.source.plan import Wishes, plan
from hipport.source.project import Outcome, Task, jobs_for, most_jobs, renamed, run
from hipport.source.rules import load
from hipport.source.sourcelines import SourceFiles
from hipport.source.unit import Options

if TYPE_CHECKING:
    from hipport.source.incremental import Again

_SMALL = 2 << 20
_STDOUT = Path("-")

EPILOG = """\b
Examples:
  hipport convert src/                       a converted copy in src_hip/
  hipport convert --in-place --backup .cuda src/
  hipport convert --diff kernel.cu | less
  hipport convert --check --report todo.json src/
"""


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the result.")
@click.option("--in-place", is_flag=True, help="Change the files themselves.")
@click.option("--backup", metavar="SUFFIX", default="", help="With --in-place: keep the originals.")
@click.option(
    "--force", is_flag=True, help="Start over: overwrite what was edited by hand in the result."
)
@click.option("--diff", is_flag=True, help="Write nothing; print a unified diff.")
@click.option(
    "--explain", is_flag=True, help="Say of each edit which rule made it, and on what evidence."
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a file would change.")
@click.option(
    "--stdin-filename", default="stdin.cu", help="The name of `-`, which tells its language."
)
@click.option("--rename", multiple=True, metavar=".cu=.hip", help="Give such files a new ending.")
@click.option(
    "--launch",
    type=click.Choice(["ggl", "keep"]),
    help="Kernel launches: hipLaunchKernelGGL (ggl, the default), or <<<>>> as they are.",
)
@click.option(
    "--libs",
    type=click.Choice(["hip", "roc"]),
    help="hipBLAS and its kin (hip, the default), or rocBLAS and its kin.",
)
@click.option(
    "--rocm", metavar="VERSION", default="", help="Use no API that this ROCm release lacks."
)
@click.option(
    "--unsafe", is_flag=True, help="Also make rewrites that may change what the code does."
)
@click.option(
    "--guards", is_flag=True, help="Extend #ifdef __CUDACC__ and its kin for HIP, CUDA's kept."
)
@click.option(
    "--kernel-string",
    "kernel_strings",
    multiple=True,
    metavar="NAME",
    help="A variable or macro whose text is a kernel, to be converted too.",
)
@click.option(
    "--inline-helpers",
    is_flag=True,
    help="Write the helpers for warps into each file that needs them, instead of a header.",
)
@click.option(
    "--build-files/--no-build-files",
    default=True,
    help="Convert CMake files and makefiles too, and report others (the default), or not.",
)
@click.option(
    "--scripts", is_flag=True, help="Convert shell and batch scripts too: MPI, NCCL, compilers."
)
@click.option(
    "--targets", metavar="gfx90a,gfx942", default="", help="The GPUs that build files name."
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Copy these unconverted (as in .gitignore)."
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE.json",
    help="Write the report there; - for standard output.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["blocker", "manual", "review", "info", "never"]),
    default="manual",
    show_default=True,
    help="Exit 1 on findings of this severity or worse.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Processes; by default as the work is large."
)
@click.option(
    "--exit-non-zero-on-change", is_flag=True, help="Exit 1 if a file was converted: for hooks."
)
@click.option(
    "--verify", is_flag=True, help="Compile the result in memory, as hipport verify does."
)
@click.option(
    "--semantic", is_flag=True, help="Let libclang and CUDA's headers decide whose a name is."
)
@click.option(
    "-p",
    "database",
    type=click.Path(path_type=Path),
    help="With --semantic or --verify: compile_commands.json or its folder; else PATH and"
    " PATH/build.",
)
@click.option("-I", "includes", multiple=True, metavar="DIR", help="... look for headers there.")
@click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="... define a macro.")
@click.option("--std", metavar="c++20", default="", help="... the C++ standard; else gnu++17.")
@click.option(
    "--cuda-path", type=click.Path(path_type=Path), help="... the CUDA whose headers are read."
)
@click.option("-q", "--quiet", is_flag=True, help="No summary on the terminal.")
@config_options
def command(
    paths: tuple[str, ...],
    output: Path | None,
    in_place: bool,
    backup: str,
    force: bool,
    diff: bool,
    explain: bool,
    check: bool,
    stdin_filename: str,
    rename: tuple[str, ...],
    launch: str | None,
    libs: str | None,
    rocm: str,
    unsafe: bool,
    guards: bool,
    kernel_strings: tuple[str, ...],
    inline_helpers: bool,
    build_files: bool,
    scripts: bool,
    targets: str,
    exclude: tuple[str, ...],
    report_file: Path | None,
    fail_on: str,
    jobs: int | None,
    exit_non_zero_on_change: bool,
    verify: bool,
    semantic: bool,
    database: Path | None,
    includes: tuple[str, ...],
    defines: tuple[str, ...],
    std: str,
    cuda_path: Path | None,
    quiet: bool,
    config_file: Path | None,
    isolated: bool,
) -> None:
    """Turn CUDA sources into HIP and report what could not be mapped.

    A folder is left alone: a complete converted copy goes to PATH_hip beside it, or to the
    folder given with -o. Exit code 0: done; 1: findings (--fail-on) or changes (--check);
    2: wrong use, or a file could not be read or written.
    """
    template = Options(
        rocm=(),
        endings=tuple(_endings(rename).items()),
        unsafe=unsafe,
        guards=guards,
        kernel_strings=kernel_strings,
        inline_helpers=inline_helpers or paths == ("-",),
    )
    settings = Settings(
        Configurations(config_file, is_isolated=isolated),
        template,
        {"rocm": rocm, "launch": launch, "libs": libs, "targets": _listed(targets)},
    )
    wishes = Wishes(
        is_excluded=settings.is_excluded,
        writes=not (diff or check),
        output=output,
        in_place=in_place,
        backup=backup,
        endings=_endings(rename),
        exclude=exclude,
        keeps_bytes=diff,
        explains=explain,
        build_files=_build_files(build_files, scripts),
    )
    _refuse_contradictions(wishes, paths)
    if verify and (paths == ("-",) or not wishes.writes):
        raise UsageError("--verify compiles what is written", remedy="drop -, --diff and --check")
    if report_file == _STDOUT and ("-" in paths or diff or explain or exit_non_zero_on_change):
        raise UsageError("--report - writes where the result goes", remedy="name a file")
    given = [
        *(f"-I{Path(each).absolute()}" for each in includes),
        *(f"-D{each}" for each in defines),
    ]
    given += [f"-std={std}"] if std else []
    if semantic and paths == ("-",):
        raise UsageError("--semantic reads the files beside a source", remedy="name the file")
    if not (semantic or verify) and (given or database):
        raise UsageError("-p, -I, -D and --std are for --semantic and --verify", remedy="add one")
    if not semantic and cuda_path:
        raise UsageError("--cuda-path is for --semantic", remedy="add it")
    faults: list[str] = []

    def tell(error: HipportError) -> None:
        faults.append(str(error))
        complain(str(error))

    tasks: Records[Task] = []
    again: Again | None = None
    if paths == ("-",):
        from hipport.commands.stdin import from_stdin

        options = settings.options(Path(stdin_filename))
        outcomes = iter([from_stdin(stdin_filename, options, wishes)])
    else:
        locks = click.get_current_context().with_resource(Locks())
        real = [Path(path).resolve() for path in paths]
        if wishes.writes:
            trees = [path for path in real if in_place and path.is_dir()]
            locks.hold(trees, (path if path.is_dir() else path.parent for path in real))
        tasks = plan(paths, wishes, tell)
        _make_folders(tasks, locks)
        if semantic:
            from hipport.semantic.facts import Request, with_semantics

            most = jobs or most_jobs()
            request = Request(cuda_path, database, tuple(given), most, starts_over=force)
            progress = partial(with_progress, quiet=quiet, what="Parsing")
            tasks = with_semantics(list(tasks), settings.grouped(tasks), request, progress)
        if any(task.memory for task in tasks):
            from hipport.source.incremental import look_back

            again = look_back(tasks, starts_over=force)
            tasks = again.tasks
        if verify:
            from hipport.commands.verifying import Before

            before = Before.of(list(tasks))
        groups = settings.grouped(tasks).items()
        sources = (each for each in tasks if each.language and not each.is_link)
        jobs = jobs or jobs_for(sources, _SMALL)
        runs = chain.from_iterable(run(group, options, jobs) for options, group in groups)
        grouped = chain.from_iterable(group for _, group in groups)
        done: Iterator[tuple[Outcome, Task]] = zip(runs, grouped, strict=True)
        if in_place and rename:
            done = renamed(done, tell)
        done = with_helpers(done, Decisions(load(), template), again.last if again else None)
        if again:
            from hipport.source.incremental import remembered

            done = remembered(done, again)
        outcomes = with_progress((outcome for outcome, _ in done), len(tasks), quiet)
    report = report_of(shown(outcomes, check))
    if again:
        from hipport.source.incremental import orphans

        report.findings.extend(orphans(again))
    source_of = SourceFiles(tasks).of if tasks else lambda _: Path(stdin_filename)
    report.findings = settings.judged(report.findings, source_of)
    if verify:
        from hipport.commands.verifying import verify_converted

        found = verify_converted(before, report, settings.options, jobs, given, database)
        report.findings.extend(settings.judged(found, source_of))
    if report_file:
        write_report(report, report_file)
    if not quiet and not diff and tasks and sys.stdout.isatty() and report_file != _STDOUT:
        write_summary(report, _where(tasks, wishes), report_file)
    statuses = {file.status for file in report.files}
    if exit_non_zero_on_change:
        converted = (file.path for file in report.files if file.status == "converted")
        for path in converted:
            click.echo(printable(str(source_of(path))))
    if faults or "failed" in statuses:
        sys.exit(2)
    fails_on_change = check or exit_non_zero_on_change
    sys.exit(1 if (fails_on_change and "converted" in statuses) or _fails(report, fail_on) else 0)


def _refuse_contradictions(wishes: Wishes, paths: tuple[str, ...]) -> None:
    """Raise UsageError for options that cannot be followed together."""
    if wishes.in_place and wishes.output:
        raise UsageError("--in-place and -o exclude each other", remedy="give one of them")
    if not wishes.writes and (wishes.in_place or wishes.output):
        raise UsageError("--diff and --check write nothing", remedy="drop --in-place and -o")
    if wishes.backup and not wishes.in_place:
        raise UsageError(
            "--backup keeps originals that --in-place would overwrite", remedy="add --in-place"
        )
    if "/" in wishes.backup:
        raise UsageError(f"--backup {wishes.backup}: no suffix", remedy="write it like .orig")
    if "-" in paths and wishes.explains and wishes.writes:
        raise UsageError(
            "--explain writes where the result goes", remedy="add --check, or name a file"
        )
    if "-" in paths and (len(paths) > 1 or wishes.in_place or wishes.output):
        raise UsageError(
            "- converts standard input to standard output", remedy="give no other path, no -o"
        )


def _endings(rename: tuple[str, ...]) -> dict[str, str]:
    """`.cu=.hip` -> {".cu": ".hip"}."""
    endings = {}
    for each in rename:
        old, separator, new = each.partition("=")
        if not separator or not old.startswith(".") or not new.startswith(".") or "/" in each:
            raise UsageError(
                f"--rename {each}: two endings are needed", remedy="write it like .cu=.hip"
            )
        endings[old] = new
    return endings


def _build_files(is_wanted: bool, scripts: bool) -> tuple[str, ...]:
    """The kinds of files beside the sources that are converted or reported."""
    kinds = ("cmake", "make", "python", "requirements", "docker") if is_wanted else ()
    return (*kinds, "shell") if scripts else kinds


def _listed(text: str) -> tuple[str, ...]:
    """`gfx90a, gfx942` as a tuple."""
    return tuple(filter(None, (each.strip() for each in text.split(","))))


def _make_folders(tasks: Iterable[Task], locks: Locks) -> None:
    """See that each tree's output can be written, by this run alone, before the first file is."""
    common: dict[Path, str] = {}
    trees: set[Path] = set()
    single: set[Path] = set()
    for task in tasks:
        if not task.output:
            continue
        folder = task.output.parent
        if task.memory:
            trees.add(task.memory)
        else:
            single.add(folder)
        if not task.in_place:
            known = common.get(task.root, folder)
            common[task.root] = os.path.commonpath((known, folder))
    for path in common.values():
        make_folder(Path(path))
    locks.hold(trees, (folder for folder in single if not locks.is_alone(folder)))

    @lru_cache(maxsize=1024)
    def swept(folder: Path) -> None:
        if locks.is_alone(folder):
            sweep(folder)

    for task in tasks:
        if task.output:
            swept(task.output.parent)
    for tree in trees:
        swept(tree / MEMORY)


def _where(tasks: Iterable[Task], wishes: Wishes) -> str:
    """The file or folder that holds all results, "" if the sources were changed or none written."""
    if wishes.in_place:
        return ""
    outputs = (str(task.output) for task in tasks if task.output)
    common = reduce(lambda *both: os.path.commonpath(both), outputs, next(outputs, ""))
    return str(wishes.output or common) if common else ""


def _fails(report: Report, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    limit = Severity.parse(fail_on)
    return any(finding.severity >= limit for finding in report.findings)
