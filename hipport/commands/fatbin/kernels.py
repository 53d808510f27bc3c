"""`hipport fatbin kernels`: what every kernel needs, target by target."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from hipport.commands.fatbin.common import Session, files, target_matches
from hipport.errors import UsageError
from hipport.fatbin.inventory import RESOURCES, KernelTable, kernel_tables

if TYPE_CHECKING:
    from hipport.fatbin.registration import Registrations


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
    found: dict[str, Registrations] | None = {} if registered else None
    tables = _tables(session, files, targets, found)
    # Nearly everything made here lives to the end: looking for cycles costs a tenth of the time.
    gc.disable()
    from hipport.report import fatbin_kernels as writer

    selection = writer.Selection(wanted, RESOURCES[sort] if sort else None, not mangled)
    writer.write(tables, form, selection, found)
    session.leave()


def _tables(
    session: Session,
    files: tuple[str, ...],
    targets: tuple[str, ...],
    found: dict[str, Registrations] | None,
) -> Iterator[KernelTable]:
    for binary in session.binaries(files):
        if found is not None:
            from hipport.fatbin.registration import registrations

            found[binary.path] = registrations(binary, session.limits)
        yield from kernel_tables(
            binary, session.limits, lambda entry: target_matches(entry, targets)
        )
