"""Where a folder of the CUDA toolkit has its counterpart in ROCm, by rules/environment.tsv."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property

from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet

KINDS = frozenset(
    ("root", "folder", "subfolder", "variable", "value", "flags", "targets", "module", "runner")
)
_VERSION = r"(?:-\d+(?:\.\d+)*)?"


class EnvironmentRule(NamedTuple):
    """One line of rules/environment.tsv.

    `root`: a variable that holds the toolkit's folder; `folder`: where the toolkit lies;
    `subfolder`: a folder in it. `variable`: gets another name; `flags`, `targets`: that too, and
    holds flags of nvcc or architectures; `value`: `rocm` has words of its value, old=new.
    `module`: an environment module; `runner`: an option of what runs containers.
    """

    cuda: str
    kind: str
    rocm: str = ""
    note: str = ""
    source: str = ""


@cache
def _rows(rules: RuleSet) -> list[EnvironmentRule]:
    return [EnvironmentRule(*row) for row in rules.table("environment.tsv")]


class _Places:
    """The patterns of a toolkit's places; `own` are variables of the file's that hold its root."""

    def __init__(self, rules: RuleSet, own: frozenset[str] = frozenset()) -> None:
        self.rows = _rows(rules)
        self.roots = {**{name: name for name in own}, **self.of("root")}
        self.folders = self.of("folder")
        self.subfolders = self.of("subfolder")

    def of(self, kind: str) -> dict[str, str]:
        return {row.cuda: row.rocm for row in self.rows if row.kind == kind}

    @cached_property
    def _top(self) -> str:
        """A pattern of the toolkit's folder, as a variable or as a path."""
        variables = "|".join(sorted(map(re.escape, self.roots), reverse=True))
        folders = "|".join(map(re.escape, self.folders))
        return (
            rf"(?:(?P<open>\$(?:ENV)?[({{]?)(?P<variable>{variables})(?P<close>[)}}]?)"
            rf"|(?<![\w/.)}}-])(?P<folder>{folders}){_VERSION})(?![\w.-])"
        )

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches a path that begins with the toolkit's folder."""
        return re.compile(rf"{self._top}/?(?P<rest>.*)", re.DOTALL)

    @cached_property
    def anywhere(self) -> re.Pattern[str]:
        """Matches a folder of the toolkit in the midst of other text, as far as it is known."""
        below = "|".join(sorted(map(re.escape, self.subfolders), key=len, reverse=True))
        return re.compile(rf"{self._top}(?:/(?P<rest>{below})(?![\w.-]))?(?![\w.-])")

    def rocm(self, match: re.Match[str]) -> str | None:
        """What takes the place of a match; None if nothing does."""
        rest = (match["rest"] or "").rstrip("/")
        if rest and not self.subfolders.get(rest):
            return None
        if match["variable"]:
            root = match["open"] + self.roots[match["variable"]] + match["close"]
        else:
            root = self.folders[match["folder"]]
        return root + ("/" + self.subfolders[rest] if rest else "")


@cache
def _places(rules: RuleSet, own: frozenset[str] = frozenset()) -> _Places:
    return _Places(rules, own)


def environment_rules(rules: RuleSet, kind: str) -> dict[str, str]:
    """Each name of a kind with its counterpart."""
    return _places(rules).of(kind)


def root_variables(rules: RuleSet) -> dict[str, str]:
    """Each variable that holds the toolkit's folder, with the one that holds ROCm's."""
    return _places(rules).of("root")


def rocm_folder(rules: RuleSet, own: frozenset[str] = frozenset()) -> Callable[[str], str | None]:
    """A function from a folder of the toolkit to ROCm's; it returns None for any other."""
    places = _places(rules, own)

    def folder(path: str) -> str | None:
        match = places.whole.fullmatch(path)
        return places.rocm(match) if match else None

    return folder


def may_have_folder(rules: RuleSet, text: str, own: frozenset[str] = frozenset()) -> bool:
    """Whether a text has a name of the toolkit's folder, or of a variable that holds it."""
    places = _places(rules, own)
    return any(each in text for each in (*places.roots, *places.folders))


def rocm_text(
    rules: RuleSet, text: str, own: frozenset[str] = frozenset()
) -> Iterator[tuple[Span, str]]:
    """Each folder of the toolkit in a text, with what takes its place; unknown ones are left."""
    places = _places(rules, own)
    for match in places.anywhere.finditer(text):
        is_known = match["rest"] or not text[match.end() :].startswith("/")
        new = places.rocm(match) if is_known else None
        if new is not None and new != match[0]:
            yield Span(*match.span()), new
