"""`hipport fatbin dedupe`: facts about bytes that could be saved."""

from __future__ import annotations

import sys

import click

from hipport.commands.fatbin.common import files
from hipport.commands.plain.session import Session
from hipport.fatbin.questions.duplicates import Duplicates, duplicates

EPILOG = """\b
Examples:
  hipport fatbin dedupe libfoo.so libbar.so
  hipport fatbin dedupe --format json /opt/rocm/lib/*.so
"""


@click.command(epilog=EPILOG)
@files
def command(files: tuple[str, ...], form: str, max_size: int, timeout: int) -> None:
    """Find identical code objects, uncompressed code, and leftover debug sections."""
    session = Session(max_size, timeout)
    facts = duplicates(session.binaries(files), session.limits)
    if form == "json":
        from hipport.report.fatbin.json import write_duplicates

        write_duplicates(facts)
    else:
        _write(facts, form)
    sys.exit(session.exit_code())


def _write(facts: Duplicates, form: str) -> None:
    from hipport.report.fatbin.text import safe

    rows = [
        ("code objects", f"{facts.entries}, {facts.size} bytes"),
        ("stored", f"{facts.stored} bytes"),
        ("not compressed", f"{facts.uncompressed} bytes"),
        ("debug sections", f"{facts.debug} bytes"),
        ("copies", f"{facts.wasted} bytes in {len(facts.groups)} groups"),
    ]
    for places in facts.groups.values():
        path, entry = places[0]
        where = ", ".join(f"{p}[{e.bundle.index}] {e.id}" for p, e in places[1:])
        rows.append((f"{entry.size} bytes", f"{path}[{entry.bundle.index}] {entry.id} = {where}"))
    if form == "rich":
        from hipport.report.fatbin.rich import write_table

        write_table("", ("what", "how much"), rows)
        return
    for what, value in rows:
        click.echo(f"{what:<16} {safe(value)}")
