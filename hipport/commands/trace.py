"""`hipport trace`: which kernel of a binary does this launch run, and how well does it fit?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from hipport.commands.completing import complete_targets
from hipport.commands.configured import config_options
from hipport.commands.fatbin.common import limited
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output import Output, end
from hipport.commands.output_options import fail_on_option, format_option
from hipport.commands.sections import TRACE
from hipport.commands.terminal import Terminal, complain
from hipport.errors import printable
from hipport.trace.thresholds import DEFAULT_GROWTH, DEFAULT_OCCUPANCY

_LONG_WORK = 200
EPILOG = """\b
Examples:
  hipport trace src/ build/libsolver.so
  hipport trace --targets gfx90a,gfx942 --format sarif -o trace.sarif src/ dist/*.whl
  hipport trace --diff old/libsolver.so src/ build/libsolver.so
  hipport trace -p build/ src/ build/libsolver.so
  hipport trace --min-occupancy 50 --fail-on review src/ build/
"""


@click.command(cls=SectionedCommand, sections=TRACE, epilog=EPILOG)
@click.argument("sources", type=click.Path(path_type=Path))
@click.argument("binaries", nargs=-1, required=True, metavar="BINARY...", type=click.Path())
@click.option(
    "--targets",
    shell_complete=complete_targets,
    metavar="gfx90a,gfx942",
    default="",
    help="GPUs that every launched kernel needs code for; by default, all that have any.",
)
@click.option(
    "-p",
    "database",
    type=click.Path(path_type=Path),
    help="compile_commands.json or its folder; libclang then resolves the kernels by name.",
)
@click.option(
    "--rocm-path", type=click.Path(path_type=Path), help="With -p: where HIP's headers are."
)
@click.option("--cuda-path", type=click.Path(path_type=Path), help="... where CUDA's headers are.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Skip matching sources.")
@click.option(
    "--min-occupancy",
    type=click.IntRange(0, 100),
    default=DEFAULT_OCCUPANCY,
    show_default=True,
    metavar="PERCENT",
    help="Report launches that fill less than this share of the wave slots.",
)
@click.option(
    "--diff",
    metavar="OLD",
    type=click.Path(),
    help="Report launches that got worse since this older build of the binaries.",
)
@click.option(
    "--max-growth",
    type=click.IntRange(0),
    default=DEFAULT_GROWTH,
    show_default=True,
    metavar="PERCENT",
    help="With --diff: accept this much growth in registers, LDS, and scratch.",
)
@click.option(
    "-o",
    "--output",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    help="Write the report to this file (- for stdout); the extension chooses the format.",
)
@format_option
@fail_on_option
@limited
@click.option("-q", "--quiet", is_flag=True, help="Print no notes about registration.")
@config_options
def command(
    targets: str,
    report_file: Path | None,
    format_: str | None,
    fail_on: str,
    quiet: bool,
    **asked: Any,
) -> None:
    """Find the kernel that each launch in SOURCES runs, and show what it needs in the binaries.

    Shows for each launch the grid, block, LDS, and stream as written; the kernel, and whether the
    match is certain; and for each GPU the registers, LDS, spills, and the wavefronts that fit with
    this block. SOURCES is a file or folder of CUDA or HIP. Nothing is compiled or executed. Exit
    code 0: nothing at or above --fail-on; 1: findings; 2: usage error, or something could not be
    read.
    """
    from hipport.report.context import Context
    from hipport.report.summary import counts
    from hipport.report.trace import write
    from hipport.runs.exit_code import exit_of_findings
    from hipport.runs.targets import words
    from hipport.runs.trace import trace
    from hipport.runs.trace_request import TraceRequest

    output = Output.of(report_file, format_, fail_on)
    traced = trace(TraceRequest(**asked, targets=words(targets)), Terminal(_LONG_WORK))
    if not quiet:
        for note in traced.notes:
            complain(f"note: {note}")
    context = Context(traced.rules, traced.lines, output.fail_on)
    write(traced.trace, traced.report, context, output.path, output.format)
    if output.path:
        click.echo(f"{counts(traced.report)}; report in {printable(str(output.path))}", err=True)
    sys.exit(end(exit_of_findings(traced.report, output.fail_on, len(traced.faults))))
