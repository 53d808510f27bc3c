"""What a conversion prints of each file."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from hipport.errors import logged, printable
from hipport.source.tree.file_task import Outcome

_COLOURS = {b"+": "green", b"-": "red", b"@": "cyan"}


def print_changes(outcome: Outcome, folder: str) -> None:
    """Print the diff of a file and why each edit was made, as far as the outcome has them.

    `folder` is what the diff puts before the file's path, so that it leads there from here.
    """
    if outcome.old or outcome.new:
        _print_diff(outcome, folder)
    if outcome.explained:
        import click

        from hipport.report.explanation import lines

        click.echo("\n".join(map(logged, lines(outcome.explained))))


def _print_diff(outcome: Outcome, folder: str) -> None:
    from hipport.report.unified_diff import diff

    path = folder + outcome.file.path
    lines = diff(path, outcome.old, outcome.new, is_new=outcome.is_new)
    if sys.stdout.isatty():
        sys.stdout.writelines(_shown(lines))
    else:
        sys.stdout.buffer.writelines(lines)


def _shown(lines: Iterator[bytes]) -> Iterator[str]:
    """The lines of a diff to read: coloured, with control characters other than tabs escaped."""
    import click
    from rich.console import Console

    has_colours = Console().color_system is not None and not Console().no_color
    for number, piece in enumerate(lines):
        for line in piece.decode("utf-8", "surrogateescape").splitlines():
            text = "\t".join(map(printable, line.split("\t")))
            colour = _COLOURS.get(piece[:1]) if number else None
            is_styled = has_colours and (colour or not number)
            yield (
                click.style(text, fg=colour, bold=not number or None) if is_styled else text
            ) + "\n"
