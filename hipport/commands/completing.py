"""What a shell completes besides commands, options and files; no rule is parsed for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_MOST_NAMES = 200


def complete_codes(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The finding codes that begin so, the last of a list with commas too."""
    from hipport.rulebook.edition import rules_folder

    codes = sorted(path.stem for path in (rules_folder() / "checks").glob("**/*.toml"))
    return _beginning(incomplete, codes, str.upper)


def complete_targets(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The processors that begin so, the last of a list with commas too."""
    from hipport.runs.targets import all_targets

    return _beginning(incomplete, all_targets())


def complete_releases(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The ROCm releases in which an API came or went, the newest first."""
    from hipport.rulebook.edition import edition, rules_folder

    releases = {_version(edition()[1])[:2]}
    for path in _tables(rules_folder() / "api"):
        heading, *rows = path.read_text("utf-8").splitlines()
        column = heading.split("\t").index("hip_added")
        texts = {row.split("\t")[column] for row in rows if row.count("\t") >= column}
        releases.update(_version(each)[:2] for each in texts if each)
    return _beginning(incomplete, (".".join(map(str, each)) for each in sorted(releases)[::-1]))


def complete_names(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The CUDA names that begin so, if those are not too many to look through."""
    from hipport.rulebook.edition import rules_folder

    start = re.compile(rf"^{re.escape(incomplete)}\w*", re.MULTILINE)
    names: dict[str, None] = {}
    for path in _tables(rules_folder() / "api") if len(incomplete) > 2 else ():
        _, _, rows = path.read_text("utf-8").partition("\n")
        names.update(dict.fromkeys(start.findall(rows)))
    return _beginning(incomplete, sorted(names)[:_MOST_NAMES])


def _tables(folder: Path) -> list[Path]:
    return sorted(folder.glob("**/*.tsv"))


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _beginning(
    incomplete: str, known: Iterable[str], spelled: Callable[[str], str] = str
) -> list[CompletionItem]:
    """The known words that complete the last one of a list with commas, as they are spelled."""
    from click.shell_completion import CompletionItem

    before, comma, last = incomplete.rpartition(",")
    start = spelled(last)
    return [CompletionItem(before + comma + each) for each in known if each.startswith(start)]
