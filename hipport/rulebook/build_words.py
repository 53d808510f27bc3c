"""rules/build.toml: words that the conversion of build files reasons with."""

from __future__ import annotations

import re
from functools import cache, cached_property

from hipport.rulebook.rules import RuleSet


def _expression(name: str) -> cached_property[re.Pattern[str]]:
    """A property of BuildWords: a pattern of the table, compiled."""
    return cached_property(lambda words: re.compile(getattr(words.table, name)))


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

    ported = _expression("ported")
    cuda = _expression("cuda")
    setup = _expression("setup")
    libtool = _expression("libtool")
    nvcc_flag = _expression("nvcc_flag")
    compiler = _expression("compiler")
    talk = _expression("talk")
    wrapper = _expression("wrapper")
    flag_variable = _expression("flag_variable")
    host_variable = _expression("host_variable")

    def finding_folders(self, kind: str) -> tuple[str, ...]:
        """The folders of rules/checks whose findings report what is left in a kind of file."""
        return tuple(self.table.findings[kind])

    def holds_flags(self, variable: str) -> bool:
        """Whether a variable of this name holds flags of nvcc."""
        return self.flag_variable.fullmatch(variable) is not None and (
            self.host_variable.fullmatch(variable) is None
        )


@cache
def build_words(rules: RuleSet) -> BuildWords:
    return BuildWords(rules)
