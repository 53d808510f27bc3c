"""`hipport audit`: one file a subcommand, imported when it is called."""

from __future__ import annotations

import click

from hipport.commands.lazy import LazySubcommands

SUBCOMMANDS = {
    "report": "Find everything that needs a person; `hipport audit PATH` is short for it.",
    "explain": "Say what a finding means, with examples.",
    "check": "For CI: report only what a baseline does not know.",
    "merge": "Join reports that were made in parts.",
}
_HELP = frozenset(("-h", "--help"))


class _AuditGroup(LazySubcommands):
    """Words that are no subcommand are paths to report on."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in SUBCOMMANDS and args[0] not in _HELP:
            args = ["report", *args]
        return super().parse_args(ctx, args)


@click.command(
    cls=_AuditGroup,
    subcommands=SUBCOMMANDS,
    package=__name__,
    epilog="Examples:  hipport audit src/   |   hipport audit --format html -o port.html .",
)
def command() -> None:
    """Find everything that stands between a tree and a working ROCm build. Changes nothing."""
