"""The command line: finds the command and has click take the arguments apart."""

from __future__ import annotations

import importlib

import click

from hipport import __version__

COMMANDS = {
    "convert": "Turn CUDA sources into HIP and report what could not be mapped.",
    "audit": "Find everything that stands between a tree and a working ROCm build.",
    "compat": "Write a header under which CUDA sources compile as HIP, unchanged.",
    "verify": "Compile converted code as HIP in memory, with libclang.",
    "check": "Fail if files use CUDA's API or have grave findings: for hooks.",
    "rules": "Look into the rulebook: names, coverage, consistency.",
    "config": "Show the configuration of a file or folder, and where each value comes from.",
    "fatbin": "Open AMD fat binaries: targets, kernels, what the host registers.",
    "browse": "Look into fat binaries in a full-screen program.",
}


class _ReaderGone(Exception):
    """Whoever read our output has gone away (`| head`)."""


class LazyGroup(click.Group):
    """Imports a command's module only when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = importlib.import_module(f"hipport.commands.{name}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # click would make it exit code 1, which says that there are findings.
            raise _ReaderGone from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Examples:  hipport convert src/   |   hipport fatbin list libfoo.so",
)
@click.version_option(__version__, prog_name="hipport")
def root() -> None:
    """Move CUDA code to AMD GPUs: convert it, and see what no rename can fix."""


def run() -> int:
    """The exit code of the command that the program's arguments name."""
    try:
        code = root(prog_name="hipport", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = 2
    except SystemExit as error:
        code = error.code
    except _ReaderGone as error:
        raise BrokenPipeError from error
    except click.Abort as error:
        raise KeyboardInterrupt from error
    return code if isinstance(code, int) else 0
