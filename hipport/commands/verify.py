"""`hipport verify`: does the converted code compile as HIP?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from hipport.commands.audit.options import finish, output_options, parse_level, parse_targets
from hipport.commands.settings import Settings, config_options
from hipport.commands.verifying import grouped, verify
from hipport.config import Configurations
from hipport.errors import HipportError, UsageError, printable
from hipport.files import read
from hipport.report.context import Context, count
from hipport.source.plan import Wishes, plan
from hipport.source.project import LARGEST_SOURCE, Task
from hipport.source.rules import load
from hipport.source.sourcelines import SourceFiles, SourceLines
from hipport.source.unit import Options
from hipport.verification.database import Database, find_database
from hipport.verification.files import Origin
from hipport.verification.model import Unit
from hipport.verification.parser import SECONDS
from hipport.verification.toolchain import Toolchain, find_toolchain
from hipport.verification.units import find_units

_Command = TypeVar("_Command", bound=Callable[..., Any])
EPILOG = """\b
Examples:
  hipport verify src_hip/
  hipport verify --original src/ --targets gfx90a,gfx1100 -Iextern/include src_hip/
  hipport verify --format sarif -o verify.sarif -p build/ src_hip/
"""


def toolchain_options(function: _Command) -> _Command:
    """What code is parsed with: headers, libclang, its own headers, GPUs."""
    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Tell what was found and is used."),
        click.option(
            "--resource-dir",
            type=click.Path(path_type=Path, file_okay=False),
            help="clang's own headers, like /usr/lib/llvm-19/lib/clang/19.",
        ),
        click.option(
            "--libclang",
            default="",
            metavar="FILE",
            help="Use this one; by default the Python package's, unless HIP needs a newer one.",
        ),
        click.option(
            "--rocm-path",
            type=click.Path(path_type=Path, file_okay=False),
            help="The ROCm with the headers; by default ROCM_PATH, hipconfig's, /opt/rocm,"
            " /usr/include, those of the Python package triton.",
        ),
        click.option(
            "--targets",
            metavar="gfx90a,gfx942",
            default="",
            help="GPUs to compile device code for; by default gfx90a.",
        ),
    ):
        function = option(function)
    return function


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "--original",
    type=click.Path(path_type=Path, exists=True),
    help="What PATH was converted from: errors are told at its lines.",
)
@click.option(
    "-p",
    "database",
    type=click.Path(path_type=Path),
    help="compile_commands.json or its folder; by default PATH and PATH/build are looked into.",
)
@click.option("-I", "includes", multiple=True, metavar="DIR", help="Look for headers there too.")
@click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro.")
@click.option("--std", metavar="c++20", default="", help="The C++ standard; else gnu++17.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Skip these (as in .gitignore).")
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes; by default one a core.")
@click.option(
    "--timeout",
    type=click.IntRange(1),
    default=SECONDS,
    show_default=True,
    help="Seconds for one pass over one file.",
)
@toolchain_options
@output_options
@config_options
def command(
    paths: tuple[str, ...],
    original: Path | None,
    database: Path | None,
    includes: tuple[str, ...],
    defines: tuple[str, ...],
    std: str,
    exclude: tuple[str, ...],
    jobs: int | None,
    timeout: int,
    targets: str,
    rocm_path: Path | None,
    libclang: str,
    resource_dir: Path | None,
    verbose: bool,
    format_: str | None,
    output: Path | None,
    fail_on: str,
    config_file: Path | None,
    isolated: bool,
) -> None:
    """Compile converted code in memory, as HIP for host and GPUs, against this machine's headers.

    Every error is told with the finding of convert or audit that explains it. Needs neither a GPU
    nor ROCm: headers and libclang suffice. Of a tree, all CUDA and HIP sources are compiled, and
    C and C++ that is about a GPU. Exit code 0: nothing at or above --fail-on; 1: findings; 2:
    wrong use, or nothing to compile with.
    """
    toolchain = find_toolchain(rocm_path, libclang, resource_dir)
    if verbose:
        tell(toolchain)
    faults: list[str] = []

    def complain(error: HipportError) -> None:
        faults.append(str(error))
        click.echo(f"hipport: {printable(str(error))}", err=True)

    converted = Path(paths[0])
    if original and len(paths) > 1:
        raise UsageError("--original is for one PATH", remedy="verify the trees one by one")
    settings = Settings(
        Configurations(config_file, is_isolated=isolated),
        Options(rocm=()),
        {"targets": parse_targets(targets)},
    )

    def is_excluded(path: Path) -> bool:
        """What is not converted is not compiled: by the patterns for either tree."""
        source = original and _original(path, converted, original)
        return settings.is_excluded(path) or bool(source and settings.is_excluded(source))

    wishes = Wishes(writes=False, exclude=exclude, is_excluded=is_excluded)
    tasks = [each._replace(name=_shown(each)) for each in plan(paths, wishes, complain)]
    origins = dict(_origins(tasks, converted, original))
    listed = find_database(database, [Path(path) for path in paths])
    given = [
        *(f"-I{Path(each).absolute()}" for each in includes),
        *(f"-D{each}" for each in defines),
    ]
    given += [f"-std={std}"] if std else []
    found = Database(listed, original, converted) if listed else None
    units = list(find_units(tasks, given, found, _say if verbose else lambda _: None))
    if not units:
        raise UsageError("nothing to compile there", remedy="name CUDA or HIP sources, or a tree")
    if verbose:
        tell_arguments(units)
    groups = grouped(units, lambda unit: settings.options(unit.path))
    report = verify(groups, origins, toolchain, jobs, timeout)
    shown = [
        task._replace(name=origins[task.source].name) for task in tasks if task.source in origins
    ]
    for each in shown:
        settings.options(each.source)
    report.findings = settings.judged(report.findings, SourceFiles(shown).of)
    context = Context(load().findings, SourceLines(shown), parse_level(fail_on))
    finish(report, context, format_, output, bool(faults))


def tell(toolchain: Toolchain) -> None:
    for line in toolchain.told():
        _say(line)


def tell_arguments(units: Iterable[Unit]) -> None:
    """How many units get which folders and macros."""
    counts = Counter(unit.arguments for unit in units)
    for arguments, number in counts.items():
        _say(f"{count(number, 'unit')}: {' '.join(arguments) or 'no arguments'}")


def _say(line: str) -> None:
    click.echo(f"hipport: {printable(line)}", err=True)


def _shown(task: Task) -> str:
    """The path from the working folder, which editors and CI can open."""
    path = Path(os.path.normpath(task.source.absolute()))
    with suppress(ValueError):
        return printable(path.relative_to(Path.cwd()).as_posix())
    return task.name


def _origins(
    tasks: Iterable[Task], converted: Path, original: Path | None
) -> Iterator[tuple[Path, Origin]]:
    """The origin of each source file; that of a converted one is in the original tree."""
    for task in tasks:
        if not task.language or task.is_link:
            continue
        source = None
        if original:
            source = _original(task.source, converted, original)
        if source and source.is_file():
            name = _shown(task._replace(source=source, name=str(source)))
            yield task.source, Origin(name, task.language, _reader(source))
        else:
            yield task.source, Origin(task.name, task.language)


def _original(path: Path, converted: Path, original: Path) -> Path:
    return original / path.relative_to(converted) if original.is_dir() else original


def _reader(path: Path) -> Callable[[], bytes]:
    return lambda: read(path, LARGEST_SOURCE)
