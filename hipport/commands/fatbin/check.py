"""`hipport fatbin check`: for CI, by exit code."""

from __future__ import annotations

import sys

import click

from hipport.commands.fatbin.common import devices, files, words
from hipport.commands.plain.session import Session
from hipport.errors import UsageError
from hipport.fatbin.checks import checks
from hipport.fatbin.questions.binary_survey import survey
from hipport.fatbin.questions.served_devices import Answer, Groups, answers
from hipport.fatbin.target_id import TargetId
from hipport.model import Finding

EPILOG = """\b
Examples:
  hipport fatbin check dist/*.whl --require gfx90a,gfx942
  hipport fatbin check libfoo.so --fail-on spills,mismatch --format json
"""


@click.command(epilog=EPILOG)
@files
@click.option("--require", default=None, metavar="ID,…", help="Devices that it must run on.")
@click.option("--fail-on", default=None, metavar="CHECK,…", help="Findings that make it fail.")
@click.option("--all", "show_all", is_flag=True, help="List information too, not only failures.")
def command(
    files: tuple[str, ...],
    form: str,
    max_size: int,
    require: str | None,
    fail_on: str | None,
    show_all: bool,
) -> None:
    """Would it run on these chips, and is it in order?

    Every bundle must hold code for each device of --require: its own, or a generic one's. A
    device without :xnack or :sramecc may have them on or off, so that it needs code which leaves
    them open, or code for both. Each image is looked at: an ID alone counts for nothing. Exit
    code 1 if a device is not served or a --fail-on check finds something.

    Checks: spills, unregistered, absent, mismatch, debug.
    """
    session = Session(max_size)
    required = devices("--require", words("--require", require, "gfx90a,gfx942"))
    failing = set(words("--fail-on", fail_on, "mismatch,absent"))
    unknown = failing - set(checks())
    if unknown:
        raise UsageError(
            f"--fail-on {','.join(sorted(unknown))}: no such check",
            remedy=f"checks: {', '.join(sorted(checks()))}",
        )
    wanted = set(checks()) if show_all else failing | {"absent", "mismatch"}
    findings: list[Finding] = []
    groups = Groups()
    for binary in session.binaries(files):
        result = survey(binary, session.limits, descriptors="mismatch" in wanted)
        groups.add(result)
        for name in sorted(wanted):
            findings += checks()[name].find(result)
    results = list(answers(groups.all, required))
    from hipport.report.fatbin.check import write

    write(results, findings, failing, form)
    if required and not results:
        click.echo("hipport: no AMD device code in these files", err=True)
    failed = not all(answer.runs for answer in results) or any(
        finding.code in failing for finding in findings
    )
    sys.exit(session.exit_code(failed or _nothing(results, required)))


def _nothing(results: list[Answer], required: list[TargetId]) -> bool:
    """Devices were required and no file holds AMD device code."""
    return bool(required) and not results
