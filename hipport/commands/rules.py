"""`hipport rules`: what the rulebook knows."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import click

from hipport.errors import UsageError, printable
from hipport.source.rulecheck import faults
from hipport.source.rules import STATUSES, ApiRule, RuleSet, load

_MOST_FAULTS = 200
EPILOG = """\b
Examples:
  hipport rules show cudaMemcpyToSymbol
  hipport rules list --library cublas --status unsupported
  hipport rules stats
"""


@click.group(epilog=EPILOG)
def command() -> None:
    """Look into the rulebook: names, coverage, consistency."""


@command.command()
@click.argument("name")
def show(name: str) -> None:
    """Show everything known about a CUDA name, header or finding code."""
    rules = load()
    shown = [*_api(rules, name), *_header(rules, name), *_finding(rules, name)]
    if not shown:
        import difflib

        close = difflib.get_close_matches(name, rules.names, n=3)
        hint = f"did you mean {', '.join(close)}?" if close else "hipport rules list has all names"
        raise UsageError(f"no rule for {name}", remedy=hint)
    click.echo("\n\n".join(shown))


def _table(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{key:<16} {value}" for key, value in rows if value)


def _api(rules: RuleSet, name: str) -> Iterator[str]:
    for rule in rules.every_api():
        if rule.cuda != name:
            continue
        columns = [(column.replace("_", " "), getattr(rule, column)) for column in ApiRule._fields]
        yield _table(columns)
    for target in ("hip", "roc"):
        for transform in rules.transforms.get((name, target), []):
            words = [transform.operation, transform.index, transform.value]
            when = f"with {transform.arguments} arguments" if transform.arguments else ""
            yield _table(
                [
                    ("arguments", f"({target}) " + " ".join(filter(None, [*words, when]))),
                    ("note", transform.note),
                    ("source", transform.source),
                ]
            )


def _header(rules: RuleSet, name: str) -> Iterator[str]:
    rule = rules.headers.get(name)
    if rule:
        yield _table((column.replace("_", " "), getattr(rule, column)) for column in rule._fields)


def _finding(rules: RuleSet, name: str) -> Iterator[str]:
    rule = rules.findings.get(name)
    if rule:
        yield _table(
            [
                ("code", rule.id),
                ("severity", rule.severity.word),
                ("title", rule.title),
                ("message", rule.message),
                ("suggestion", rule.suggestion),
                ("names", " ".join(sorted(rule.names))),
            ]
        )


@command.command("list")
@click.option("--library", help="Only this library (a file name of rules/api).")
@click.option("--status", type=click.Choice(sorted(STATUSES)), help="Only this status.")
def list_(library: str | None, status: str | None) -> None:
    """List names, one a line: CUDA name, HIP name, roc name, kind, status; tab-separated."""
    rules = load()
    if library and library not in rules.libraries:
        known = ", ".join(rules.libraries)
        raise UsageError(f"no library {library}", remedy=f"known: {known}")
    for rule in rules.every_api():
        if (library and rule.library != library) or (status and rule.status != status):
            continue
        click.echo("\t".join([rule.cuda, rule.hip, rule.roc, rule.kind, rule.status]))


@command.command()
def stats() -> None:
    """Count the names of each library by status."""
    rules = load()
    counts = Counter((rule.library, rule.status) for rule in rules.every_api())
    order = ["supported", "deprecated", "experimental", "partial", "dropped", "unsupported"]
    click.echo(f"{'library':<12}" + "".join(f"{each:>13}" for each in [*order, "total"]))
    for library in [*rules.libraries, ""]:
        numbers = [
            sum(n for (lib, s), n in counts.items() if s == each and library in ("", lib))
            for each in order
        ]
        row = [*numbers, sum(numbers)]
        click.echo(f"{library or 'all':<12}" + "".join(f"{each:>13}" for each in row))
    newest = ".".join(map(str, rules.rocm))
    click.echo(
        f"{len(rules.headers)} headers, {sum(map(len, rules.transforms.values()))} argument rules,"
        f" {len(rules.findings)} findings; ROCm up to {newest}, as of {rules.vocabulary['date']}"
    )


@command.command()
@click.argument(
    "folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
def check(folder: Path | None) -> None:
    """Check the rule files: columns, sorting, duplicates, contradictions, unknown values.

    With FOLDER, those of that rules/ folder.
    """
    found = list(islice(faults(RuleSet(folder) if folder else load()), _MOST_FAULTS))
    for fault in found:
        click.echo(printable(fault), err=True)
    if found:
        sys.exit(1)
    click.echo("The rules are consistent.")
