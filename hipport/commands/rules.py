"""`hipport rules`: what the rulebook knows."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hipport.commands.completing import complete_names
from hipport.commands.propose_rules import propose
from hipport.commands.verify_rules import verify
from hipport.errors import UsageError, printable
from hipport.rulebook.model import STATUSES, parse_version

if TYPE_CHECKING:
    from hipport.rulebook.finding_rules import FindingRule
    from hipport.rulebook.rules import RuleSet

_MOST_FAULTS = 200
EPILOG = """\b
Examples:
  hipport rules show cudaMemcpyToSymbol
  hipport rules list --library cublas --status unsupported
  hipport rules stats
  hipport rules test my-rules/
"""


@click.group(epilog=EPILOG)
def command() -> None:
    """Query and check the rulebook: names, coverage, consistency."""


@command.command(
    short_help="Show everything known about a name or a finding.",
    epilog="""\b
Examples:
  hipport rules show cudaMemcpyToSymbol
  hipport rules show cublas_v2.h
  hipport rules show nppiAddC_8u_C1RSfs
  hipport rules show -- -arch=sm_80
  hipport rules show CMAKE_CUDA_FLAGS
""",
)
@click.argument("name", shell_complete=complete_names)
def show(name: str) -> None:
    """Show everything known about a CUDA name, header, finding code, nvcc flag, CMake name, or
    environment variable.

    Where no name of a library can be renamed, each of them shows the finding for the library.
    """
    from hipport.commands.plain.rules_show import run

    run([name])


@command.command(
    "list",
    short_help="List names with what they become in HIP.",
    epilog="""\b
Examples:
  hipport rules list --library cublas
  hipport rules list --status unsupported | cut -f1
""",
)
@click.option("--library", help="Only this library (a file name of rules/api).")
@click.option("--status", type=click.Choice(sorted(STATUSES)), help="Only this status.")
def list_(library: str | None, status: str | None) -> None:
    """List names, one per line: CUDA name, HIP name, roc* name, kind, status; tab-separated."""
    from hipport.rulebook.load import load

    rules = load()
    if library and library not in rules.libraries:
        known = ", ".join(rules.libraries)
        raise UsageError(f"no library {library}", remedy=f"known: {known}")
    for rule in rules.every_api():
        if (library and rule.library != library) or (status and rule.status != status):
            continue
        click.echo("\t".join([rule.cuda, rule.hip, rule.roc, rule.kind, rule.status]))


@command.command(
    short_help="Count the names of each library by status.",
    epilog="""\b
Examples:
  hipport rules stats
  hipport rules stats | sort -k5 -n
  hipport rules stats --releases
""",
)
@click.option(
    "--releases", "by_release", is_flag=True, help="Count the counterparts in each ROCm release."
)
def stats(*, by_release: bool) -> None:
    """Count the names of each library by status, with the share that has a counterpart.

    With --releases, count the names of each library that have a counterpart in each release.
    """
    from hipport.rulebook.load import load

    rules = load()
    if by_release:
        _count_by_release(rules)
        return
    counts = Counter((rule.library, rule.status) for rule in rules.every_api())
    order = ["supported", "deprecated", "experimental", "partial", "dropped", "unsupported"]
    click.echo(f"{'library':<12}" + "".join(f"{each:>13}" for each in [*order, "total", "covered"]))
    for library in [*rules.libraries, ""]:
        numbers = [
            sum(n for (lib, s), n in counts.items() if s == each and library in ("", lib))
            for each in order
        ]
        covered = sum(numbers) - numbers[-1]
        row = [*numbers, sum(numbers), f"{covered * 100 // max(sum(numbers), 1)}%"]
        click.echo(f"{library or 'all':<12}" + "".join(f"{each:>13}" for each in row))
    newest = ".".join(map(str, rules.rocm))
    transforms = sum(len(each) for _, each in rules.transforms.every())
    click.echo(
        f"{len(rules.headers)} headers, {transforms} argument rules,"
        f" {len(rules.findings)} findings; ROCm up to {newest}, as of {rules.edition.date}"
    )
    titles = ", ".join(rule.title for rule in rules.whole_libraries)
    click.echo(f"found by the shape of their names, none of which has a counterpart: {titles}")


def _count_by_release(rules: RuleSet) -> None:
    releases = [(text, parse_version(text)) for text in rules.edition.releases]
    counts: Counter[tuple[str, str]] = Counter()
    for rule in rules.every_api():
        if rule.status != "unsupported":
            counts.update((rule.library, text) for text, asked in releases if rule.is_in(asked))
    click.echo(f"{'library':<12}" + "".join(f"{text:>7}" for text, _ in releases))
    for library in [*rules.libraries, ""]:
        row = (
            sum(n for (lib, each), n in counts.items() if each == text and library in ("", lib))
            for text, _ in releases
        )
        click.echo(f"{library or 'all':<12}" + "".join(f"{each:>7}" for each in row))


@command.command(
    short_help="Check the rule files for mistakes.",
    epilog="""\b
