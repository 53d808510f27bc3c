"""`hipport audit merge`: one report from those of several runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hipport.commands.audit.options import places_option
from hipport.commands.audited import one_finding_a_decision
from hipport.commands.output import Output, finish
from hipport.commands.output_options import output_options

EPILOG = """\b
Examples:
  hipport audit merge shard-*.json --format html -o port.html
  hipport audit merge --by-name repositories/*.json --format json -o all.json
"""


@click.command(epilog=EPILOG)
@click.argument(
    "reports", nargs=-1, required=True, metavar="REPORT.json...", type=click.Path(path_type=Path)
)
@click.option("--by-name", is_flag=True, help="Prefix paths with the name of their report.")
@places_option
@output_options
def command(
    reports: tuple[Path, ...],
    by_name: bool,
    all_places: bool,
    output: Output,
) -> None:
    """Merge reports written with --format json. The sources are not needed."""
    from hipport.report.context import Context
    from hipport.report.readback import joined, read_report
    from hipport.rulebook.load import load

    whole, lines = joined(((path, read_report(path)) for path in reports), by_name=by_name)
    rules = load(is_audit=True).findings
    one_finding_a_decision(whole, rules, all_places=all_places)
    context = Context(rules, lines, output.fail_on)
    sys.exit(finish(whole, context, output))
