"""`hipport lsp`: a language server for editors."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from hipport.commands.configured import config_options
from hipport.errors import HipportError

_PYTHONS_OWN = 700, 10, 10
"""What gc.set_threshold() has at the start (The Python Standard Library, "gc")."""
EPILOG = """\b
Examples:
  hipport lsp                  what an editor starts
  hipport lsp --check          for a tree that is ported
  hipport lsp --workspace      also files that are not open
  hipport lsp --binary lib.so  also what the kernels of a build need
  hipport help editors         how to set up editors
"""


@click.command(epilog=EPILOG)
@click.option("--check", is_flag=True, help="Report each use of the CUDA API, as `check` does.")
@click.option("--workspace", is_flag=True, help="Audit the whole workspace at the start.")
@click.option(
    "--binary",
    "binaries",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Show what the kernel under the cursor needs in this binary, as `trace` does.",
)
@click.option(
    "--stdio", is_flag=True, help="Accepted for editors; standard input and output are always used."
)
@config_options
def command(
    check: bool,
    workspace: bool,
    binaries: tuple[Path, ...],
    stdio: bool,
    config_file: Path | None,
    isolated: bool,
) -> None:
    """Serve an editor: findings as you type, conversions, fixes, and facts about names.

    Speaks the Language Server Protocol on standard input and output. Needs pygls:
    pip install 'hipport[lsp]'.
    """
    try:
        from hipport.lsp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "hipport":
            raise
        raise HipportError(
            f"the language server needs {error.name}", remedy="pip install 'hipport[lsp]'"
        ) from error
    from hipport.runs.audit_request import AuditRequest
    from hipport.runs.convert_request import ConvertRequest

    # A server reads text after text: what it has done with is given back soon.
    gc.set_threshold(*_PYTHONS_OWN)
    serve(
        AuditRequest(config_file=config_file, isolated=isolated, reports_cuda=check),
        ConvertRequest(config_file=config_file, isolated=isolated),
        binaries,
        workspace=workspace,
    )
