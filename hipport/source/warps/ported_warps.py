"""What a tree has for warps on AMD already: constants, macros and functions of those who ported it.

Code that uses them counts on the wavefront, so that conversion leaves its warps alone.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.names.hip_branches import stands_in_port
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.include_directives import include_guard, includes
from hipport.source.text.source_text import Code
from hipport.source.tree_warps import TreeWarps

_LARGEST = 4 << 20
_STEM = 8
_HIP = b"hip/"
_MARKS = (b"HIP", _HIP, b"ROCM", b"AMD")
_QUOTED = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]([\w+./-]+)[>\"]", re.MULTILINE)
_CLASS = re.compile(r"\b(?:struct|class|union)\b[^;{}()]*\{")
_DEFINED = re.compile(
    r"#[ \t]*define[ \t]+(?P<macro>\w+)"
    r"|\b(?:constexpr|const|enum|static)\b[^;(){}=\n]*?\b(?P<constant>\w+)\s*[={]"
    r"|\b(?P<function>\w+)\s*\([^;{}()]*\)\s*(?:const\s*|noexcept\s*)*(?=\{)"
)


def tree_warps(
    files: Callable[[], Iterable[tuple[Path, Path]]], rules: RuleSet
) -> Callable[[Path, Path], TreeWarps]:
    """What a file's tree has for warps, given both.

    `files` gives the C and C++ sources, each after its tree; more than once, so that what is
    remembered does not grow with their number.
    """
    words = re.compile(rules.warps.words.encode())
    ported = re.compile(rules.device_code.ported_macros.encode())
    theirs = frozenset(rules.warps.native)
    stems = {name[:_STEM].encode() for name in theirs}
    native: dict[Path, dict[Path, frozenset[str]]] = {}
    own: dict[Path, frozenset[str]] = {}
    for root, path in files():
        data = _read(path)
        is_marked = any(mark in data for mark in _MARKS)
        if is_marked and words.search(data) and (_HIP in data or ported.search(data)):
            names = names_in(Code(data), rules)
            if names:
                native.setdefault(root, {})[path] = names
        if any(stem in data for stem in stems):
            own[root] = own.get(root, frozenset()) | (defined_in(Code(data)) & theirs)
    reached: dict[Path, frozenset[str]] = {}
    for root, defined in native.items():
        reached |= _reached([path for tree, path in files() if tree == root], defined)
    return lambda root, path: TreeWarps(reached.get(path, frozenset()), own.get(root, frozenset()))


def _reached(paths: list[Path], defined: dict[Path, frozenset[str]]) -> dict[Path, frozenset[str]]:
    """File -> the names that it or a header that it includes, through others too, defines.

    A header is looked for beside the file that includes it, else anywhere in the tree by the end
    of its path: only the build knows in which folders.
    """
    by_name: dict[str, list[Path]] = {}
    for path in paths:
        by_name.setdefault(path.name, []).append(path)
    users: dict[Path, set[Path]] = {}
    for path in paths:
        for name in map(bytes.decode, _QUOTED.findall(_read(path))):
            beside = Path(os.path.normpath(path.parent / name))
            candidates = by_name.get(beside.name, ())
            found = [each for each in candidates if each == beside]
            end = f"/{name.lstrip('./')}"
            for each in found or [each for each in candidates if str(each).endswith(end)]:
                users.setdefault(each, set()).add(path)
    reached = {path: set(names) for path, names in defined.items()}
    for header, names in defined.items():
        pending = [header]
        seen = {header}
        while pending:
            for user in users.get(pending.pop(), set()) - seen:
                seen.add(user)
                pending.append(user)
                reached.setdefault(user, set()).update(names)
    return {path: frozenset(names) for path, names in reached.items()}


def _read(path: Path) -> bytes:
    try:
        return read(path, _LARGEST)
    except HipportError:
        return b""  # Too large to be a header of such names, or the conversion reports it.


@lru_cache(maxsize=2)
def defined_in(code: Code) -> frozenset[str]:
    """The macros, constants and functions that a file defines."""
    found = _DEFINED.finditer(code.code)
    return frozenset(match["macro"] or match["constant"] or match["function"] for match in found)


@lru_cache(maxsize=2)
def names_in(code: Code, rules: RuleSet) -> frozenset[str]:
    """The names for warps that a file defines for AMD: under a test for it, with one inside, or in
    a file that is HIP's."""
    words = re.compile(rules.warps.words)
    if not code.matches(rules.device_code.ported_macros) and not is_hip(code, rules):
        return frozenset()
    return frozenset(name for name in _names(code, rules) if words.search(name))


def _names(code: Code, rules: RuleSet) -> Iterator[str]:
    whole = is_hip(code, rules)
    done = 0
    members = [
        Span(each.end(), closing_bracket(code.code, each.end() - 1) or each.end())
        for each in _CLASS.finditer(code.code)
    ]
    inside = [
        each.body.start
        for each in code.directives
        if stands_in_port(code, rules, each.body.start + 1)
    ]
    for match in _DEFINED.finditer(code.code):
        if match.start() < done and not match["macro"]:
            continue  # A variable of a function.
        if match["function"] and any(each.start <= match.start() < each.end for each in members):
            continue
        closed = closing_bracket(code.code, match.end()) if match["function"] else None
        first = bisect_right(inside, match.end())
        if (
            whole
            or stands_in_port(code, rules, match.start())
            or (first < len(inside) and inside[first] < (closed or 0))
        ):
            yield match["macro"] or match["constant"] or match["function"]
        done = max(done, closed or 0)


@lru_cache(maxsize=2)
def is_hip(code: Code, rules: RuleSet) -> bool:
    """Whether a file is written for HIP: it includes a header of HIP's, whatever the conditions.

    A file that includes the helpers was converted: its warps have 32 lanes.
    """
    folder = rules.runtime_header.header.partition("/")[0]
    if not code.mentions((f"{folder}/",)):
        return False
    guard = include_guard(code)
    named = list(includes(code))
    return not any(name.endswith(rules.warps.header) for name, _ in named) and any(
        name.startswith(f"{folder}/") and directive.branch in ((), guard)
        for name, directive in named
    )
