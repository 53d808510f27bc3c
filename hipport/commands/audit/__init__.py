"""`hipport audit`: one file a subcommand, imported when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hipport.commands.lazy import LazySubcommands

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SUBCOMMANDS = {
    "report": "Find everything that a port must fix; same as `hipport audit PATH`.",
    "explain": "Explain what a finding means, with examples.",
    "check": "For CI: report only findings that are not in the baseline.",
    "merge": "Merge reports of several runs.",
}
_HELP = frozenset(("-h", "--help"))


class _AuditGroup(LazySubcommands):
    """Words that are no subcommand are paths to report on."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in SUBCOMMANDS and args[0] not in _HELP:
            args = ["report", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The subcommands, or the paths and options of the report that is short for."""
        found = super().shell_complete(ctx, incomplete)
        is_name = any(each.value in SUBCOMMANDS for each in found)
        report = None if is_name else self.get_command(ctx, "report")
        return (
            found if report is None else report.shell_complete(ctx, incomplete) + _paths(incomplete)
        )


def _paths(incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [] if incomplete.startswith("-") else [CompletionItem(incomplete, type="file")]


EPILOG = """\b
Examples:
  hipport audit src/
  hipport audit --format html -o port.html .
"""


@click.command(
    cls=_AuditGroup,
    subcommands=SUBCOMMANDS,
    package=__name__,
    epilog=EPILOG,
)
def command() -> None:
    """Find everything that keeps a tree from building and running on ROCm. Changes nothing."""
