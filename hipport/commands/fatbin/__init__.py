"""`hipport fatbin`: one file a subcommand, imported when it is called."""

from __future__ import annotations

import click

from hipport.commands.lazy import LazySubcommands

SUBCOMMANDS = {
    "list": "List bundles, targets, sizes, and compression; reads headers only.",
    "kernels": "List the kernels of each target and the resources they need.",
    "show": "Show everything about one kernel, including its disassembly.",
    "extract": "Extract code objects to files.",
    "bundle": "Create a bundle from code objects.",
    "slim": "Copy a file, keeping only the code for some devices.",
    "diff": "Show what changed between two files.",
    "check": "Check that files run on these devices; for CI.",
    "sbom": "List compilers, versions, and options of code objects; CycloneDX.",
    "dedupe": "Find identical code objects, uncompressed code, debug sections.",
}

EPILOG = """\b
Examples:
  hipport fatbin list libfoo.so
  hipport fatbin kernels libfoo.so --target gfx90a --sort vgpr
"""


@click.command(
    cls=LazySubcommands,
    subcommands=SUBCOMMANDS,
    package=__name__,
    name="fatbin",
    epilog=EPILOG,
)
def command() -> None:
    """Inspect AMD fat binaries: targets, kernels, registration.

    Reads ELF and PE files, static libraries, bundles, code objects, wheels, zip and tar files,
    and folders. Does not need ROCm. Exit code 2: something in a file is damaged.
    """
