"""`hipport fatbin`: one file a subcommand, imported when it is called."""

from __future__ import annotations

import importlib

import click

SUBCOMMANDS = {
    "list": "Bundles, targets, sizes and compression, from headers alone.",
    "kernels": "The kernels of every target with what they need.",
    "show": "Everything about one kernel, with its disassembly.",
    "extract": "Write code objects to files.",
    "bundle": "Make a bundle from code objects.",
    "diff": "What changed between two files.",
    "check": "Would it run on these chips? For CI.",
    "dedupe": "Identical code objects, compression, debug sections.",
}


class LazySubcommands(click.Group):
    """Imports a subcommand's module only when that subcommand is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in SUBCOMMANDS:
            return None
        found = importlib.import_module(f"hipport.commands.fatbin.{name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.command(
    cls=LazySubcommands,
    name="fatbin",
    epilog="Examples:  hipport fatbin list libfoo.so   |   hipport fatbin kernels libfoo.so "
    "--target gfx90a --sort vgpr",
)
def command() -> None:
    """Open AMD fat binaries: targets, kernels, what the host registers.

    Reads ELF and PE files, static libraries, bundles, code objects, wheels, zip and tar files
    and folders. Needs no ROCm. Exit code 2 means that something in a file is damaged.
    """
