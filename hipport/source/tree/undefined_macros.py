"""Finds macros for AMD that a tree's sources test but none of its build files defines.

The code behind such a macro was ported, but no build includes it until something defines the macro.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
from hipport.source.buildfiles.build_kinds import SETUP, is_build_file
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_FINDING = "HP-BUILD-005"
_HINTS = (b"_ROCM", b"_HIP")
_DEFINES = ("define", "cmakedefine", "cmakedefine01")
_NAME = regex(r"\s*(\w+)")
_PASTED = regex(r"\b(?!defined\b)[A-Za-z_]\w*[ \t]*\([ \t]*\Z")
"""What comes before a name that a macro makes another one of: `PetscDefined(HAVE_HIP)`."""


def undefined_macros(
    trees: Mapping[str, list[str]],
    tasks: Iterable[Task],
    texts: TreeTexts,
    rules: RuleSet,
) -> dict[str, tuple[str, ...]]:
    """File -> the undefined macros that it is the first in its tree to test.

    `trees` has the C and C++ sources of each tree. The build of a tree without build files is
    taken to be elsewhere.
    """
    tested: dict[str, dict[str, str]] = {}
    defined: dict[str, set[str]] = {}
    for root, name in ((root, name) for root, sources in trees.items() for name in sources):
        if texts.answer(speaks_of_amd, name):
            code = texts.code(name)
            defined.setdefault(root, set()).update(_definitions(code))
            for macro, _ in _tests(code, rules):
                tested.setdefault(root, {}).setdefault(macro, name)
    if not tested:
        return {}
    kinds = tuple(dict.fromkeys(rules.file_kinds.other_files.values()))
    builds: dict[str, list[str]] = {}
    for task in tasks:
        last = task.source_path.rpartition("/")[2]
        if task.root_path in tested and (last == SETUP or is_build_file(last, kinds)):
            text = texts.read(task.source_path).decode("latin-1")
            builds.setdefault(task.root_path, []).append(text)
    missing: dict[str, set[str]] = {}
    for root, every in builds.items():
        text = "\n".join(every)
        for name in tested[root]:
            tool = rules.device_code.macros_of_tools.get(name)
            is_defined = name in defined[root] or re.search(rf"(?:\b|-D[ \t]*){name}\b", text)
            if not is_defined and not (tool and re.search(tool, text)):
                missing.setdefault(root, set()).add(name)
    for root, name in _defined_in_python(tasks, missing, texts, rules):
        missing[root].discard(name)
    found: dict[str, tuple[str, ...]] = {}
    for root, names in missing.items():
        for name in (each for each in tested[root] if each in names):
            first = tested[root][name]
            found[first] = (*found.get(first, ()), name)
    return found


def speaks_of_amd(data: bytes, _: RuleSet) -> bool:
    """Whether a file may have a macro for AMD: a question about each file of a tree."""
    return any(hint in data for hint in _HINTS)


def _defined_in_python(
    tasks: Iterable[Task], missing: dict[str, set[str]], texts: TreeTexts, rules: RuleSet
) -> Iterator[tuple[str, str]]:
    """The missing macros that Python, or a tool that it calls, defines for a compiler."""
    tools = {
        name: re.compile(tool.encode())
        for name, tool in rules.device_code.macros_of_tools.items()
        if any(name in names for names in missing.values())
    }
    for task in tasks if missing else ():
        if task.root_path in missing and task.source_path.endswith(".py"):
            data = texts.read(task.source_path)
            if b"-D" in data:
                for name in re.findall(r"-D[ ]*(\w+)", data.decode("latin-1")):
                    yield task.root_path, name
            yield from ((task.root_path, name) for name in tools if tools[name].search(data))


def undefined_findings(data: bytes, task: Task, rules: RuleSet) -> Iterator[Finding]:
    """One finding for each of a file's undefined macros, at its first test."""
    code = Code(data)
    rule = rules.findings[_FINDING]
    waiting = set(task.undefined)
    for name, offset in _tests(code, rules):
        if name in waiting:
            waiting.remove(name)
            start, end = code.position(offset), code.position(offset + len(name))
            yield rule.finding(task.name, name, start, end)


def _definitions(code: Code) -> Iterator[str]:
    """The macros that a file defines, in a branch of a conditional too."""
    for directive in code.directives:
        name = _NAME.match(code.code, *directive.body)
        if directive.keyword in _DEFINES and name:
            yield name[1]


def _tests(code: Code, rules: RuleSet) -> Iterator[tuple[str, int]]:
    """The project macros that conditions test, and their places."""
    for directive in code.directives:
        start, end = directive.body
        # With another macro beside it, the AMD code needs only one of both.
        if directive.is_condition and "||" not in code.code[start:end]:
            text = code.code[start:end]
            for match in re.finditer(rules.device_code.macros_of_projects, text):
                if not _PASTED.search(text, 0, match.start()):
                    yield match[0], start + match.start()
