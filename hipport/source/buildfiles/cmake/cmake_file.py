"""A CMake file being converted: its commands and what they share."""

from __future__ import annotations

import msgspec

from hipport.named_tuples import NamedTuple
from hipport.rulebook.build_words import BuildWords
from hipport.rulebook.cmake_rules import CMakeRules
from hipport.source.buildfiles.build_file import BuildFile
from hipport.source.buildfiles.cmake.target_sources import Sources
from hipport.source.languages.cmake_syntax import Command

RULE = "cmake.tsv"
_OPENING = frozenset(("if", "foreach", "while", "function", "macro", "block"))
_DEEPEST = 100


class Need(NamedTuple):
    """A package that a command needs for a target that it now names, or for a variable."""

    package: str
    user: Command
    is_variable: bool = False
    """The variable is empty where the package was not found, as it was before."""


class CMakeFile(msgspec.Struct):
    """A CMake file, with what its commands share during conversion."""

    file: BuildFile
    rules: CMakeRules
    words: BuildWords
    commands: tuple[Command, ...]
    sources: Sources
    needs: list[Need] = msgspec.field(default_factory=list)
    found: dict[str, list[Command]] = msgspec.field(default_factory=dict)
    """Package -> the commands that will find it."""
    blocks: dict[int, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """The start of each command -> the starts of the blocks around it, outermost first."""
    speaks_hip: bool = False
    first_edit: int = 0
    """The number of edits before the command that is being converted."""
    scopes: dict[str, str] = msgspec.field(default_factory=dict)
    """Target -> the keyword of its first target_link_libraries, "" for none."""
    own_targets: set[str] = msgspec.field(default_factory=set)
    enables_language: bool = False

    def __post_init__(self) -> None:
        self.blocks = _blocks(self.commands)
        self.own_targets = {each.arguments[0].text for each in self.commands if each.arguments}
        languages = (self.words.cmake.language, self.words.cmake.hip_language)
        self.enables_language = any(
            argument.text in languages
            for each in self.commands
            if each.name == "enable_language"
            for argument in each.arguments
        )
        for command in self.commands:
            texts = [argument.text for argument in command.arguments[:2]]
            if command.name == "target_link_libraries" and texts:
                keyword = texts[1] if texts[1:] else ""
                self.scopes.setdefault(texts[0], keyword)

    def reaches(self, finder: Command, user: Command) -> bool:
        """Whether a package that one command finds is known wherever the other command runs."""
        outer = self.blocks[finder.span.start]
        return finder.span.start <= user.span.start and (
            self.blocks[user.span.start][: len(outer)] == outer
        )


def _blocks(parsed: tuple[Command, ...]) -> dict[int, tuple[int, ...]]:
    """The start of each command -> the starts of the open blocks; an else opens a new block."""
    blocks: dict[int, tuple[int, ...]] = {}
    stack: list[int] = []
    for command in parsed:
        if command.name.startswith(("end", "else")) and stack:
            stack.pop()
        blocks[command.span.start] = tuple(stack[:_DEEPEST])
        if command.name in _OPENING or command.name.startswith("else"):
            stack.append(command.span.start)
    return blocks
