"""What rules/cmake.tsv says about names of CMake's CUDA support."""

from __future__ import annotations

import re
from functools import cache, cached_property

from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet

KINDS = frozenset(("target", "package", "variable", "library", "property", "command", "module"))
KINDS |= {"feature", "macro"}
ACTIONS = frozenset(
    (
        *("rename", "drop", "report", "targets", "flags", "list_flags", "separable", "resolve"),
        *("compiler", "findcuda", "target", "link", "architectures", "source_format"),
    )
)


class CMakeRule(NamedTuple):
    """One line of rules/cmake.tsv: a name in CMake and what it becomes.

    `package` is what find_package must have found for `hip`; the roc columns are for `--libs roc`.
    """

    cuda: str
    kind: str
    action: str = ""
    hip: str = ""
    roc: str = ""
    package: str = ""
    roc_package: str = ""
    note: str = ""
    source: str = ""

    def becomes(self, libs: str) -> str:
        return self.roc if libs == "roc" and self.roc else self.hip

    def packages(self, libs: str) -> list[str]:
        return (self.roc_package if libs == "roc" and self.roc else self.package).split()


_TYPES = ("BOOL", "STRING", "PATH", "FILEPATH", "INTERNAL", "STATIC", "UNINITIALIZED")


class CMakeRules:
    """The rules by kind, and patterns that find their names in arguments."""

    def __init__(self, rules: RuleSet) -> None:
        self._rows = [CMakeRule(*row) for row in rules.table("cmake.tsv")]

    def of(self, kind: str) -> dict[str, CMakeRule]:
        return {row.cuda: row for row in self._rows if row.kind == kind}

    @cached_property
    def commands(self) -> dict[str, CMakeRule]:
        return self.of("command")

    @cached_property
    def packages(self) -> dict[str, CMakeRule]:
        return self.of("package")

    @cached_property
    def properties(self) -> dict[str, CMakeRule]:
        return self.of("property")

    @cached_property
    def variables(self) -> dict[str, CMakeRule]:
        return {**self.of("variable"), **self.of("library")}

    @cached_property
    def names(self) -> dict[str, CMakeRule]:
        """Targets, features, macros and variables: what is looked for anywhere in an argument."""
        return {**self.of("target"), **self.of("feature"), **self.of("macro"), **self.variables}

    @cached_property
    def name(self) -> re.Pattern[str]:
        """Matches one of the names, also after `-D`, where a type may follow: `-DNAME:STRING=`."""
        names = "|".join(map(re.escape, sorted(self.names, key=len, reverse=True)))
        end = rf"(?![\w:])|(?=:(?:{'|'.join(_TYPES)})=)"
        return re.compile(rf"(?:(?<!\w)(?<!::)|(?<=-D))(?:{names})(?:{end})")


@cache
def cmake_rules(rules: RuleSet) -> CMakeRules:
    return CMakeRules(rules)
