"""`hipport convert`: CUDA sources in, HIP sources and a report out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from hipport.commands.completing import complete_targets
from hipport.commands.configured import config_options, target_options
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output_options import fail_on_option, format_option
from hipport.commands.plain.convert import run
from hipport.commands.sections import CONVERT

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
def command(**options: Any) -> None:
    """Convert CUDA sources to HIP, and report what could not be converted.

    For a folder, writes a complete converted copy to PATH_hip beside it, or to the folder given
    with -o. Exit code 0: done; 1: findings (--fail-on) or changes (--check); 2: usage error, or a
    file could not be read or written.
    """
    try:
        code = run(**options)
    except KeyboardInterrupt:
        raise click.Abort from None
    sys.exit(code)
