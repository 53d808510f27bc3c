"""Whether a file needs HIP's runtime header, and where the include goes.

nvcc includes cuda_runtime.h in every CUDA file by itself; HIP's compilers include nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.source.names.counterparts import Decisions
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip
from hipport.source.text.source_text import Branch, Code, Directive

INCLUDES = frozenset(("include", "include_next", "import"))
_INCLUDED = re.compile(r'[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")')


def covers_all(unit: Unit, branches: list[Branch]) -> bool:
    """Whether an include that stands in these branches is seen whatever the conditions are.

    Branches of one conditional are taken to cover it, and tests for a device compiler to hold.
    """
    guard = include_guard(unit.code)
    numbers: dict[Branch, set[int]] = {}
    for branch in branches:
        outer = branch[len(guard) :] if branch[: len(guard)] == guard else branch
        if not outer:
            return True
        opened, number = outer[0]
        numbers.setdefault(((opened, 0),), set()).add(number)
        opening = unit.code.directive_at(opened)
        words = unit.rules.device_code.compiler_macros
        if opening and any(word in unit.code.slice(opening.body) for word in words):
            return True
    return any(len(each) > 1 for each in numbers.values())


def includes(code: Code) -> Iterator[tuple[str, Directive]]:
    """Every header that a text includes by a literal name, and where."""
    for directive in code.directives:
        match = _INCLUDED.match(code.text, directive.body.start)
        if directive.keyword in INCLUDES and match:
            yield match[1] or match[2], directive


def include_guard(code: Code) -> Branch:
    """The branch of the include guard that wraps the file; () if there is none."""
    lines = code.directives
    if len(lines) < 3 or lines[1].keyword != "define" or lines[-1].keyword != "endif":
        return ()
    opening = code.slice(lines[0].body)
    match = re.match(r"\s*(?:!\s*defined\s*\(?\s*)?(\w+)", opening)
    defined = re.match(r"\s*(\w+)", code.slice(lines[1].body))
    if lines[0].keyword not in ("ifndef", "if") or not match or not defined:
        return ()
    if match[1] != defined[1] or len(lines[-1].branch) != 0:
        return ()
    return ((lines[0].span.start, 0),)


def first_place(unit: Unit) -> int:
    """Before the first unconditional include; else behind comments, #pragma once and the guard."""
    code = unit.code
    guard = include_guard(unit.code)
    for directive in code.directives:
        if directive.keyword in INCLUDES and directive.branch in ((), guard):
            return code.code.rfind("\n", 0, directive.span.start) + 1 or bom_length(code.text)
    place = bom_length(code.text)
    heading = code.directives[:2] if guard else []
    heading += [
        each
        for each in code.directives[:3]
        if _is_pragma_once(unit, each) and each.branch in ((), guard)
    ]
    for directive in heading:
        place = max(place, directive.span.end)
    if place == bom_length(code.text):
        # Comments at the top are passed over line by line: they are blank in the code.
        first = skip(code.code, 0)
        return code.code.rfind("\n", 0, first) + 1 or place
    newline = code.text.find("\n", place)
    return newline + 1 if newline >= 0 else len(code.text)


def bom_length(text: str) -> int:
    return 3 if text.startswith("\xef\xbb\xbf") else 0


def _is_pragma_once(unit: Unit, directive: Directive) -> bool:
    return directive.keyword == "pragma" and unit.code.slice(directive.body).strip() == "once"


def needs_runtime(unit: Unit, decisions: Decisions, *, has_launch: bool) -> bool:
    """Whether the file needs the header: a CUDA file that uses anything of it, or a header of one.

    Clang defines `__device__` and its kin by itself. So another file needs the header only if it
    holds device code under no condition, uses more than the keywords, and has no HIP include.
    """
    if unit.language == "c":
        return False
    uses = has_launch or _uses_runtime(unit, decisions)
    words = unit.code.words & decisions.device_words
    if unit.language == "cuda":
        return uses or any(True for word in words for _ in occurrences(unit.code.code, word))
    if not words or _has_hip_include(unit):
        return False
    guard = include_guard(unit.code)
    keywords = unit.rules.device_code.keywords
    found = {
        word
        for word in words
        for at in occurrences(unit.code.code, word)
        if unit.code.directive_at(at) is None and unit.code.branch_at(at) in ((), guard)
    }
    return bool(found & keywords) and (uses or bool(found - unit.rules.device_code.clang_keywords))


def _has_hip_include(unit: Unit) -> bool:
    folder = unit.rules.runtime_header.header.partition("/")[0]
    return any(name.startswith(f"{folder}/") for name, _ in includes(unit.code))


def _uses_runtime(unit: Unit, decisions: Decisions) -> bool:
    libraries = unit.rules.runtime_header.libraries
    return any(
        decision.rule.library in libraries
        for name in unit.uses
        if (decision := decisions.of(name)) and unit.of([name])
    )
