"""`hipport convert`: CUDA sources in, HIP sources and a report out."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import click

from hipport.errors import UsageError
from hipport.files import walk, write
from hipport.model import FileReport, Report, Severity
from hipport.source.decide import Decisions
from hipport.source.pipeline import convert_source
from hipport.source.project import Outcome, Task, language_of, run
from hipport.source.rules import load, parse_version
from hipport.source.unit import Options

_SMALL = 2 << 20
_MOST_JOBS = 8

EPILOG = """\b
Examples:
  hipport convert src/                       a converted copy in src_hip/
  hipport convert --in-place --backup .cuda src/
  hipport convert --diff kernel.cu | less
  hipport convert --check --report todo.json src/
"""


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the result.")
@click.option("--in-place", is_flag=True, help="Change the files themselves.")
@click.option("--backup", metavar="SUFFIX", default="", help="With --in-place: keep the originals.")
@click.option("--diff", is_flag=True, help="Write nothing; print a unified diff.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a file would change.")
@click.option("--stdin-filename", default="stdin.cu", help="The name of `-`, for its language.")
@click.option("--rename", multiple=True, metavar=".cu=.hip", help="Give such files a new ending.")
@click.option(
    "--launch",
    type=click.Choice(["ggl", "keep"]),
    default="ggl",
    help="Kernel launches: hipLaunchKernelGGL, or <<<>>> as they are.",
)
@click.option(
    "--libs",
    type=click.Choice(["hip", "roc"]),
    default="hip",
    help="hipBLAS and its kin, or rocBLAS and its kin.",
)
@click.option(
    "--rocm", metavar="VERSION", default="", help="Use no API that this ROCm release lacks."
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Copy these unconverted (as in .gitignore)."
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE.json",
    help="Write the report there.",
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
@click.option("-q", "--quiet", is_flag=True, help="No summary on the terminal.")
def command(
    paths: tuple[str, ...],
    output: Path | None,
    in_place: bool,
    backup: str,
    diff: bool,
    check: bool,
    stdin_filename: str,
    rename: tuple[str, ...],
    launch: str,
    libs: str,
    rocm: str,
    exclude: tuple[str, ...],
    report_file: Path | None,
    fail_on: str,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Turn CUDA sources into HIP and report what could not be mapped.

    A folder is left alone: a complete converted copy goes to PATH_hip beside it, or to the
    folder given with -o. Exit code 0: done; 1: findings (--fail-on) or changes (--check);
    2: wrong use, or a file could not be read or written.
    """
    endings = _endings(rename)
    options = Options(rocm=_version(rocm), launch=launch, libs=libs, endings=tuple(endings.items()))
    if paths == ("-",):
        sys.exit(_convert_stdin(stdin_filename, options, fail_on, report_file))
    if in_place and output:
        raise UsageError("--in-place and -o exclude each other", remedy="give one of them")
    if backup and not in_place:
        raise UsageError(
            "--backup keeps originals that --in-place would overwrite", remedy="add --in-place"
        )
    writes = not (diff or check)
    targets = list(
        _targets(paths, output, in_place) if writes else ((Path(path), None) for path in paths)
    )
    for source, target in targets:
        _refuse_nesting(source, target)
    tasks = [
        task
        for source, target in targets
        for task in _tasks(source, target, exclude, endings, backup, diff, len(targets) > 1)
    ]
    report = Report("convert")
    declared: set[str] = set()
    changed = failed = False
    counts: Counter[tuple[str, bool]] = Counter()
    for outcome in _with_progress(run(tasks, options, jobs or _jobs(tasks)), len(tasks), quiet):
        report.files.append(outcome.file)
        report.findings.extend(outcome.findings)
        counts += outcome.counts
        declared |= outcome.declared
        changed |= outcome.file.status == "converted"
        if outcome.error:
            failed = True
            click.echo(f"hipport: {outcome.error}", err=True)
        if diff:
            _print_diff(outcome)
        if check and outcome.file.status == "converted":
            click.echo(outcome.file.path)
    _finish(report, counts, declared)
    if report_file:
        _write_report(report, report_file)
    if not quiet and not diff and sys.stdout.isatty():
        from rich.console import Console

        from hipport.report.rich import write as write_summary

        write_summary(report, Console())
    sys.exit(2 if failed else 1 if (check and changed) or _fails(report, fail_on) else 0)


def _version(text: str) -> tuple[int, ...]:
    if not text:
        return load().rocm
    try:
        return parse_version(text)
    except ValueError:
        raise UsageError(f"--rocm {text}: not a version", remedy="write it like 6.4") from None


def _endings(rename: tuple[str, ...]) -> dict[str, str]:
    """`.cu=.hip` -> {".cu": ".hip"}."""
    endings = {}
    for each in rename:
        old, separator, new = each.partition("=")
        if not separator or not old.startswith(".") or not new.startswith(".") or "/" in new:
            raise UsageError(
                f"--rename {each}: two endings are needed", remedy="write it like .cu=.hip"
            )
        endings[old] = new
    return endings


def _targets(
    paths: tuple[str, ...], output: Path | None, in_place: bool
) -> Iterator[tuple[Path, Path]]:
    """Each source with the folder or file that its conversion goes to."""
    for text in paths:
        source = Path(text)
        if in_place:
            yield source, source
        elif output is None:
            plain = source.resolve()
            name = f"{plain.stem}_hip{plain.suffix}" if source.is_file() else f"{plain.name}_hip"
            yield source, source.parent / name if source.name else plain.with_name(name)
        elif source.is_file() or len(paths) > 1:
            yield source, output / source.resolve().name
        else:
            yield source, output


