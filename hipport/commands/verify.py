"""`hipport verify`: does the converted code compile as HIP?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hipport.commands.completing import complete_targets
from hipport.commands.configured import config_options
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output import Output, finish
from hipport.commands.output_options import output_options
from hipport.commands.sections import VERIFY
from hipport.commands.terminal import complain
from hipport.runs.watch import VerifyWatch
from hipport.verification.parser_process import SECONDS

if TYPE_CHECKING:
    from hipport.verification.model import Unit
    from hipport.verification.toolchain import Toolchain

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
        click.option(
            "-v", "--verbose", is_flag=True, help="Print which headers and tools are used."
        ),
        click.option(
            "--resource-dir",
            type=click.Path(path_type=Path, file_okay=False),
            help="Clang's own headers, such as /usr/lib/llvm-19/lib/clang/19.",
        ),
        click.option(
            "--libclang",
            default="",
            metavar="FILE",
            help="libclang to use; by default the Python package's, unless HIP needs a newer one.",
        ),
        click.option(
            "--rocm-path",
            type=click.Path(path_type=Path, file_okay=False),
            help="ROCm folder with the headers; by default ROCM_PATH, hipconfig's, /opt/rocm,"
            " /usr/include, or the Python package triton's.",
        ),
        click.option(
            "--targets",
            shell_complete=complete_targets,
            metavar="gfx90a,gfx942",
            default="",
            help="GPUs to compile device code for; by default gfx90a.",
        ),
    ):
        function = option(function)
    return function


@click.command(cls=SectionedCommand, sections=VERIFY, epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "--original",
    type=click.Path(path_type=Path, exists=True),
    help="The source that PATH was converted from; errors are reported at its lines.",
)
@click.option(
    "-p",
    "database",
    type=click.Path(path_type=Path),
    help="compile_commands.json or its folder; by default, PATH and PATH/build are searched.",
)
@click.option(
    "-I", "includes", multiple=True, metavar="DIR", help="Also search this folder for headers."
)
@click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro.")
@click.option("--std", metavar="c++20", default="", help="The C++ standard; by default gnu++17.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Skip matching files.")
@click.option(
    "--link",
    is_flag=True,
    help="Also check that the build files link the libraries that the code calls.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Number of processes; by default one per core."
)
@click.option(
    "--timeout",
    type=click.IntRange(1),
    default=SECONDS,
    show_default=True,
    help="Time limit for one pass over one file, in seconds.",
)
@toolchain_options
@output_options
@config_options
def command(
    targets: str,
    verbose: bool,
    output: Output,
    **asked: Any,
) -> None:
    """Compile converted code in memory, as HIP for the host and GPUs, with this machine's headers.

    Each error comes with the convert or audit finding that explains it. Needs neither a GPU nor
    ROCm, only headers and libclang. In a folder, it compiles all CUDA and HIP sources, and C and
    C++ sources that use a GPU. Exit code 0: nothing at or above --fail-on; 1: findings; 2: usage
    error, or headers or libclang are missing.
    """
    from hipport.report.context import Context
    from hipport.report.verify_summary import verdict_lines
    from hipport.runs.targets import words
    from hipport.runs.verify import verify
    from hipport.runs.verify_request import VerifyRequest

    watch = _Verbose() if verbose else _Printed()
    found = verify(VerifyRequest(**asked, targets=words(targets)), watch)
    for line in verdict_lines(found.report):
        complain(line)
    context = Context(found.rules, found.lines, output.fail_on)
    sys.exit(finish(found.report, context, output, len(found.faults)))


class _Printed(VerifyWatch):
    """Prints faults as they come."""

    def fault(self, message: str) -> None:
        complain(message)


class _Verbose(_Printed):
    """Prints what was found and is used, too."""

    def note(self, message: str) -> None:
        complain(message)

    def toolchain(self, toolchain: Toolchain) -> None:
        for line in toolchain.lines():
            complain(line)

    def units(self, units: list[Unit]) -> None:
        """How many units get which folders and macros."""
        from hipport.report.context import count

        counts = Counter(unit.arguments for unit in units)
        for arguments, number in counts.items():
            complain(f"{count(number, 'unit')}: {' '.join(arguments) or 'no arguments'}")
