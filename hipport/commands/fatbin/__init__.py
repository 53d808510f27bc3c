"""`hipport fatbin`: one file a subcommand, imported when it is called."""

from __future__ import annotations

import click

from hipport.commands.lazy import LazySubcommands

SUBCOMMANDS = {
    "list": "Bundles, targets, sizes and compression, from headers alone.",
    "kernels": "The kernels of every target with what they need.",
    "show": "Everything about one kernel, with its disassembly.",
    "extract": "Write code objects to files.",
    "bundle": "Make a bundle from code objects.",
    "slim": "The same file with code for fewer devices.",
    "diff": "What changed between two files.",
    "check": "Would it run on these chips? For CI.",
    "sbom": "Compilers, versions and options of code objects; CycloneDX.",
    "dedupe": "Identical code objects, compression, debug sections.",
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
    """Open AMD fat binaries: targets, kernels, what the host registers.

    Reads ELF and PE files, static libraries, bundles, code objects, wheels, zip and tar files
    and folders. Needs no ROCm. Exit code 2 means that something in a file is damaged.
    """
