"""`hipport audit explain`: what a finding means."""

from __future__ import annotations

import sys

import click

from hipport.commands.completing import complete_codes
from hipport.errors import UsageError, printable

_WIDEST = 100
EPILOG = """\b
Examples:
  hipport audit explain HP-WARP-003
  hipport audit explain hp-py-011
"""


@click.command(epilog=EPILOG)
@click.argument("code", shell_complete=complete_codes)
def command(code: str) -> None:
    """Explain what a finding means and what to do, with code that has it and code that does not."""
    from hipport.report.finding_page import finding_page
    from hipport.runs.settings import configured_rules

    rules = configured_rules(is_audit=True).findings
    rule = rules.get(code.upper())
    if rule is None:
        import difflib

        close = difflib.get_close_matches(code.upper(), rules, n=3)
        hint = f"did you mean {', '.join(close)}?" if close else "hipport rules stats counts them"
        raise UsageError(f"no finding {printable(code)}", remedy=hint)
    for line in finding_page(rule):
        click.echo(_set(printable(line)))


def _set(line: str) -> str:
    """A line for where it goes: prose is wrapped on a terminal, code never is."""
    if not sys.stdout.isatty() or line.startswith(" "):
        return line
    import shutil
    import textwrap

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    # No word is broken: a name or an address can be copied.
    return textwrap.fill(
        line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
