"""`hipport help`: commands, findings and the pages of the documentation, in the terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from hipport.errors import UsageError, printable
from hipport.pages import page, topics

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

EPILOG = """\b
Examples:
  hipport help
  hipport help configuration
  hipport help HP-WARP-003
"""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(topic, help=title)
        for topic, title in topics().items()
        if topic.startswith(incomplete)
    ]


@click.command(epilog=EPILOG)
@click.argument("topic", nargs=-1, shell_complete=_complete)
@click.pass_context
def command(ctx: click.Context, topic: tuple[str, ...]) -> None:
    """Explain a command, a finding, or a topic; without one, list the topics."""
    if not topic:
        widest = max(map(len, topics()))
        for name, title in topics().items():
            click.echo(f"{name:<{widest}}  {title}")
        return
    name = "/".join(topic)
    if name.upper().startswith("HP-"):
        from hipport.commands.audit.explain import command as explain

        ctx.invoke(explain, code=name)
    elif name in topics():
        _show(page(name))
    else:
        click.echo(_help_of(ctx.find_root(), topic))


def _show(text: str) -> None:
    """Markdown, set for reading on a terminal and as it is elsewhere."""
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    # As git has it: less passes colours on, and ends at once if the page fits on the screen.
    os.environ.setdefault("LESS", "FRX")
    console = Console()
    with console.pager(styles=not console.no_color):
        console.print(Markdown(text, code_theme="ansi_dark"), width=min(console.width, 100))


def _help_of(root: click.Context, words: tuple[str, ...]) -> str:
    """What `--help` of a command says; raises UsageError where there is none."""
    context = root
    for word in words:
        group = context.command
        found = group.get_command(context, word) if isinstance(group, click.Group) else None
        if found is None:
            from hipport.schema import meant

            known = [*topics(), *root.command.list_commands(root)]  # type: ignore[attr-defined]
            name = " ".join(words)
            raise UsageError(
                f"no help on {printable(name)}{meant(name, known)}",
                remedy="hipport help has a list",
            )
        settings = group.context_settings
        context = click.Context(found, parent=context, info_name=word, **settings)
    return context.get_help()
