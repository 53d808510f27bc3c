"""What a tree has for warps on AMD already: constants, macros and functions of those who ported it.

Code that uses them counts on the wavefront, so that conversion leaves its warps alone.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.convert.runtime_include import include_guard, includes
from hipport.source.flow.device_code import stands_in_port
from hipport.source.text.brackets import closing_bracket, opening_bracket, skip_back, word_before
from hipport.source.text.source_text import Code
from hipport.source.tree_warps import TreeWarps

_LARGEST = 4 << 20
_STEM = 8
_HIP = b"hip/"
_MARKS = (b"HIP", _HIP, b"ROCM", b"AMD")
_CONDITION = re.compile(rb"#[ \t]*(?:el)?if(?:[^\\\n]|\\.)*\n?", re.DOTALL)
_INCLUDED = re.compile(rb"#[ \t]*include[ \t]*[<\"]([\w+./-]+)[>\"]")
_CLASS = re.compile(r"\b(?:struct|class|union)\b[^;{}()]*\{")
_BODY = re.compile(r"\)\s*(?:const\s*|noexcept\s*)*\{")
_DEFINED = re.compile(
    r"#[ \t]*define[ \t]+(?P<macro>\w+)"
    r"|\b(?:constexpr|const|enum|static)\b[^;(){}=\n]*?\b(?P<constant>\w+)\s*[={]"
)


def tree_warps(
    files: Iterable[tuple[Path, Path]], rules: RuleSet
) -> Callable[[Path, Path], TreeWarps]:
    """What a file's tree has for warps, given both.

    `files` are the C and C++ sources, each after its tree.
    """
    words = re.compile(rules.warps["words"].encode())
    ported = re.compile(rules.vocabulary["ported_macros"].encode())
    theirs = frozenset(rules.warps["native"])
    stems = {name[:_STEM].encode() for name in theirs}
    # Texts, as there may be very many: a path takes ten times the memory.
    sources: dict[Path, list[str]] = {}
    native: dict[Path, dict[str, frozenset[str]]] = {}
    own: dict[Path, frozenset[str]] = {}
    for root, path in files:
        sources.setdefault(root, []).append(path.as_posix())
        data = _read(path)
        if any(mark in data for mark in _MARKS) and (
            (_HIP in data or ported.search(b"".join(_CONDITION.findall(data))))
            and words.search(data)
        ):
            names = names_in(Code(data), rules)
            if names:
                native.setdefault(root, {})[path.as_posix()] = names
        if any(stem in data for stem in stems):
            own[root] = own.get(root, frozenset()) | (defined_in(Code(data)) & theirs)
    reached: dict[str, frozenset[str]] = {}
    for root, defined in native.items():
        reached |= _reached(sources[root], defined)
    return lambda root, path: TreeWarps(
        reached.get(path.as_posix(), frozenset()), own.get(root, frozenset())
    )


def _reached(paths: list[str], defined: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """File -> the names that it or a header that it includes, through others too, defines.

    A header is looked for beside the file that includes it, else anywhere in the tree by the end
    of its path: only the build knows in which folders.
    """
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    users: dict[str, set[str]] = {}
    for path in paths:
        for name in map(bytes.decode, _INCLUDED.findall(_read(Path(path)))):
            candidates = by_name.get(name.rpartition("/")[2], ())
            beside = posixpath.normpath(f"{path.rpartition('/')[0]}/{name}") if candidates else ""
            end = f"/{name.lstrip('./')}"
            found = [beside] if beside in candidates else candidates
            for each in found:
                if each == beside or each.endswith(end):
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
    variables = {each[1] or each[2] for each in _DEFINED.finditer(code.code)}
    return frozenset(variables).union(name for name, _, _ in _functions(code))


@lru_cache(maxsize=2)
def names_in(code: Code, rules: RuleSet) -> frozenset[str]:
    """The names for warps that a file defines for AMD: under a test for it, with one inside, or in
    a file that is HIP's."""
    if not code.matches(rules.vocabulary["ported_macros"]) and not is_hip(code, rules):
        return frozenset()
    return frozenset((*_variables_for_amd(code, rules), *_functions_for_amd(code, rules)))


def _variables_for_amd(code: Code, rules: RuleSet) -> Iterator[str]:
    functions = _functions(code)
    starts = [body.start for _, _, body in functions]
    for match in _DEFINED.finditer(code.code):
        name = match["macro"] or match["constant"]
        if not re.search(rules.warps["words"], name):
            continue
        index = bisect_right(starts, match.start()) - 1
        if match["constant"] and index >= 0 and match.start() < functions[index][2].end:
            continue  # A variable of a function.
        if is_hip(code, rules) or stands_in_port(code, rules, match.start()):
            yield name


def _functions_for_amd(code: Code, rules: RuleSet) -> Iterator[str]:
    found = [each for each in _functions(code) if re.search(rules.warps["words"], each[0])]
    if not found:
        return
    members = [
        Span(each.end(), closing_bracket(code.code, each.end() - 1) or each.end())
        for each in _CLASS.finditer(code.code)
    ]
    inside = [
        each.body.start
        for each in code.directives
        if stands_in_port(code, rules, each.body.start + 1)
    ]
    for name, start, body in found:
        if any(each.start <= start < each.end for each in members):
            continue
        first = bisect_right(inside, body.start)
        if (
            is_hip(code, rules)
            or stands_in_port(code, rules, start)
            or (first < len(inside) and inside[first] < body.end)
        ):
            yield name


@lru_cache(maxsize=2)
def _functions(code: Code) -> list[tuple[str, int, Span]]:
    """The name, its offset and the body of each function."""
    text = code.code
    found = []
    body = _BODY.search(text)
    while body:
        opened = opening_bracket(text, body.start())
        end = closing_bracket(text, body.end() - 1) or body.end()
        if opened is not None:
            name = word_before(text, skip_back(text, opened))
            found.append((text[name.start : name.end], name.start, Span(body.end(), end)))
        body = _BODY.search(text, end)
    return found


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
