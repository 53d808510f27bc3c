"""`hipport fatbin show`: everything about one kernel."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from hipport.commands.fatbin.common import limited, output
from hipport.commands.plain.session import Session, target_matches
from hipport.errors import HipportError, UsageError
from hipport.fatbin.object.code_object import Kernel
from hipport.fatbin.object.demangle import demangle
from hipport.fatbin.questions.kernel_tables import KernelTable, kernel_tables, kernels

EPILOG = """\b
Examples:
  hipport fatbin show '_Z3addIiEvPT_' libfoo.so --target gfx942
  hipport fatbin show 'add<int>' libfoo.so --no-code --group-size 256
"""


@click.command(epilog=EPILOG)
@click.argument("name", metavar="KERNEL", required=False)
@click.argument("files", nargs=-1, metavar="FILE...", type=click.Path())
@output
@limited
@click.option("--target", "targets", multiple=True, metavar="ID", help="Only these targets.")
@click.option(
    "--group-size", type=int, default=0, help="Work-group size for the occupancy, in work-items."
)
@click.option("--code/--no-code", default=True, help="Disassemble the kernel.")
@click.option("--list-disassemblers", is_flag=True, help="List the disassemblers found, and exit.")
def command(
    name: str | None,
    files: tuple[str, ...],
    form: str,
    max_size: int,
    timeout: int,
    targets: tuple[str, ...],
    group_size: int,
    code: bool,
    list_disassemblers: bool,
) -> None:
    """Show metadata, arguments, descriptor, occupancy, and instructions of one kernel.

    KERNEL is a name, mangled or not, or a part of it that only one kernel has.
    """
    if list_disassemblers:
        from hipport.fatbin.object.disassembly import REMEDY, disassemblers

        for found in disassemblers():
            click.echo(f"{found.name:<20} {found.path}")
        if not disassemblers():
            click.echo(REMEDY)
        return
    if name is None or not files:
        raise UsageError(
            "a kernel's name and a file are needed",
            remedy="hipport fatbin kernels FILE lists the names",
        )
    session = Session(max_size, timeout)
    shown = list(_chosen(session, files, targets, name))
    from hipport.report.fatbin import show as writer

    reports = [
        writer.kernel_object(path, table, kernel, readable, group_size, code)
        for path, table, kernel, readable in shown
    ]
    writer.write(reports, form)
    sys.exit(session.exit_code())


Found = tuple[str, KernelTable, Kernel, str]


def _chosen(
    session: Session, files: tuple[str, ...], targets: tuple[str, ...], wanted: str
) -> Iterator[Found]:
    """The kernel of that name in every target, or the only one whose name holds the text."""
    names, uncompiled = set[str](), set[str]()
    for binary in session.binaries(files):
        for table in kernel_tables(binary, session.limits, lambda e: target_matches(e, targets)):
            found = {str(record.get(".name", "")) for record in table.records}
            (uncompiled if table.code_object is None else names).update(found)
    readable = demangle(names)
    exact = {n for n in names if wanted in (n, readable.get(n))}
    partial = {n for n in names if wanted in n or wanted in readable.get(n, "")}
    matches = exact or partial
    if not matches and any(wanted in name for name in uncompiled):
        raise HipportError(
            f"{wanted!r} is in SPIR-V or LLVM bitcode alone: what it needs is not known yet",
            remedy="show it in the file that it is linked into",
        )
    if not matches:
        raise HipportError(
            f"no kernel is called {wanted!r}", remedy="hipport fatbin kernels FILE lists the names"
        )
    if len(matches) > 1:
        some = ", ".join(sorted(matches)[:3])
        raise HipportError(
            f"{wanted!r} fits {len(matches)} kernels: {some} …", remedy="give more of the name"
        )
    (match,) = matches
    for binary in session.binaries(files):
        for table, kernel in kernels(
            binary, session.limits, lambda entry: target_matches(entry, targets)
        ):
            if kernel.name == match:
                yield binary.path, table, kernel, readable.get(match, match)
