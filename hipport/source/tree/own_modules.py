"""Drops findings about functions that the tree itself has, called like CUDA's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
from hipport.source.text.brackets import occurrences
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import Task

_LARGEST = 1 << 20
_ASSIGNED = regex(r"[ \t]*((?:\w+[ ]*,[ ]*)*\w+)[ ]*=(?!=)")
_COMPARISON = r"(?:(?<![<>=-])[<>](?![<>])=?|[=!]=|\b(?:not[ ]+)?in\b)"
_COMPARED = regex(rf"(?:\[\d\]|\.\w+)?[ ]*{_COMPARISON}")
_DEFINITION = regex(rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)
_OF_CLASS = ("self", "cls")
_OF_NVIDIA = regex(rb"^[ \t]*(?:from|import)[ \t]+cuda\b", re.MULTILINE)
"""What takes names from NVIDIA's package `cuda`."""


def without_own_modules(
    found: list[Finding], data: bytes, task: Task, rules: RuleSet
) -> list[Finding]:
    """The findings except those about calls of functions that the tree itself has.

    Nor those about calls into modules that a package for ROCm has under the same names.
    """
    asking = {each.code for each in found if rules.finding(each.code).of_modules}
    if not asking:
        return found
    own = set(_own_calls(data, task))
    staying = {code: _staying_calls(data, rules.finding(code).staying) for code in asking}
    return [
        each
        for each in found
        if each.code not in asking
        or _called(each.start.line, each.symbol) not in own | staying[each.code]
    ]


def _called(line: int, name: str) -> tuple[int, str]:
    """A function that is called in a line, without what says that it is a module's own."""
    return line, name.rpartition(".")[2].lstrip("_")


def _staying_calls(data: bytes, shape: str) -> set[tuple[int, str]]:
    """The line and the name of each function that is called in a module whose full name matches."""
    if not shape:
        return set()
    from hipport.source.languages.python_references import References

    code = Code.of_lines(data, "")
    parted = ((each, *each.name.rpartition(".")) for each in References(data).calls())
    return {
        _called(code.position(each.span.end).line, function)
        for each, module, _, function in parted
        if re.fullmatch(shape, module)
    }


def _own_calls(data: bytes, task: Task) -> Iterator[tuple[int, str]]:
    """The line and the name of each function of the tree that is asked for something.

    What is compared with a number is decided where it is called, whoever has the function; a call
    for what it does is a place of its own, too.
    """
    # Loads the parser, which few trees need here.
    from hipport.source.languages.python_references import References

    code = Code.of_lines(data, "")
    file = References(data)
    decided = {each.name.partition("(")[0] for each in file.compared()}
    modules = {each.name.rpartition(".")[0] for each in file.module.imports} - {""}
    for each in file.calls():
        module, _, function = each.name.rpartition(".")
        before = code.text[code.text.rfind("\n", 0, each.span.start) + 1 : each.span.start]
        if each.name in decided or not (before.strip() or module.startswith(".")):
            continue
        if _is_compared(code.text, before, each.span.end):
            continue
        if module in _OF_CLASS:
            is_own = _defines(data, function) or any(
                _defines(_text_of(task.source.parent, name, task.root), function)
                for name in modules
            )
        elif module:
            is_own = _has(_text_of(task.source.parent, module, task.root), function)
        else:
            is_own = _defines(data, function)
        if is_own:
            yield _called(code.position(each.span.end).line, function)


def _is_compared(text: str, before: str, end: int) -> bool:
    """Whether a call's line, or what its value is called then, is compared with something."""
    line = text[end : text.find("\n", end)]
    if re.search(_COMPARISON, line):
        return True
    names = _ASSIGNED.match(before)
    return names is not None and any(
        _COMPARED.match(text, at + len(name))
        for name in re.findall(r"\w+", names[1])
        for at in occurrences(text, name)
    )


def _has(text: bytes, function: str) -> bool:
    """Whether a module of a text has a function of its own: one that takes names from NVIDIA's
    package may pass them on."""
    if not _OF_NVIDIA.search(text):
        return bool(text)
    own = rb"^" + re.escape(function.encode("utf-8")) + rb"[ \t]*=(?!=)"
    return _defines(text, function) or re.search(own, text, re.MULTILINE) is not None


def _defines(data: bytes, function: str) -> bool:
    return function.encode("utf-8") in _functions(data)


@lru_cache(maxsize=64)
def _functions(data: bytes) -> frozenset[bytes]:
    """The names of the functions that a text of Python defines."""
    return frozenset(_DEFINITION.findall(data))


@lru_cache(maxsize=1024)
def _text_of(folder: Path, module: str, root: Path) -> bytes:
    """The text of a module of the tree that a file in a folder imports; b"" if it is none."""
    name = module.lstrip(".")
    number = len(module) - len(name)
    above = [folder, *folder.parents][: len(folder.relative_to(root).parts) + 1]
    for each in above[number - 1 : number] if number else above:
        path = each.joinpath(*name.split("."))
        # A package that is imported from by dots alone has no file of its name.
        for source in (*((path.with_suffix(".py"),) if name else ()), path / "__init__.py"):
            try:
                return read(source, _LARGEST)
            except HipportError:
                continue
    return b""
