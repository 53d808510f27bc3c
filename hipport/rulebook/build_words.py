"""rules/build.toml: words that the conversion of build files reasons with."""

from __future__ import annotations

import re
from functools import cache, cached_property

from hipport.rulebook.rules import RuleSet


class BuildWords:
    """The words, and the patterns among them compiled."""

    def __init__(self, rules: RuleSet) -> None:
        self.table = rules.build_files
        self.cmake = self.table.cmake

    @cached_property
    def hints(self) -> tuple[bytes, ...]:
        return tuple(each.encode() for each in self.table.hints)

    @cached_property
    def ported_hints(self) -> tuple[bytes, ...]:
        return tuple(each.encode() for each in self.table.ported_hints)

    @cached_property
    def ported(self) -> re.Pattern[str]:
        return re.compile(self.table.ported)

    @cached_property
    def cuda(self) -> re.Pattern[str]:
        return re.compile(self.table.cuda)

    @cached_property
    def setup(self) -> re.Pattern[str]:
        return re.compile(self.table.setup)

    @cached_property
    def libtool(self) -> re.Pattern[str]:
        return re.compile(self.table.libtool)

    @cached_property
    def nvcc_flag(self) -> re.Pattern[str]:
        return re.compile(self.table.nvcc_flag)

    @cached_property
    def compiler(self) -> re.Pattern[str]:
        return re.compile(self.table.compiler)

    @cached_property
    def talk(self) -> re.Pattern[str]:
        return re.compile(self.table.talk)

    @cached_property
    def wrapper(self) -> re.Pattern[str]:
        return re.compile(self.table.wrapper)

    def finding_folders(self, kind: str) -> tuple[str, ...]:
        """The folders of rules/checks whose findings report what is left in a kind of file."""
        return tuple(self.table.findings[kind])

    def holds_flags(self, variable: str) -> bool:
        """Whether a variable of this name holds flags of nvcc."""
        return bool(re.fullmatch(self.table.flag_variable, variable)) and not re.fullmatch(
            self.table.host_variable, variable
        )


@cache
def build_words(rules: RuleSet) -> BuildWords:
    return BuildWords(rules)
