"""`hipport rules verify`: the rulebook against both vendors' headers."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from hipport.errors import printable
from hipport.files import write

EPILOG = """\b
Examples:
  hipport rules verify --cuda-headers /usr/local/cuda/include
  hipport rules verify --cuda-headers nvidia/cu13/include --hip-headers /opt/rocm/include --all
"""


@click.command(epilog=EPILOG, short_help="Compare the rules with CUDA and HIP headers.")
@click.option(
    "--hip-headers",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folders with the HIP headers; by default this machine's.",
)
@click.option(
    "--cuda-headers",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folders with the CUDA headers.",
)
@click.option(
    "--libclang", default="", metavar="FILE", help="libclang to use instead of the default."
)
@click.option("--all", "is_all", is_flag=True, help="Print all rows, not only those that differ.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write the table to this file."
)
def verify(
    hip_headers: tuple[Path, ...],
    cuda_headers: tuple[Path, ...],
    libclang: str,
    is_all: bool,
    output: Path | None,
) -> None:
    """Check that CUDA and HIP declare the names of each function rule, with the same arguments.

    Types are compared after mapping the CUDA names. Prints the rows that differ, and marks those
    with a rule for their arguments or a finding at each use. Exit code 0: all that differ are
    marked; 1: some are not; 2: headers or libclang are missing.
    """
    from hipport.rulebook.load import load
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
