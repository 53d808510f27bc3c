"""`%%hipport` in a notebook: a cell of CUDA, shown as HIP, with what is left to do.

    %load_ext hipport

docs/notebooks.md describes it. It needs IPython, which a notebook has.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from hipport.api import convert
from hipport.errors import HipportError
from hipport.files import write
from hipport.model import Finding
from hipport.report.context import place_of
from hipport.runs.audit_request import AuditRequest
from hipport.runs.audit_text import audit_text


def load_ipython_extension(shell: Any) -> None:
    """Add the magic to an IPython shell: what `%load_ext hipport` calls."""
    shell.register_magic_function(_magic, "cell", "hipport")


def _magic(line: str, cell: str) -> None:
    """What `%%hipport` calls; `%%hipport --help` says what it takes."""
    try:
        _command.main(shlex.split(line), "%%hipport", obj=cell.encode(), standalone_mode=False)
    except click.ClickException as error:
        error.show()
    except (HipportError, ValueError) as error:
        print(f"hipport: {error}")


@click.command()
@click.argument("name", default="cell.cu")
@click.option("--audit", is_flag=True, help="Find everything that a port must fix, instead.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Also write the result to this file."
)
@click.pass_obj
def _command(cell: bytes, name: str, audit: bool, output: Path | None) -> None:
    """Show the cell, CUDA, as HIP, and what is left to do.

    NAME sets the language, and which configuration applies.
    """
    if audit:
        _show(audit_text(cell, name, AuditRequest()).report.findings)
        return
    done = convert(cell, name)
    if output:
        write(output, done.data)
    _display(done.data.decode())
    _show(done.findings)


def _display(text: str) -> None:
    # IPython has no types, and is there where this is called.
    shown: Any = import_module("IPython.display")
    shown.display(shown.Code(text, language="cpp"))


def _show(findings: Iterable[Finding]) -> None:
    for each in findings:
        advice = f". {each.suggestion}" if each.suggestion else ""
        print(f"{place_of(each)}: {each.severity.word} {each.code} {each.message}{advice}")
