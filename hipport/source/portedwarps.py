"""What a tree has for warps on AMD already: constants, macros and functions of those who ported it.

Code that uses them counts on the wavefront, so that conversion leaves its warps alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import Span
from hipport.source.code import Code
from hipport.source.device_code import stands_in_port
from hipport.source.rules import RuleSet
from hipport.source.runtime_include import include_guard, includes
from hipport.source.tokens import closing_bracket

if TYPE_CHECKING:
    from hipport.source.project import Task

_LARGEST = 4 << 20
_MARKS = (b"HIP", b"hip/", b"ROCM", b"AMD")
_CLASS = re.compile(r"\b(?:struct|class|union)\b[^;{}()]*\{")
_DEFINED = re.compile(
    r"#[ \t]*define[ \t]+(?P<macro>\w+)"
    r"|\b(?:constexpr|const|enum|static)\b[^;(){}=\n]*?\b(?P<constant>\w+)\s*[={]"
    r"|\b(?P<function>\w+)\s*\([^;{}()]*\)\s*(?:const\s*|noexcept\s*)*(?=\{)"
)


def ported_names(tasks: Iterable[Task], rules: RuleSet) -> dict[str, frozenset[str]]:
    """Tree -> the names for warps that it defines for AMD."""
    words = re.compile(rules.warps["words"].encode())
    found: dict[str, set[str]] = {}
    for task in tasks:
        if task.language not in ("cuda", "cpp", "c") or task.is_link or task.is_build_file:
            continue
        try:
            data = read(task.source, _LARGEST)
        except HipportError:
            continue  # Too large to be a header of such names, or the conversion reports it.
        if any(mark in data for mark in _MARKS) and words.search(data):
            found.setdefault(str(task.root), set()).update(names_in(Code(data), rules))
    return {root: frozenset(names) for root, names in found.items()}


@lru_cache(maxsize=2)
def names_in(code: Code, rules: RuleSet) -> frozenset[str]:
    """The names for warps that a file defines for AMD: under a test for it, with one inside, or in
    a file that is HIP's."""
    words = re.compile(rules.warps["words"])
    if not code.matches(rules.vocabulary["ported_macros"]) and not is_hip(code, rules):
        return frozenset()
    return frozenset(name for name in _names(code, rules) if words.search(name))


def _names(code: Code, rules: RuleSet) -> Iterator[str]:
    whole = is_hip(code, rules)
    done = 0
    members = [
        Span(each.end(), closing_bracket(code.code, each.end() - 1) or each.end())
        for each in _CLASS.finditer(code.code)
    ]
    for match in _DEFINED.finditer(code.code):
        if match.start() < done and not match["macro"]:
            continue  # A variable of a function.
        if match["function"] and any(each.start <= match.start() < each.end for each in members):
            continue
        closed = closing_bracket(code.code, match.end()) if match["function"] else None
        if (
            whole
            or stands_in_port(code, rules, match.start())
            or any(
                match.end() < each.body.start < (closed or 0)
                and stands_in_port(code, rules, each.body.start + 1)
                for each in code.directives
            )
        ):
            yield match["macro"] or match["constant"] or match["function"]
        done = max(done, closed or 0)


@lru_cache(maxsize=2)
def is_hip(code: Code, rules: RuleSet) -> bool:
    """Whether a file is written for HIP: it includes a header of HIP's, whatever the conditions.

    A file that includes the helpers was converted: its warps have 32 lanes.
    """
    folder = rules.vocabulary["runtime_header"].partition("/")[0]
    if not code.mentions((f"{folder}/",)):
        return False
    guard = include_guard(code)
    named = list(includes(code))
    return not any(name.endswith(rules.warps["header"]) for name, _ in named) and any(
        name.startswith(f"{folder}/") and directive.branch in ((), guard)
        for name, directive in named
    )
