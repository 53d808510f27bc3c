"""`hipport fatbin kernels`: what every kernel needs, target by target."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from hipport.commands.fatbin.common import Session, files, target_matches
from hipport.errors import UsageError
from hipport.fatbin.inventory import RESOURCES, KernelRow, kernel_rows
from hipport.fatbin.registration import registered_names


@click.command(
    epilog="Example:  hipport fatbin kernels libfoo.so --target gfx942 --sort scratch --name gemm"
)
@files
@click.option("--name", "pattern", metavar="REGEX", help="Only names (mangled or not) that match.")
@click.option("--target", "targets", multiple=True, metavar="ID", help="Only these targets.")
@click.option(
    "--sort", type=click.Choice(sorted(RESOURCES)), help="Largest first; names alphabetically."
)
@click.option("--registered", is_flag=True, help="Say which of them the host code registers.")
@click.option("--mangled", is_flag=True, help="Leave C++ names as they are stored.")
def command(
    files: tuple[str, ...],
    form: str,
    max_size: int,
    pattern: str | None,
    targets: tuple[str, ...],
    sort: str | None,
    registered: bool,
    mangled: bool,
) -> None:
    """The kernels of every target: registers, LDS, scratch, spills, wave and group size."""
    session = Session(max_size)
    try:
        wanted = re.compile(pattern) if pattern else None
    except re.error as error:
        raise UsageError(f"--name {pattern!r}: {error}") from None
    sort_by = RESOURCES[sort] if sort else None
    rows = _rows(session, files, targets, registered)
    from hipport.report import fatbin_kernels as writer

    writer.write(rows, form, wanted, sort_by, demangle=not mangled, registered=registered)
    session.leave()


def _rows(
    session: Session, files: tuple[str, ...], targets: tuple[str, ...], registered: bool
) -> Iterator[KernelRow]:
    for binary in session.binaries(files):
        names = registered_names(binary, session.limits) if registered else None
        yield from kernel_rows(
            binary,
            session.limits,
            lambda entry: target_matches(entry, targets),
            names,
        )
