"""`hipport init`: a configuration for the tree that it finds."""

from __future__ import annotations

from pathlib import Path

import click

from hipport.errors import UsageError

_NAME = "hipport.toml"
EPILOG = """\b
Examples:
  hipport init
  hipport init --print src/
"""


@click.command(epilog=EPILOG)
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--print", "is_printed", is_flag=True, help="Print the file instead of writing it.")
@click.option("--force", is_flag=True, help="Replace an existing hipport.toml.")
def command(folder: Path, is_printed: bool, force: bool) -> None:
    """Write hipport.toml for a folder (by default the working folder).

    Fills in what the tree shows: the GPUs that its build files name, and the submodules to exclude.
    Other keys are commented out. Exit code 2 if hipport.toml exists already.
    """
    from hipport.files import write
    from hipport.report.context import count
    from hipport.runs.init import propose

    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder", remedy="check the path")
    path = folder / _NAME
    if path.exists() and not (force or is_printed):
        raise UsageError(f"{path}: already exists", remedy="--force replaces it")
    proposal = propose(folder)
    if is_printed:
        click.echo(proposal.text, nl=False)
        return
    write(path, proposal.text.encode())
    click.echo(f"wrote {path}; {count(proposal.sources, 'CUDA source')} below it", err=True)
    click.echo(f"next: hipport audit {folder}", err=True)
