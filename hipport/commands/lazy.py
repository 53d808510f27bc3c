"""A group of commands whose modules are imported only when they are called."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazySubcommands(click.Group):
    """Each of `subcommands` (name -> what it does) is `command` in a module of `package`."""

    def __init__(self, *args: Any, subcommands: dict[str, str], package: str, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.subcommands = subcommands
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.subcommands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.subcommands:
            return None
        found = importlib.import_module(f"{self.package}.{name}").command
        assert isinstance(found, click.Command)
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names, with no module imported."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=text)
            for name, text in self.subcommands.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.subcommands.items()))
