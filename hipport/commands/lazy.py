"""Commands whose help is in groups, and groups of commands that are imported only when called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from hipport.errors import printable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Sections = Mapping[str, tuple[str, ...]]
"""Heading -> the names below it; what no heading has comes last, below "More"."""


class LazySubcommands(click.Group):
    """Each of `subcommands` (name -> what it does) is `command` in a module of `package`."""

    def __init__(
        self,
        *args: Any,
        subcommands: dict[str, str],
        package: str,
        sections: Sections | None = None,
        **kwargs: Any,
    ):
        super().__init__(*args, **kwargs)
        self.subcommands = subcommands
        self.package = package
        self.sections = sections or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.subcommands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.subcommands:
            return None
        module = name.replace("-", "_")
        found = importlib.import_module(f"{self.package}.{module}").command
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; a word that is no command comes with the command that may be meant."""
        if args and args[0] not in self.subcommands and not args[0].startswith("-"):
            from hipport.schema import meant

            word = printable(args[0])
            hint = meant(args[0], list(self.subcommands))
            raise click.UsageError(f"No such command {word!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

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
        for heading, names in _in_sections(self.sections, list(self.subcommands), "Commands"):
            with formatter.section(heading):
                formatter.write_dl([(name, self.subcommands[name]) for name in names])


class SectionedCommand(click.Command):
    """A command whose options are shown in groups, those most people need first."""

    def __init__(self, *args: Any, sections: Sections, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {
            param.name or "": record
            for param in self.get_params(ctx)
            if (record := param.get_help_record(ctx))
        }
        for heading, names in _in_sections(self.sections, list(records), "Options"):
            with formatter.section(heading):
                formatter.write_dl([records[name] for name in names])


def _in_sections(
    sections: Sections, every: list[str], otherwise: str
) -> list[tuple[str, list[str]]]:
    """The headings with the names below them; a name that is not there is left out."""
    named = {name for names in sections.values() for name in names}
    rest = [name for name in every if name not in named]
    found = [(head, [name for name in names if name in every]) for head, names in sections.items()]
    found.append(("More" if sections else otherwise, rest))
    return [(head, names) for head, names in found if names]
