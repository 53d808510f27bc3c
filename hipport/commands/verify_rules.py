"""`hipport rules verify`: the rulebook against both vendors' headers."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from hipport.errors import printable
from hipport.files import write
from hipport.rulebook.load import load

EPILOG = """\b
Examples:
  hipport rules verify --cuda-headers /usr/local/cuda/include
  hipport rules verify --cuda-headers nvidia/cu13/include --hip-headers /opt/rocm/include --all
"""


@click.command(epilog=EPILOG)
@click.option(
    "--hip-headers",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Include folders with HIP's headers; by default those of this machine.",
)
@click.option(
    "--cuda-headers",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Include folders with CUDA's headers.",
)
@click.option(
    "--libclang", default="", metavar="FILE", help="Use this one, not the one that is chosen."
)
@click.option("--all", "is_all", is_flag=True, help="Print all rows, not only what differs.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the table there.")
def verify(
    hip_headers: tuple[Path, ...],
    cuda_headers: tuple[Path, ...],
    libclang: str,
    is_all: bool,
    output: Path | None,
) -> None:
    """Check each function rule: HIP and CUDA declare both names, and their arguments agree.

    Types are compared after mapping CUDA's names. Printed are the rows that differ; those with a
    rule for their arguments, or that are reported at each use, are marked. Exit code 0: all that
    differ are; 1: some are not; 2: headers or libclang are missing.
    """
    from hipport.verification.signatures import SERIOUS, Verified, is_told, verify_rules
    from hipport.verification.vendors import read_vendors

    rules = load()
    rows = list(verify_rules(rules, *read_vendors(cuda_headers, hip_headers, libclang)))
    silent = 0
    for row in rows:
        is_serious = row.verdict in SERIOUS
        is_silent = is_serious and not is_told(rules, row.cuda)
        silent += is_silent
        if is_all or is_serious:
            mark = "NOT REPORTED" if is_silent else "reported" if is_serious else ""
            click.echo(printable("\t".join([*row[:4], mark]).replace("\t", "  ").rstrip()))
    if output:
        lines = ["\t".join(Verified._fields), *("\t".join(row).rstrip("\t") for row in rows)]
        write(output, ("\n".join(lines) + "\n").encode())
    counts = Counter(row.verdict for row in rows)
    parts = ", ".join(f"{number} {verdict}" for verdict, number in counts.most_common())
    versions = f"CUDA {rows[0].cuda_version}, HIP {rows[0].hip_version}" if rows else ""
    click.echo(f"{len(rows)} functions, {versions}: {parts}; {silent} not reported", err=True)
    sys.exit(1 if silent else 0)
