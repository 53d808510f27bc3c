"""`python -m hipport.cmake`: the steps of hipport-config.cmake, which nobody else calls."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from hipport.cmake.target_properties import converted_properties
from hipport.errors import HipportError, logged, printable
from hipport.files import write
from hipport.model import Finding, Severity
from hipport.runs.build_target import TargetSources, convert_target, warning
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.depfile import depfile

_FILE = click.Path(path_type=Path)


@click.group()
def steps() -> None:
    """Steps of hipport-config.cmake."""


@steps.command()
@click.argument("given", type=_FILE)
@click.argument("made", type=_FILE)
@click.option("--libs", type=click.Choice(["hip", "roc"]), default="hip")
def properties(given: Path, made: Path, libs: str) -> None:
    """Write the properties that a HIP target has for those of a CUDA target."""
    found = converted_properties(given.read_text("utf-8"), libs)
    write(made, found.text.encode())
    for name, finding in found.findings:
        line = f"{name}: {finding.severity.word} {finding.code} {finding.message}"
        click.echo(printable(line), err=True)
    sys.exit(1 if _is_worrying(finding for _, finding in found.findings) else 0)


@steps.command()
@click.option("--sources", type=_FILE, required=True, help="A file with a source on each line.")
@click.option("--includes", type=_FILE, multiple=True, help="Files with a folder on each line.")
@click.option("--root", "roots", type=_FILE, multiple=True)
@click.option("--output", type=_FILE, required=True)
@click.option("--stamp", type=_FILE, required=True)
@click.option("--werror", is_flag=True)
@click.option("--libs")
@click.option("--launch")
@click.option("--rocm", default="")
def sources(
    sources: Path,
    includes: tuple[Path, ...],
    roots: tuple[Path, ...],
    output: Path,
    stamp: Path,
    werror: bool,
    **asked: Any,
) -> None:
    """Convert the sources of a target and the headers that they include."""
    folders = dict.fromkeys(line for file in includes for line in _lines(file))
    target = TargetSources(
        sources=tuple(map(Path, _lines(sources))),
        output=output,
        base=Path(output.anchor),
        roots=roots,
        includes=tuple(map(Path, folders)),
        apart=(output.parent,),
    )
    done = convert_target(target, ConvertRequest(**asked))
    for each in done.report.findings:
        click.echo(logged(warning(each)), err=True)
    if werror and _is_worrying(done.report.findings):
        click.echo("HIPPORT_WERROR: the findings above fail the build", err=True)
        sys.exit(1)
    write(Path(f"{stamp}.d"), depfile(str(stamp), done.inputs, is_for_make=False))
    write(stamp, b"")


def _lines(file: Path) -> list[str]:
    return list(filter(None, file.read_text("utf-8").splitlines()))


def _is_worrying(findings: Iterable[Finding]) -> bool:
    return any(each.severity > Severity.INFO for each in findings)


if __name__ == "__main__":
    try:
        steps(prog_name="hipport.cmake")
    except HipportError as error:
        click.echo(f"hipport: error: {printable(str(error))}", err=True)
        sys.exit(2)
