"""The command line: finds the command, owns stderr and the exit code."""

from __future__ import annotations

import importlib
import os
import sys
from typing import NoReturn

import click

from hipport import __version__
from hipport.errors import HipportError, printable

COMMANDS = {
    "convert": "Turn CUDA sources into HIP and report what could not be mapped.",
    "audit": "Find everything that stands between a tree and a working ROCm build.",
    "rules": "Look into the rulebook: names, coverage, consistency.",
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


def main() -> NoReturn:
    """Run the command line; every failure is one line on stderr and exit code 2."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # Closed by the caller: `>&-`.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r+"))
    try:
        code = _run()
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        code = 2
    except HipportError as error:
        code = _fail(str(error))
    except (_ReaderGone, BrokenPipeError):
        _drop_output()
        code = 0
    except (KeyboardInterrupt, click.Abort):
        code = _fail("interrupted", 130)
    except OSError as error:
        place = os.fsdecode(error.filename) if error.filename else "standard output"
        code = _fail(f"{place}: {error.strerror} (check the path and the disk)")
        _drop_output()
    except Exception as error:
        code = _fail(f"internal error ({type(error).__name__}: {error}) (please report this)")
    sys.exit(code)


def _run() -> int:
    try:
        code = root(prog_name="hipport", standalone_mode=False)
    except SystemExit as error:
        code = error.code
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int = 2) -> int:
    click.echo(f"hipport: {printable(message)}", err=True)
    return code


def _drop_output() -> None:
    """Let what is still to be written to stdout go nowhere: closing it would raise again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
