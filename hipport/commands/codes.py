"""Finding codes as a shell completes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def complete_codes(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The codes that begin so, the last of a list with commas too; no rule is read for it."""
    from click.shell_completion import CompletionItem

    from hipport.rulebook.edition import rules_folder

    before, comma, last = incomplete.rpartition(",")
    codes = sorted(path.stem for path in (rules_folder() / "checks").glob("**/*.toml"))
    return [
        CompletionItem(before + comma + code) for code in codes if code.startswith(last.upper())
    ]
