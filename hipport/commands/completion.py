"""`hipport completion`: has a shell complete commands, options, files and finding codes."""

from __future__ import annotations

import click

EPILOG = """\b
Examples:
  eval "$(hipport completion bash)"          in ~/.bashrc; zsh: in ~/.zshrc after compinit
  hipport completion fish > ~/.config/fish/completions/hipport.fish
"""


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands, options, and files."""
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    assert maker is not None
    root = ctx.find_root()
    assert root.info_name
    variable = f"_{root.info_name.upper()}_COMPLETE"
    click.echo(maker(root.command, {}, root.info_name, variable).source())
