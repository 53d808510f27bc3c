"""`python -m hipport.torch`: hipport for all extension builds of an environment, and back."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import click

from hipport.errors import HipportError, os_error, printable
from hipport.files import write

_NAME = "hipport-torch.pth"
# A line of such a file begins with import (site). Without hipport, Python starts as before.
_TRIED = "try:\n import hipport.torch.hook as h; h.wait()\nexcept ModuleNotFoundError: pass"
_TEXT = f"import sys; exec({_TRIED!r})\n"


@click.group()
def commands() -> None:
    """Have hipport convert the sources of PyTorch extensions, in this environment's builds.

    This works on a PyTorch for ROCm; with any other one, it changes nothing. With pip, build with
    --no-build-isolation: an isolated build has an environment of its own.
    """


@commands.command()
def install() -> None:
    """Use hipport in all builds of this environment."""
    path = _path()
    write(path, _TEXT.encode())
    click.echo(f"extension builds use hipport: {printable(str(path))}")


@commands.command()
def uninstall() -> None:
    """Use PyTorch's own hipify again."""
    path = _path()
    if not path.exists():
        click.echo(f"extension builds use PyTorch's own hipify: no {printable(str(path))}")
        return
    try:
        path.unlink()
    except OSError as error:
        raise os_error(path, "cannot remove", error) from error
    click.echo(f"extension builds use PyTorch's own hipify: removed {printable(str(path))}")


def _path() -> Path:
    return Path(sysconfig.get_path("purelib")) / _NAME


if __name__ == "__main__":
    try:
        commands(prog_name="python -m hipport.torch")
    except HipportError as error:
        click.echo(f"hipport: {printable(str(error))}", err=True)
        sys.exit(2)
