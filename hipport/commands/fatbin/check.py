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
@click.option("--require", default=None, metavar="ID,…", help="Devices that the files must run on.")
@click.option(
    "--fail-on", default=None, metavar="CHECK,…", help="Checks that make the command fail."
)
@click.option("--all", "show_all", is_flag=True, help="Print all results, not only failures.")
def command(
    files: tuple[str, ...],
    form: str,
    max_size: int,
    timeout: int,
    require: str | None,
    fail_on: str | None,
    show_all: bool,
) -> None:
    """Check that files run on these devices and that nothing in them is wrong.

    Every bundle must hold code for each device in --require: for the device or for a generic
    processor. A device without :xnack or :sramecc may have them on or off; it needs code that fits
    both, or code for each. The images themselves are checked, not only their IDs. Exit code 1 if a
    device has no code or a --fail-on check finds something.

    Checks: spills, unregistered, absent, mismatch, debug.
    """
    session = Session(max_size, timeout)
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
