"""`hipport rules propose`: what headers of CUDA declare and the rulebook lacks."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hipport.errors import UsageError
from hipport.files import write

EPILOG = """\b
Examples:
  hipport rules propose cuda-12.9/include cuda-13.5/include
  hipport rules propose --hip-headers /opt/rocm/include cuda-13.5/include
  hipport rules propose --write checkout/rules cuda-12.9/include cuda-13.5/include

Headers come with NVIDIA's wheels: pip download --no-deps nvidia-cuda-runtime, and unpack it.
"""
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command(epilog=EPILOG, short_help="Propose lines for names that no rule covers.")
@click.argument("folders", nargs=-1, required=True, type=_FOLDER)
@click.option("--hip-headers", multiple=True, type=_FOLDER, help="Folders with ROCm's headers.")
@click.option("--write", "into", type=_FOLDER, help="Put the lines into this rules/ folder.")
def propose(folders: tuple[Path, ...], hip_headers: tuple[Path, ...], into: Path | None) -> None:
    """Propose lines for rules/api: the names that CUDA headers declare and no rule covers.

    FOLDERS hold the headers of CUDA releases, oldest first: CUDA added a name in the first one that
    declares it, and removed it in the first later one that does not. Prints the library, a tab,
    and the line. A counterpart found in --hip-headers by name alone has no evidence yet: check
    that both do the same. Exit code 0: nothing to propose; 1: lines proposed; 2: usage error.
    """
    from hipport.report.context import count
    from hipport.rulebook.load import load
    from hipport.rulebook.rules import RuleSet
    from hipport.verification import proposed_rules as proposals
    from hipport.verification.compiler_facts import knowledge
    from hipport.verification.header_names import names_in

    rules = RuleSet(into, is_audit=True) if into else load(is_audit=True)
    if not rules.libraries:
        raise UsageError(f"{into}: has no rules", remedy="name a folder rules/")
    macro = knowledge()["vendors"]["cuda_version"]
    releases = [proposals.read_release(folder, macro) for folder in folders]
    if not releases[-1].names:
        raise UsageError(f"{folders[-1]}: has no headers", remedy="check the path")
    found = proposals.propose(rules, releases, names_in(hip_headers))
    lines = [*found.new, *found.removed]
    for library, rows in proposals.proposed_by_library(lines):
        if into:
            write(into / "api" / f"{library}.tsv", proposals.merged(rules, library, rows).encode())
        for row in rows:
            click.echo(f"{library}\t{proposals.line_of(row)}")
    click.echo(
        f"{count(len(found.new), 'name')} without a rule, {len(found.removed)} removed from CUDA;"
        f" {len(found.others)} that no library calls its own",
        err=True,
    )
    sys.exit(1 if lines else 0)
