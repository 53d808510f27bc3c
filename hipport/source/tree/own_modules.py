"""Drops findings about functions that a module of the tree itself has, called like CUDA's."""

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
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import Task

_LARGEST = 1 << 20
_OF_NVIDIA = regex(rb"^[ \t]*(?:from|import)[ \t]+cuda\b", re.MULTILINE)
"""A module that takes names from NVIDIA's package `cuda` may pass them on."""


def without_own_modules(
    found: list[Finding], data: bytes, task: Task, rules: RuleSet
) -> list[Finding]:
    """The findings except those about calls into modules that stand in the tree beside the file."""
    asking = {each.code for each in found if rules.finding(each.code).of_modules}
    if not asking:
        return found
    own = set(_own_calls(data, task))
    return [
        each
        for each in found
        if each.code not in asking or (each.start.line, each.symbol) not in own
    ]


def _own_calls(data: bytes, task: Task) -> Iterator[tuple[int, str]]:
    """The line and the name of each function that is called in a module of the tree."""
    # Loads the parser, which few trees need here.
    from hipport.source.languages.python_references import References

    position = Code.of_lines(data, "").position
    for each in References(data).calls():
        module, _, function = each.name.rpartition(".")
        if module.startswith(".") and _is_own(task.source.parent, module, task.root):
            yield position(each.span.end).line, function


@lru_cache(maxsize=1024)
def _is_own(folder: Path, module: str, root: Path) -> bool:
    """Whether a relative import in a folder leads to a file of the tree without NVIDIA's names."""
    name = module.lstrip(".")
    number = len(module) - len(name) - 1
    if number > len(folder.relative_to(root).parts):
        return False
    folder = (folder, *folder.parents)[number]
    path = folder.joinpath(*name.split(".")).with_suffix(".py")
    try:
        return not _OF_NVIDIA.search(read(path, _LARGEST))
    except HipportError:
        return False
