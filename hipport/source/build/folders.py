"""Where a folder of the CUDA toolkit has its counterpart in ROCm, by rules/environment.tsv."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import NamedTuple

from hipport.model import Span
from hipport.source.rules import RuleSet

KINDS = frozenset(("root", "folder", "subfolder"))
_VERSION = r"(?:-\d+(?:\.\d+)*)?"


class EnvironmentRule(NamedTuple):
    """One line of rules/environment.tsv.

    `root`: a variable that holds the toolkit's folder; `folder`: where the toolkit lies;
    `subfolder`: a folder in it. Without `rocm` it has no counterpart.
    """

    cuda: str
    kind: str
    rocm: str = ""
    note: str = ""
    source: str = ""


class _Places:
    def __init__(self, rules: RuleSet) -> None:
        self.rows = [EnvironmentRule(*row) for row in rules.table("environment.tsv")]

    def of(self, kind: str) -> dict[str, str]:
        return {row.cuda: row.rocm for row in self.rows if row.kind == kind}

    @cached_property
    def anywhere(self) -> re.Pattern[str]:
        """Matches a folder of the toolkit in the midst of other text, as far as it is known."""
        variables = "|".join(sorted(map(re.escape, self.of("root")), reverse=True))
        folders = "|".join(map(re.escape, self.of("folder")))
        below = "|".join(sorted(map(re.escape, self.of("subfolder")), key=len, reverse=True))
        return re.compile(
            rf"(?:\$[({{]?(?:{variables})[)}}]?|(?<![\w/.-])(?:{folders}){_VERSION})"
            rf"(?:/(?:{below})(?![\w.-]))?(?![\w.-])/?"
        )

    @cached_property
    def root(self) -> re.Pattern[str]:
        """Matches the toolkit's folder at the beginning of a path, and what follows it."""
        variables = "|".join(sorted(map(re.escape, self.of("root")), reverse=True))
        folders = "|".join(map(re.escape, self.of("folder")))
        return re.compile(
            rf"(?:(\$[({{]?)({variables})([)}}]?)|({folders}){_VERSION})(?![\w.-])/?(.*)", re.DOTALL
        )


@cache
def _places(rules: RuleSet) -> _Places:
    return _Places(rules)


def root_variables(rules: RuleSet) -> dict[str, str]:
    """Each variable that holds the toolkit's folder, with the one that holds ROCm's."""
    return _places(rules).of("root")


def rocm_folder(rules: RuleSet) -> Callable[[str], str | None]:
    """A function from a folder of the toolkit to ROCm's; it returns None for any other."""
    places = _places(rules)

    def folder(path: str) -> str | None:
        match = places.root.fullmatch(path)
        if match is None:
            return None
        opening, variable, closing, plain, rest = match.groups()
        subfolders = places.of("subfolder")
        rest = rest.rstrip("/")
        if rest and not subfolders.get(rest):
            return None
        root = opening + places.of("root")[variable] + closing if variable else None
        root = root or places.of("folder")[plain]
        return root + ("/" + subfolders[rest] if rest else "")

    return folder


def rocm_text(rules: RuleSet, text: str) -> Iterator[tuple[Span, str]]:
    """Each folder of the toolkit in a text, with what takes its place; unknown ones are left."""
    folder = rocm_folder(rules)
    for match in _places(rules).anywhere.finditer(text):
        path = match[0].rstrip("/")
        new = folder(path)
        if new is not None and new != path:
            yield Span(match.start(), match.start() + len(path)), new
