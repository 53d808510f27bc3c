"""Follows the commands of CMake files as far as the files themselves say what they do.

Nothing is run, and nothing outside the tree is read. A reference whose value is not known stays in
the text; a variable with such a value counts as unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

import msgspec

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.source.buildfiles.build_kinds import LARGEST
from hipport.source.languages.cmake_syntax import Argument, Command, commands
from hipport.verification.build_flags import plain
from hipport.verification.cmake_conditions import Token, assumed, holds, is_unknown
from hipport.verification.compiler_facts import knowledge

NAME = "CMakeLists.txt"
_REFERENCE = regex(r"\$\{([\w./+-]+)\}", re.ASCII)
_NAME = regex(r"\w+", re.ASCII)
_BLOCKS = frozenset(("if", "foreach", "while", "function", "macro", "block"))
_GLOBS = ("GLOB", "GLOB_RECURSE")
_STRINGS = ("APPEND", "TOUPPER", "TOLOWER")
_MOST_COMMANDS = 100_000
_LONGEST = 100_000
_SHARE = 200
"""How many names, files, or characters cost as much as one command."""
_DEEPEST = 100
_PASSES = 4


class Folder(msgspec.Struct):
    """A folder with a CMake file; its variables are those at the end of that file."""

    path: Path
    above: Folder | None
    variables: dict[str, str]


class Frame(NamedTuple):
    """Where commands are, and whether they certainly run."""

    folder: Folder
    file: Path
    text: str
    is_sure: bool = True
    depth: int = 0


See = Callable[[str, list[str], Command, Frame], None]


class Run:
    """Follows the files below a root, the topmost first; calls `see` with each other command."""

    def __init__(self, files: Iterable[Path], see: See, is_target: Callable[[str], bool]) -> None:
        self.files, self._see, self._is_target = frozenset(files), see, is_target
        self._sorted = sorted(self.files)
        self.folders: dict[Path, Folder] = {}
        self._functions: dict[str, tuple[Sequence[Command], Frame]] = {}
        self._raised: list[set[str]] = []
        self._open: list[Path] = []
        """The files being read, of which one includes the next."""
        self._budget = _MOST_COMMANDS

    def follow(self) -> None:
        listed = sorted(path.parent for path in self.files if path.name == NAME)
        for path in sorted(listed, key=lambda path: len(path.parts)):
            # A folder that the file above does not add is built only as a separate project.
            is_below = any(each in self.folders for each in path.parents)
            if path not in self.folders and not (is_below and not _is_project(path / NAME)):
                self._functions = {}
                self._folder(path, None, 0)

    def _folder(self, path: Path, above: Folder | None, depth: int) -> None:
        if path in self.folders or path / NAME not in self.files or depth > _DEEPEST:
            return
        variables = dict(above.variables) if above else dict(knowledge()["cmake_variables"])
        variables["CMAKE_CURRENT_SOURCE_DIR"] = str(path)
        if above is None:
            variables["CMAKE_SOURCE_DIR"] = variables["PROJECT_SOURCE_DIR"] = str(path)
        self.folders[path] = Folder(path, above, variables)
        self._file(path / NAME, self.folders[path], True, depth)

    def _file(self, path: Path, folder: Folder, is_sure: bool, depth: int) -> None:
        try:
            data = read(path, LARGEST)
        except HipportError:
            return
        before = folder.variables.get("CMAKE_CURRENT_LIST_DIR", "")
        folder.variables["CMAKE_CURRENT_LIST_DIR"] = str(path.parent)
        self._open.append(path)
        self._run(commands(data), Frame(folder, path, data.decode("latin-1"), is_sure, depth))
        self._open.pop()
        folder.variables["CMAKE_CURRENT_LIST_DIR"] = before

    def _run(self, listed: Sequence[Command], frame: Frame) -> bool:
        """Follow commands in their order; whether a return() ended them."""
        at = 0
        while at < len(listed) and self._budget > 0:
            self._budget -= 1
            command, end = listed[at], at
            if command.name in _BLOCKS:
                end = _end(listed, at)
                if self._block(listed[at : end + 1], frame):
                    return True
            elif command.name == "return":
                return frame.is_sure
            elif command.name in self._functions:
                self._call(command, frame)
            elif texts := self._texts(command.arguments, frame):
                self._one(command, texts, frame)
            at = end + 1
        return False

    def _block(self, block: Sequence[Command], frame: Frame) -> bool:
        head, inside = block[0], block[1:-1]
        frame = frame._replace(depth=frame.depth + 1)
        if frame.depth > _DEEPEST:
            return False
        if head.name == "if":
            return self._if(block, frame)
        if head.name == "foreach":
            return self._foreach(head, inside, frame)
        if head.name in ("function", "macro"):
            if head.arguments:
                self._functions[head.arguments[0].text.lower()] = block, frame
            return False
        return self._run(inside, frame._replace(is_sure=frame.is_sure and head.name == "block"))

    def _if(self, block: Sequence[Command], frame: Frame) -> bool:
        starts = [0, *_dividing(block), len(block) - 1]
        is_sure = frame.is_sure
        for start, end in pairwise(starts):
            is_true = block[start].name == "else" or self._holds(block[start], frame)
            if is_true is False:
                continue
            is_sure = is_sure and bool(is_true)
            if self._run(block[start + 1 : end], frame._replace(is_sure=is_sure)):
                return True
            if is_true:
                return False
        return False

    def _holds(self, command: Command, frame: Frame) -> bool | None:
        tokens: list[Token] = []
        at = frame.text.find("(", command.name_span.end) + 1
        for argument in command.arguments:
            tokens += _parentheses(frame.text[at : argument.whole.start])
            tokens.append(Token(self._expanded(argument.text, frame), bool(argument.quote)))
            at = argument.whole.end
        # The last is the command's own.
        tokens += _parentheses(frame.text[at : command.span.end])[:-1]
        return holds(tokens, frame.folder.variables, self._is_target)

    def _foreach(self, head: Command, inside: Sequence[Command], frame: Frame) -> bool:
        name, *values = self._texts(head.arguments, frame) or [""]
        if values[:1] == ["RANGE"]:
            values = [f"${{{name}}}"]
        elif values[:2] == ["IN", "LISTS"]:
            lists = (frame.folder.variables.get(each, "") for each in values[2:])
            values = [each for text in lists for each in text.split(";") if each]
        elif values[:2] == ["IN", "ITEMS"]:
            values = values[2:]
        for value in values:
            frame.folder.variables[name] = value
            if self._run(inside, frame):
                return True
        return False

    def _call(self, command: Command, frame: Frame) -> None:
        """Run a function or macro that the project defines, with its arguments."""
        body, home = self._functions[command.name]
        if frame.depth >= _DEEPEST:
            return
        given = self._texts(command.arguments, frame)
        names = [each.text for each in body[0].arguments[1:]]
        variables = frame.folder.variables
        before = dict(variables)
        self._budget -= len(before) // _SHARE
        variables.update(zip(names, given, strict=False))
        variables["ARGN"], variables["ARGV"] = ";".join(given[len(names) :]), ";".join(given)
        variables["ARGC"] = str(len(given))
        self._raised.append(set())
        inner = frame._replace(file=home.file, text=home.text, depth=frame.depth + 1)
        self._run(body[1:-1], inner)
        raised = self._raised.pop()
        if body[0].name == "function":
            before.update((each, variables[each]) for each in raised if each in variables)
            variables.clear()
            variables.update(before)

    def _texts(self, arguments: Iterable[Argument], frame: Frame) -> list[str]:
        """The arguments with their references replaced; those without quotes are lists."""
        found: list[str] = []
        end = -1
        for argument in arguments:
            text = argument.text
            if argument.quote != "[":
                text = self._expanded(text, frame)
            if argument.whole.start == end and found:
                # A="b" is one argument, its quotes part of it.
                found[-1] += f'"{text}"' if argument.quote else text
            else:
                found += [text] if argument.quote else filter(None, text.split(";"))
            end = argument.whole.end
        return found

    def _expanded(self, text: str, frame: Frame) -> str:
        variables = frame.folder.variables
        for _ in range(_PASSES):
            found = [variables.get(at[1], at[0]) for at in _REFERENCE.finditer(text)]
            if not found or len(text) + sum(map(len, found)) > _LONGEST:
                break
            self._budget -= len(text) // _SHARE
            values = iter(found)
            text = _REFERENCE.sub(lambda _, values=values: next(values), text)  # type: ignore[misc]
        return text

    def _one(self, command: Command, texts: list[str], frame: Frame) -> None:
        name, folder, variables = command.name, frame.folder, frame.folder.variables
        if name == "set":
            own = f"${{{texts[0]}}}"
            # A part that may be added to a value does not make the rest of it unknown.
            if frame.is_sure or not any(own in each.text for each in command.arguments[1:]):
                self._set(texts[0], texts[1:], frame)
        elif name in ("option", "cmake_dependent_option"):
            default = "".join(texts[2:3]) or "OFF"
            variables.setdefault(texts[0], "ON" if assumed(texts[0]) else default)
        elif name == "list" and len(texts) > 1:
            self._list(texts[0], texts[1], texts[2:], frame)
        elif name == "string" and texts[0] in _STRINGS and len(texts) > 2:
            self._string(texts, frame)
        elif name == "file" and texts[0] in _GLOBS and len(texts) > 2:
            variables[texts[1]] = ";".join(self._found(texts[2:], folder.path, texts[0]))
        elif name == "project":
            names = ("PROJECT_SOURCE_DIR", f"{texts[0]}_SOURCE_DIR")
            variables.update(dict.fromkeys(names, str(folder.path)), PROJECT_NAME=texts[0])
        elif name == "add_subdirectory":
            self._folder(plain(folder.path / texts[0]), folder, frame.depth + 1)
        elif name == "include":
            self._include(texts[0], frame)
        elif name in knowledge()["cmake_setting"]:
            for each in filter(_NAME.fullmatch, texts):
                variables[each] = f"${{{each}}}"
        else:
            self._see(name, texts, command, frame)

    def _string(self, texts: list[str], frame: Frame) -> None:
        if texts[0] != "APPEND":
            value = texts[1].upper() if texts[0] == "TOUPPER" else texts[1].lower()
            self._assign(texts[2], f"${{{texts[2]}}}" if is_unknown(value) else value, frame)
        elif frame.is_sure:
            old = frame.folder.variables.get(texts[1], "")
            self._assign(texts[1], old + "".join(texts[2:]), frame)

    def _set(self, name: str, values: list[str], frame: Frame) -> None:
        if "CACHE" in values:
            if name in frame.folder.variables and "FORCE" not in values:
                return
            values = values[: values.index("CACHE")]
        if values[-1:] == ["PARENT_SCOPE"]:
            values = values[:-1]
            if self._raised:
                self._raised[-1].add(name)
            elif frame.folder.above:
                frame = frame._replace(folder=frame.folder.above)
        self._assign(name, ";".join(values), frame)

    def _assign(self, name: str, value: str, frame: Frame) -> None:
        """A value that may not be set is unknown."""
        is_known = frame.is_sure and len(value) < _LONGEST
        frame.folder.variables[name] = value if is_known else f"${{{name}}}"

    def _list(self, action: str, name: str, values: list[str], frame: Frame) -> None:
        """An element that may be added to a list does not make the rest of it unknown."""
        variables = frame.folder.variables
        old = [each for each in variables.get(name, "").split(";") if each]
        self._budget -= len(old) // _SHARE
        if action in ("APPEND", "PREPEND"):
            old = old + values if action == "APPEND" else values + old
        elif action == "REMOVE_ITEM":
            old = [each for each in old if each not in values]
        elif action not in ("REMOVE_DUPLICATES", "SORT", "REVERSE"):
            for each in filter(_NAME.fullmatch, (name, *values)):
                variables[each] = f"${{{each}}}"
            return
        if len(old) < _LONGEST:
            variables[name] = ";".join(old)

    def _found(self, patterns: Iterable[str], folder: Path, kind: str) -> list[str]:
        found: list[str] = []
        for pattern in patterns:
            if is_unknown(pattern):
                continue
            shape = plain(folder / pattern)
            self._budget -= len(self._sorted) // _SHARE
            for path in self._sorted:
                is_below = kind == "GLOB_RECURSE" and path.is_relative_to(shape.parent)
                is_there = is_below or fnmatchcase(str(path.parent), str(shape.parent))
                if is_there and fnmatchcase(path.name, shape.name):
                    found.append(str(path))
        return found

    def _include(self, name: str, frame: Frame) -> None:
        modules = frame.folder.variables.get("CMAKE_MODULE_PATH", "").split(";")
        here = frame.folder.path
        places = [here / name, *(here / each / f"{name}.cmake" for each in modules if each)]
        found = next((each for each in map(plain, places) if each in self.files), None)
        # A file that includes itself twice would be read as often as two to the power of the depth.
        if found and found not in self._open and frame.depth < _DEEPEST:
            self._file(found, frame.folder, frame.is_sure, frame.depth + 1)


def _is_project(path: Path) -> bool:
    try:
        return any(each.name == "project" for each in commands(read(path, LARGEST)))
    except HipportError:
        return False


def _end(listed: Sequence[Command], at: int) -> int:
    """The end of the block that begins here: the last command if nothing ends it."""
    depth = 0
    for index in range(at, len(listed)):
        depth += listed[index].name in _BLOCKS
        depth -= listed[index].name.removeprefix("end") in _BLOCKS and (
            listed[index].name.startswith("end")
        )
        if depth == 0:
            return index
    return len(listed) - 1


def _dividing(block: Sequence[Command]) -> list[int]:
    """Where a block's else and elseif are, without those of blocks inside it."""
    depth, found = 0, []
    for index, command in enumerate(block):
        depth += command.name in _BLOCKS
        depth -= command.name.startswith("end")
        if depth == 1 and command.name in ("else", "elseif"):
            found.append(index)
    return found


def _parentheses(between: str) -> list[Token]:
    text = re.sub(r"#[^\n]*", "", between)
    return [Token(each, False) for each in text if each in "()"]
