"""Marks CUDA sources in CMake targets as HIP, or gives them their new names.

CMake takes only `.hip` files for HIP without a property. Sources that a command names are marked
before it; if they come from variables, the target's sources are marked after it.
"""

from __future__ import annotations

import re

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.build_words import BuildWords
from hipport.source.buildfiles.build_file import BuildFile
from hipport.source.languages.cmake_syntax import Argument, Command

RULE = "cmake.tsv"
_REFERENCE = regex(r"\$\{(\w+)\}")
_COLLECTING = frozenset(("APPEND", "PREPEND", "GLOB", "GLOB_RECURSE"))
_NAMING = frozenset(("function", "macro", "foreach"))
_ENDING = frozenset(("endfunction", "endmacro"))
_WIDEST = 92


class _Target(msgspec.Struct):
    """A command that gives a target its sources."""

    command: Command
    target: str
    arguments: tuple[Argument, ...]
    is_new: bool
    """Whether the command makes the target."""
    function: str
    """The function or macro that the command is in, in lower case; "" for none."""


class Sources(msgspec.Struct):
    """Collects the sources that the commands of a file name, then marks the CUDA sources."""

    file: BuildFile
    words: BuildWords
    commands: tuple[Command, ...]
    targets: list[_Target] = msgspec.field(default_factory=list)
    variables: dict[str, list[Argument]] = msgspec.field(default_factory=dict)
    """Variable -> the arguments assigned to it."""
    unknown: set[str] = msgspec.field(default_factory=set)
    """Variables that a command gets that may make a target, and is not known."""
    parameters: set[str] = msgspec.field(default_factory=set)
    """What the file's own functions and macros call what they get, and its loops an item."""
    passed: list[Argument] = msgspec.field(default_factory=list)
    """What loops go over, and the arguments of commands of the project's own."""
    inside: str = ""
    """The function or macro that the next command is in."""
    calls: list[Command] = msgspec.field(default_factory=list)
    """The commands of the project's own, or of a package."""
    marked: set[str] = msgspec.field(default_factory=set)
    """Variables that a function gets that has its sources compiled as HIP."""
    taken: set[str] = msgspec.field(default_factory=set)
    """Lists of which the file takes items one by one."""

    def see(self, command: Command, as_name: str = "") -> None:
        """Record the sources of a command; `as_name` is the name that an old command becomes."""
        name, arguments = as_name or command.name, command.arguments
        cmake = self.words.cmake
        texts = [argument.text for argument in arguments]
        inside = self.inside
        if name in cmake.target_commands and len(arguments) > 1:
            if not any(text in cmake.no_sources for text in texts[1:3]):
                end = texts.index("OPTIONS") if "OPTIONS" in texts else len(texts)
                self.targets.append(_Target(command, texts[0], arguments[1:end], True, inside))
        elif name == "target_sources" and len(arguments) > 2:
            self.targets.append(_Target(command, texts[0], arguments[1:], False, inside))
        elif name == "set" and len(arguments) > 1:
            self._assign(texts[0], arguments[1:])
        elif name == "list" and texts[:1] == ["GET"]:
            self.taken.update(texts[1:2])
        elif name in ("list", "file") and texts[:1] and texts[0] in _COLLECTING:
            self._assign("".join(texts[1:2]), arguments[2:])
        elif name in _NAMING:
            self._name(name, arguments)
        elif name in _ENDING:
            self.inside = ""
        elif name in self.file.marking:
            cu = cmake.source_ending
            self.file.answered += [each.whole for each in arguments if each.text.endswith(cu)]
            self.marked.update(each for text in texts for each in _REFERENCE.findall(text))
            self.passed += arguments
        elif re.fullmatch(cmake.source_command, name):
            self.unknown.update(name for text in texts for name in _REFERENCE.findall(text))
            self.passed += arguments
            self.calls.append(command)
        for argument in arguments:
            self._rename(argument)

    def _name(self, command: str, arguments: tuple[Argument, ...]) -> None:
        """Record what a function, a macro or a loop calls what it gets."""
        texts = [argument.text for argument in arguments]
        if command != "foreach":
            self.inside = "".join(texts[:1]).lower()
            self.parameters.update(texts[1:])
            return
        self.parameters.update(texts[:1])
        self.passed += arguments[1:]
        self.taken.update(texts[1:], *(_REFERENCE.findall(text) for text in texts[1:]))

    def _assign(self, name: str, arguments: tuple[Argument, ...]) -> None:
        self.variables.setdefault(name, []).extend(arguments)

    def _rename(self, argument: Argument) -> None:
        """Give sources their new ending if the conversion renames them."""
        for old, new in self.file.endings:
            for match in re.finditer(re.escape(old) + r"(?![\w.])", argument.text):
                before = argument.text[: match.start()][-1:]
                if before and (before.isalnum() or before in "_}*>-+\\"):
                    start = argument.span.start + match.start()
                    self.file.edit(Span(start, start + len(old)), new, RULE)

    @property
    def _ending(self) -> str:
        """The new ending of CUDA sources; "" if CMake takes it for HIP."""
        ending: str = self.words.cmake.source_ending
        new = dict(self.file.endings).get(ending, ending)
        return "" if new == self.words.cmake.hip_ending else new

    def mark(self) -> None:
        """Have every CUDA source compiled as HIP."""
        cu = self.words.cmake.source_ending
        used = set(self.marked)
        for target in self.targets:
            self._mark(target, used)
        inside = {each.function for each in self.targets if each.function and self._is_passed(each)}
        for call in (each for each in self.calls if each.name in inside):
            named = [each for each in call.arguments if each.text.endswith(cu)]
            self.file.answered += [each.whole for each in named]
        for name in self.variables:
            # A target in another file may use such a variable, and asks for its CUDA sources.
            if self._may_hold(name) and name not in self.unknown:
                used.add(name)
        for name in used:
            values = self.variables.get(name, ())
            self.file.answered += [each.whole for each in values if each.text.endswith(cu)]

    def _mark(self, target: _Target, used: set[str]) -> None:
        cu = self.words.cmake.source_ending
        named = [each for each in target.arguments if each.text.endswith(cu)]
        self.file.answered += [each.whole for each in named]
        references = [name for each in target.arguments for name in _REFERENCE.findall(each.text)]
        several = self._of_variables(references, used)
        if self._is_passed(target):
            several = True
            used |= self.taken - self.unknown
        ending = self._ending
        if not ending or not (named or several):
            return
        name = target.target
        mark = f"PROPERTIES LANGUAGE {self.words.cmake.hip_language}"
        if not several:
            files = [self._renamed(each) for each in named]
            middle = [] if target.is_new else [f"TARGET_DIRECTORY {name}"]
            words = [*files, *middle, mark]
            line = f"set_source_files_properties({' '.join(words)})"
            lines = [line]
            if len(line) > _WIDEST:
                lines = ["set_source_files_properties(", *(f"  {each}" for each in words), ")"]
            self.file.insert_before(target.command.span.start, lines, RULE)
            return
        variable = re.sub(r"\W+", "_", name).strip("_").lower() + "_hip_sources"
        place = "" if target.is_new else f" TARGET_DIRECTORY {name}"
        pattern = ending.replace(".", r"\\.") + "$"
        self.file.insert_after(
            target.command.span,
            [
                f"get_target_property({variable} {name} SOURCES)",
                f'list(FILTER {variable} INCLUDE REGEX "{pattern}")',
                f"set_source_files_properties(${{{variable}}}{place} {mark})",
            ],
            RULE,
        )

    def _is_passed(self, target: _Target) -> bool:
        """Whether a target's source is what a function gets, in a file that passes CUDA sources."""
        if not any(each.text in self._wholes for each in target.arguments):
            return False
        cu = self.words.cmake.source_ending
        lists = (value for values in self.variables.values() for value in values)
        return any(each.text.endswith(cu) for each in (*self.passed, *lists))

    @property
    def _wholes(self) -> set[str]:
        """References to the parameters: `${source}`."""
        return {f"${{{name}}}" for name in self.parameters}

    def _renamed(self, argument: Argument) -> str:
        cu = self.words.cmake.source_ending
        text = argument.text.removesuffix(cu) + self._ending
        return f'"{text}"' if argument.quote else text

    def _of_variables(self, references: list[str], used: set[str]) -> bool:
        """Whether a variable may hold CUDA sources; variables that do go into `used`."""
        found = False
        seen: set[str] = set()
        stack = list(references)
        while stack:
            name = stack.pop()
            if name in seen:
                continue
            seen.add(name)
            values = self.variables.get(name)
            if values is None:
                found = found or self._may_hold(name)
                continue
            for argument in values:
                stack += _REFERENCE.findall(argument.text)
                if argument.text.endswith(self.words.cmake.source_ending):
                    found = True
        used |= seen if found else set()
        return found

    def _may_hold(self, name: str) -> bool:
        """Whether the name of a variable that the file does not set suggests CUDA sources."""
        return re.fullmatch(self.words.cmake.source_variable, name) is not None
