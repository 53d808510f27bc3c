"""`hipport audit explain`: what a finding means."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import click

from hipport.commands.completing import complete_codes
from hipport.errors import UsageError, printable
from hipport.report.effort import duration, weights
from hipport.rulebook.finding_rules import FindingRule, example_tables
from hipport.runs.settings import configured_rules

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
    rules = configured_rules(is_audit=True).findings
    rule = rules.get(code.upper())
    if rule is None:
        import difflib

        close = difflib.get_close_matches(code.upper(), rules, n=3)
        hint = f"did you mean {', '.join(close)}?" if close else "hipport rules stats counts them"
        raise UsageError(f"no finding {printable(code)}", remedy=hint)
    for line in _lines(rule):
        click.echo(_set(printable(line)))


def _set(line: str) -> str:
    """A line for where it goes: prose is wrapped on a terminal, code never is."""
    if not sys.stdout.isatty() or line.startswith(" "):
        return line
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    # No word is broken: a name or an address can be copied.
    return textwrap.fill(
        line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _lines(rule: FindingRule) -> Iterator[str]:
    yield f"{rule.id}: {rule.title}"
    minutes = weights().minutes[rule.severity]
    further = "same" if weights().is_of_tree(rule.id) else "file"
    first, again = minutes["kind"].likely, minutes[further].likely
    where = "further place" if further == "same" else "further file"
    effort = f"about {duration(first)} in a tree, and {duration(again)} for each {where}"
    yield f"Severity: {rule.severity.word}" + (f" ({effort})" if first else "")
    yield f"Message: {rule.message}"
    if rule.suggestion:
        yield f"What to do: {rule.suggestion}"
    yield f"Read in: {', '.join(rule.languages)}"
    if rule.names:
        yield f"About: {', '.join(sorted(rule.names))}"
    yield from (line for each in example_tables(rule, "bad") for line in _example("Found in", each))
    yield from (
        line for each in example_tables(rule, "good") for line in _example("Not found in", each)
    )
    hiding = (
        "--exclude the file, or write a baseline"
        if "binary" in rule.languages
        else f"// hipport: ignore[{rule.id}]: why"
    )
    yield f"To hide one: {hiding}"
    for link in rule.links:
        yield f"See: {link}"


def _example(word: str, example: dict[str, Any]) -> Iterator[str]:
    yield ""
    if "code" not in example:
        yield f"{word} fixtures/prebuilt/{example['file']}"
        return
    yield f"{word} {example['file']}:"
    for number, line in enumerate(str(example["code"]).splitlines(), start=1):
        mark = ">" if example.get("line") == number else " "
        yield f"  {mark} {line}"
