"""The functions of a tree's CMake files whose CUDA sources conversion has compiled as HIP.

What calls one in another file names sources that need nothing more there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hipport.graph import reached, turned
from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.buildfiles.build_kinds import is_build_file
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_KIND = "cmake"
_SOURCES = "target_sources"
_DEFINITION = regex(
    r"^[ \t]*(?:function|macro)\s*\(\s*(\w+)[^()]*\)(.*?)^[ \t]*end(?:function|macro)\b",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_COMMAND = regex(r"^[ \t]*(\w+)\s*\(\s*\S+([^()]*)\)", re.MULTILINE)
_COMMENT = regex(r"#[^\n]*")
_REFERENCE = regex(r"\$\{(\w+)\}")


def marking_functions(
    tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[str]]:
    """Tree -> the functions and macros, in lower case, that make targets of sources they get."""
    bodies: dict[str, list[tuple[str, str]]] = {}
    for task in tasks:
        if is_cmake(task):
            bodies.setdefault(task.root_path, []).extend(_definitions(task, texts, rules))
    return {root: _marking(each, rules) for root, each in bodies.items() if each}


def is_cmake(task: Task) -> bool:
    """Whether a task is about a CMake file; an audit has no kinds of build files."""
    return is_build_file(task.source_path.rpartition("/")[2], (_KIND,)) and not task.is_link


def _definitions(task: Task, texts: TreeTexts, rules: RuleSet) -> Iterator[tuple[str, str]]:
    """The name and the body of each function, in a file that conversion does not leave alone."""
    data = texts.read(task.source_path)
    found = _DEFINITION.findall(data.decode("latin-1"))
    if not found:
        return
    from hipport.rulebook.build_words import build_words
    from hipport.source.buildfiles.build_conversion import is_ported

    words = build_words(rules)
    if any(hint in data for hint in words.hints) and not is_ported(data, _KIND, words):
        yield from ((name.lower(), _COMMENT.sub("", body)) for name, body in found)


def _marking(definitions: list[tuple[str, str]], rules: RuleSet) -> frozenset[str]:
    words = rules.build_files.cmake
    variable = re.compile(words.source_variable)
    # What each function calls with what may hold sources.
    calls = {
        name: {
            command.lower()
            for command, arguments in _COMMAND.findall(body)
            if any(map(variable.fullmatch, _REFERENCE.findall(arguments)))
        }
        for name, body in definitions
    }
    making = reached(turned(calls), (*words.target_commands, _SOURCES))
    return frozenset(name for name, called in calls.items() if not making.isdisjoint(called))
