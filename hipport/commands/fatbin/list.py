"""`hipport fatbin list`: bundles and entries, from headers alone."""

from __future__ import annotations

import click

from hipport.commands.fatbin.common import Session, files


@click.command(epilog="Example:  hipport fatbin list --format json libfoo.so | jq '.files[].path'")
@files
@click.option("--targets", is_flag=True, help="One line a file: the targets only.")
def command(files: tuple[str, ...], form: str, max_size: int, targets: bool) -> None:
    """Bundles, targets, sizes and compression, from headers alone."""
    session = Session(max_size)
    binaries = session.binaries(files)
    if form == "json":
        from hipport.report.fatbin_json import write_list

        write_list(binaries)
    elif form == "rich":
        from hipport.report.fatbin_rich import write_list as write_rich

        write_rich(binaries)
    else:
        from hipport.report.fatbin_text import write_list as write_text
        from hipport.report.fatbin_text import write_targets

        (write_targets if targets else write_text)(binaries)
    session.leave()
