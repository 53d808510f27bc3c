"""The command line: finds the command and lets click parse the arguments."""

from __future__ import annotations

import click

from hipport.commands.lazy import LazySubcommands

COMMANDS = {
    "convert": "Convert CUDA sources to HIP, and report what could not be converted.",
    "audit": "Find everything that keeps a tree from building and running on ROCm.",
    "compat": "Write a header that lets unchanged CUDA sources compile as HIP.",
    "cmake-dir": "Print the folder of the CMake package, which builds HIP from CUDA sources.",
    "verify": "Compile converted code as HIP in memory, with libclang.",
    "check": "Fail if files use the CUDA API or have serious findings; for hooks.",
    "init": "Write a configuration file for a source tree.",
    "help": "Explain a command, a finding, or a topic.",
    "rules": "Query and check the rulebook: names, coverage, consistency.",
    "config": "Show the configuration for a file or folder, and where each value comes from.",
    "fatbin": "Inspect AMD fat binaries: targets, kernels, registration.",
    "trace": "Match kernel launches in sources with kernels in binaries; show occupancy.",
    "browse": "Browse fat binaries in a full-screen terminal program.",
    "lsp": "Serve editors: findings and conversions as you type.",
    "completion": "Print the script that sets up shell completion.",
    "man": "Print the manual page.",
}
SECTIONS = {
    "Port": ("convert", "audit", "verify", "compat", "cmake-dir"),
    "Keep it ported": ("check", "lsp", "init", "config"),
    "Inspect binaries": ("fatbin", "trace", "browse"),
    "Learn more": ("help", "rules", "man", "completion"),
}


_HELP = frozenset(("-h", "--help"))
_WITHOUT_RULES = frozenset(("help", "cmake-dir", "fatbin", "browse", "completion", "man"))


class _ReaderGone(Exception):
    """Whoever read our output has gone away (`| head`)."""


class _Program(LazySubcommands):
    """Distinguishes a command that found something from one whose reader is gone."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        asks_for_help = not _HELP.isdisjoint(args)
        if not asks_for_help and args[0] in self.subcommands and args[0] not in _WITHOUT_RULES:
            from hipport.commands.msgspec_alone import load_msgspec
            from hipport.commands.pathlib_alone import load_pathlib

            load_pathlib()
            load_msgspec()
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # click would make it exit code 1, which says that there are findings.
            raise _ReaderGone from error


def _show_version(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    if not is_wanted or ctx.resilient_parsing:
        return
    from hipport.commands.plain.version import run as write_version

    write_version()
    ctx.exit()


@click.command(
    cls=_Program,
    subcommands=COMMANDS,
    sections=SECTIONS,
    package="hipport.commands",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  hipport convert src/
  hipport audit --format html -o port.html src/
  hipport fatbin list libfoo.so
""",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and the date of the rules.",
)
def root() -> None:
    """Port CUDA code to AMD GPUs: convert it, and find what no rename can fix."""


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