Examples:
  hipport rules check
  hipport rules check checkout/rules
""",
)
@click.argument(
    "folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
def check(folder: Path | None) -> None:
    """Check the rule files: columns, sorting, duplicates, contradictions, unknown values.

    With FOLDER, check that rules/ folder instead of the installed one.
    """
    from hipport.rulebook.check.rule_files import faults
    from hipport.rulebook.load import load
    from hipport.rulebook.rules import RuleSet

    found = list(islice(faults(RuleSet(folder) if folder else load()), _MOST_FAULTS))
    for fault in found:
        click.echo(printable(fault), err=True)
    if found:
        sys.exit(1)
    click.echo("The rules are consistent.")


@command.command(
    short_help="Run the examples in the rules.",
    epilog="""\b
Examples:
  hipport rules test
  hipport rules test my-rules/
""",
)
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def test(folder: Path | None) -> None:
    """Run the examples in the rules: the bad ones must be found, the good ones must not.

    With FOLDER, check the rules in it and run their examples (`hipport help user-rules`). Without,
    run those of the installed rules and of `extend-rules`. Exit code 1 if one fails.
    """
    from hipport.commands.ruleexamples import binaries, examples, fault
    from hipport.report.context import count

    wrong, rules, tested = _rules_to_test(folder)
    ran = left_out = 0
    for example in (example for rule in tested for example in examples(rule)):
        if example.needs_binaries and not binaries(rules).is_dir():
            left_out += 1
            continue
        ran += 1
        if reason := fault(example, rules):
            wrong.append(f"{example.place} {reason}")
    bare = [rule.id for rule in tested if folder and not any(True for _ in examples(rule))]
    wrong += [f"{code}: has no examples" for code in bare]
    for each in wrong[:_MOST_FAULTS]:
        click.echo(printable(each), err=True)
    note = f" ({left_out} of binaries need the source tree's fixtures)" if left_out else ""
    verdict = count(len(wrong), "fault") if wrong else "all as they should be"
    click.echo(f"{count(ran, 'example')} of {count(len(tested), 'finding')}{note}: {verdict}")
    sys.exit(1 if wrong else 0)


def _rules_to_test(folder: Path | None) -> tuple[list[str], RuleSet, list[FindingRule]]:
    """What is wrong with the rules of a folder, the rulebook with them, the findings to test."""
    if folder is None:
        from hipport.runs.settings import configured_rules

        rules = configured_rules(is_audit=True)
        return [], rules, list(rules.findings.values())
    from hipport.rulebook.load import load
    from hipport.rulebook.user_rules import read_user_rules

    wrong = read_user_rules(folder, load(is_audit=True)).faults
    if wrong:
        return wrong, load(is_audit=True), []
    rules = load(is_audit=True, extend=(str(folder),))
    own = rules.findings.keys() - load(is_audit=True).findings.keys()
    return [], rules, [rules.findings[code] for code in sorted(own)]


command.add_command(propose)
command.add_command(verify)
