"""`hipport compat`: one header, so that one source builds for both vendors."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from hipport.commands.completing import complete_releases
from hipport.commands.configured import config_options
from hipport.commands.terminal import complain
from hipport.config import Configurations
from hipport.errors import HipportError, UsageError
from hipport.files import read, write
from hipport.rulebook.load import load
from hipport.runs.rocm import parse_rocm
from hipport.runs.settings import Settings
from hipport.source.compat.header_text import header, stand_ins
from hipport.source.compat.used_names import Survey, survey
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.source.tree.run_tasks import is_in_tree
from hipport.source.tree.source_lines import SourceFiles
from hipport.source.tree.task_list import Wishes, plan

_CODE = frozenset(("cuda", "cpp", "c"))
EPILOG = """\b
Examples:
  hipport compat src/ -o cuda_to_hip.h
  hipport compat src/ -o port/cuda_to_hip.h --stand-ins
  hipcc -include port/cuda_to_hip.h -Iport/cuda_to_hip -c src/kernel.cu
"""


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE.h",
    help="The header to write.",
)
@click.option(
    "--stand-ins",
    is_flag=True,
    help="Also write stand-ins for the CUDA headers, in a folder named after the header.",
)
@click.option(
    "--libs",
    type=click.Choice(["hip", "roc"]),
    help="Use hip* libraries such as hipBLAS (the default), or roc* ones such as rocBLAS.",
)
@click.option(
    "--rocm",
    shell_complete=complete_releases,
    metavar="VERSION",
    default="",
    help="ROCm release to port to; APIs that it lacks are not used.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Skip matching files; patterns as in .gitignore.",
)
@config_options
def command(
    paths: tuple[str, ...],
    output: Path,
    stand_ins: bool,
    libs: str | None,
    rocm: str,
    exclude: tuple[str, ...],
    config_file: Path | None,
    isolated: bool,
) -> None:
    """Write a header that lets unchanged CUDA sources compile as HIP.

    It maps exactly the CUDA names that the sources use. Exit code 0: written; 1: written, and its
    first lines list what needs manual work; 2: usage error, or a file could not be read.
    """
    if output.suffix not in (".h", ".hpp", ".hh", ".cuh"):
        raise UsageError(f"-o {output}: not a header's name", remedy="end it in .h")
    settings = Settings(
        Configurations(config_file, is_isolated=isolated),
        Options(rocm=(), helpers=False),
        {"rocm": rocm, "libs": libs},
    )
    faults: list[str] = []

    def tell(error: HipportError) -> None:
        faults.append(str(error))
        complain(str(error))

    wishes = Wishes(writes=False, exclude=exclude, is_excluded=settings.is_excluded)
    every = plan(paths, wishes, tell)
    tasks = [each for each in every if each.language in _CODE and not each.is_link]
    options = _options(settings, tasks)
    decisions = Decisions(load(extend=options.extend_rules), options)
    found = Survey()
    for task in tasks:
        try:
            found.add(_survey(task, decisions))
        except HipportError as error:
            tell(error)
    found.findings = list(settings.judged(found.findings, SourceFiles(tasks).of))
    _write(output, header(found, decisions, output.name, has_stand_ins=stand_ins))
    if stand_ins:
        for name, text in _stand_ins(found, decisions, output.name).items():
            _write(output.with_suffix("") / name, text)
    if faults:
        sys.exit(2)
    sys.exit(1 if found.findings else 0)


_stand_ins = stand_ins


def _options(settings: Settings, tasks: list[Task]) -> Options:
    """What the header is made with; raises UsageError where projects want different things."""
    wanted = {settings.options(each.source)._replace(targets=()) for each in tasks}
    if len(wanted) > 1:
        raise UsageError(
            "the sources have different configurations, and one header serves all",
            remedy="choose one with --config, or --isolated",
        )
    return next(iter(wanted), Options(rocm=parse_rocm(""), helpers=False))


def _survey(task: Task, decisions: Decisions) -> Survey:
    data = read(task.source, LARGEST_SOURCE)
    return survey(data, task.name, task.language, decisions, lambda name: is_in_tree(task, name))


def _write(path: Path, text: str) -> None:
    """Write a file, unless it says that already: what includes it need not be built again."""
    data = os.fsencode(text)
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    write(path, data)