def _refuse_nesting(source: Path, target: Path | None) -> None:
    if not source.exists():
        raise UsageError(f"{source}: no such file or folder", remedy="check the path")
    if target is None or target == source:
        return
    inner, outer = target.resolve(), source.resolve()
    if source.is_dir() and inner.is_relative_to(outer):
        raise UsageError(
            f"{target}: the output folder lies inside the input {source}",
            remedy="choose a folder elsewhere with -o, or --in-place",
        )
    if target.exists() and target.is_dir() != source.is_dir():
        raise UsageError(
            f"{target}: exists and is not what would be written", remedy="choose another -o"
        )


def _tasks(
    source: Path,
    target: Path | None,
    exclude: tuple[str, ...],
    endings: dict[str, str],
    backup: str,
    wants_diff: bool,
    prefixed: bool,
) -> Iterator[Task]:
    if source.is_dir():
        root, names = source, walk(source)
        prefix = f"{source.resolve().name}/" if prefixed else ""
    else:
        root, names = source.parent, iter([PurePosixPath(source.name)])
        prefix = ""
    excluded = _excluder(exclude)
    for name in names:
        path = root / name
        language = "" if excluded(str(name)) else language_of(name.name)
        new_name = _renamed(name, endings) if language else name
        shown = _printable(f"{prefix}{name}")
        place = None
        if target is not None:
            place = (
                target / new_name
                if source.is_dir()
                else target.with_name(_renamed(PurePosixPath(target.name), endings).name)
            )
            if place == path or target == source:
                place = path
        yield Task(
            root=root,
            source=path,
            name=shown,
            language=language
            or ("cuda" if not source.is_dir() and not excluded(str(name)) else ""),
            output=place,
            output_name=_printable(f"{prefix}{new_name}")
            if source.is_dir()
            else _printable(place.name if place else ""),
            backup=backup,
            wants_diff=wants_diff,
        )


def _printable(name: str) -> str:
    """A path as text: bytes that are not UTF-8 and control characters are escaped."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _renamed(name: PurePosixPath, endings: dict[str, str]) -> PurePosixPath:
    for old, new in endings.items():
        if name.name.endswith(old) and name.name != old:
            return name.with_name(name.name.removesuffix(old) + new)
    return name


def _excluder(patterns: tuple[str, ...]) -> Callable[[str], bool | None]:
    if not patterns:
        return lambda name: False
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns).match_file


def _jobs(tasks: list[Task]) -> int:
    """One process for little work: starting others costs more than they save."""
    size = 0
    for task in tasks:
        if task.language:
            size += task.source.lstat().st_size
            if size > _SMALL:
                return min(os.cpu_count() or 1, _MOST_JOBS)
    return 1


def _with_progress(outcomes: Iterator[Outcome], total: int, quiet: bool) -> Iterator[Outcome]:
    """The outcomes; on a terminal a progress bar shows how far they are."""
    if quiet or total < 20 or not sys.stderr.isatty():
        yield from outcomes
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(outcomes, "Converting", total, console=Console(stderr=True), transient=True)


def _print_diff(outcome: Outcome) -> None:
    import difflib

    path = outcome.file.path
    old, new = (data.decode("utf-8", "surrogateescape") for data in (outcome.old, outcome.new))
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    for line in lines:
        text = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))


def _finish(report: Report, counts: Counter[tuple[str, bool]], declared: set[str]) -> None:
    """Drop doubts about names that another file of the tree declares; add up the API's uses."""
    own = declared | _own_headers(report)
    report.findings = [
        finding
        for finding in report.findings
        if not (finding.symbol in own and finding.code in ("HP-API-002", "HP-INC-003"))
    ]
    for library in sorted({library for library, _ in counts}):
        title = load().libraries[library].title if library in load().libraries else library
        mapped = counts[library, True]
        report.uses[title] = (mapped, mapped + counts[library, False])


def _own_headers(report: Report) -> set[str]:
    """The doubtful headers that are files of the tree itself."""
    doubtful = {each.symbol for each in report.findings if each.code == "HP-INC-003"}
    paths = {PurePosixPath(file.path) for file in report.files} if doubtful else set()
    return {name for name in doubtful if any(path.match(name) for path in paths)}


def _write_report(report: Report, path: Path) -> None:
    from io import StringIO

    from hipport.report.json import write as write_json

    text = StringIO()
    write_json(report, text)
    write(path, text.getvalue().encode())


def _fails(report: Report, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    limit = Severity.parse(fail_on)
    return any(finding.severity >= limit for finding in report.findings)


def _convert_stdin(name: str, options: Options, fail_on: str, report_file: Path | None) -> int:
    data = sys.stdin.buffer.read()
    language = language_of(name)
    if not language:
        raise UsageError(
            f"--stdin-filename {name}: not a source file's name", remedy="end it in .cu"
        )
    result = convert_source(data, name, language, Decisions(load(), options))
    sys.stdout.buffer.write(result.data)
    status = "converted" if result.data != data else "unchanged"
    report = Report(
        "convert", [FileReport(name, language, status, "-", result.edits)], result.findings
    )
    _finish(report, result.counts, set())
    if report_file:
        _write_report(report, report_file)
    return 1 if _fails(report, fail_on) else 0
