"""`hipport audit`: one file a subcommand, imported when it is called."""

from __future__ import annotations

import importlib

import click

SUBCOMMANDS = {
    "report": "Find everything that needs a person; `hipport audit PATH` is short for it.",
    "explain": "Say what a finding means, with examples.",
    "check": "For CI: report only what a baseline does not know.",
    "merge": "Join reports that were made in parts.",
}
_HELP = frozenset(("-h", "--help"))


class _AuditGroup(click.Group):
    """Imports a subcommand's module when it is called; other words are paths to report on."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in SUBCOMMANDS and args[0] not in _HELP:
            args = ["report", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in SUBCOMMANDS:
            return None
        found = importlib.import_module(f"hipport.commands.audit.{name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.command(
    cls=_AuditGroup,
    epilog="Examples:  hipport audit src/   |   hipport audit --format html -o port.html .",
)
def command() -> None:
    """Find everything that stands between a tree and a working ROCm build. Changes nothing."""
