"""The reference of the command line: what `--help` says, for every command."""

from __future__ import annotations

from collections.abc import Iterator

import click
from page import Page, block

from hipport.cli import root


def command_pages() -> list[Page]:
    """One page a command of `hipport`, its sub-commands below it."""
    context = click.Context(root, info_name="hipport", **_SETTINGS)
    return [
        Page(f"hipport {name}", f"reference/commands/{name}.md", "\n".join(_sections(child)))
        for name, child in _children(context)
    ]


_SETTINGS = {"max_content_width": 100, "terminal_width": 100}


def _children(context: click.Context) -> Iterator[tuple[str, click.Context]]:
    group = context.command
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command and not command.hidden:
            yield name, click.Context(command, parent=context, info_name=name, **_SETTINGS)


def _sections(context: click.Context, level: int = 1) -> Iterator[str]:
    yield f"{'#' * level} {context.command_path}\n"
    yield block(context.get_help(), "text")
    for _, child in _children(context):
        yield from _sections(child, level + 1)
