"""Rewrites #include lines, and adds the HIP runtime header where nvcc supplied CUDA's silently."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.code import Branch, Directive
from hipport.source.decide import Decisions
from hipport.source.rules import HeaderRule, parse_version
from hipport.source.unit import Unit

_INCLUDES = frozenset(("include", "include_next", "import"))
_NAME = re.compile(r'[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")')
_HAS_INCLUDE = re.compile(r'__has_include(?:_next)?\s*\(\s*[<"]([^>"\n]+)[>"]')
_MENTIONS = {
    "if": _HAS_INCLUDE,
    "elif": _HAS_INCLUDE,
    "define": re.compile(r'\A\s*\w+\s+[<"]([^>"\n]+)[>"]\s*\Z'),
}
_PREAMBLE = re.compile(r"(?:\xef\xbb\xbf)?\s*")
_FINDINGS = {
    "unsupported": "HP-INC-001",
    "manual": "HP-INC-002",
    "unknown": "HP-INC-003",
    "torch": "HP-API-009",
}


def rewrite_includes(unit: Unit, decisions: Decisions, *, needs_runtime: bool) -> None:
    """Map, merge and drop the includes of CUDA headers; add the runtime header if it is needed."""
    seen: set[tuple[str, Branch]] = set()
    for directive in unit.code.directives:
        if directive.keyword not in _INCLUDES:
            _rewrite_mentions(unit, decisions, directive)
            continue
        match = _NAME.match(unit.code.text, directive.body.start)
        if match is None:
            continue
        name = match[1] or match[2]
        rule = decisions.header(name)
        path = Span(match.start(match.lastindex or 0) - 1, match.end())
        if rule is None or (match[2] and (rule.action == "unknown" or unit.stands_beside(name))):
            seen.add((name, directive.branch))
            _follow_renaming(unit, name, path)
            continue
        new = _counterpart(unit, rule, path)
        if new is None:
            continue
        if not new or _repeats(new, directive.branch, seen):
            _remove_line(unit, directive, path.end)
        else:
            seen.add((new, directive.branch))
            unit.edit(path.start, path.end, f"<{new}>", f"header:{name}")
    runtime = unit.rules.vocabulary["runtime_header"]
    branches = [branch for name, branch in seen if name == runtime]
    if needs_runtime and not _covers_all(unit, branches):
        place = _first_place(unit)
        unit.edit(place, place, f"#include <{runtime}>{unit.newline}", "header:implicit")


def _rewrite_mentions(unit: Unit, decisions: Decisions, directive: Directive) -> None:
    """Map the header in `__has_include(<x>)` and in `#define HEADER <x>`."""
    shape = _MENTIONS.get(directive.keyword)
    body = unit.code.text[directive.body.start : directive.body.end]
    for match in shape.finditer(body) if shape else ():
        rule = decisions.header(match[1])
        if rule and rule.action == "unknown":
            continue
        start = directive.body.start
        path = Span(start + match.start(1) - 1, start + match.end(1) + 1)
        new = _counterpart(unit, rule, path) if rule else None
        if new:
            unit.edit(path.start, path.end, f"<{new}>", f"header:{match[1]}")


def _follow_renaming(unit: Unit, name: str, path: Span) -> None:
    """Correct the include of a file of the tree that gets another ending."""
    for old, new in unit.options.endings:
        if name.endswith(old) and unit.stands_beside(name):
            end = path.end - 1
            unit.edit(end - len(old), end, new, "rename")
            return


def _counterpart(unit: Unit, rule: HeaderRule, path: Span) -> str | None:
    """The HIP header; "" where none is needed; None where the line stays, which is reported."""
    if rule.action == "drop":
        return ""
    if rule.action == "keep":
        return None
    use_roc = unit.options.libs == "roc" and rule.library in unit.rules.libraries
    use_roc = use_roc and unit.rules.libraries[rule.library].roc
    hip = rule.roc if use_roc and rule.roc else rule.hip
    words = {"hip": hip, "rocm": ".".join(map(str, unit.options.rocm)), "library": rule.library}
    words["advice"] = (
        f"The nearest header is <{rule.hip}>. {rule.note}".strip() if rule.hip else rule.note
    )
    if rule.action != "map":
        code = unit.rules.header_finding(rule.cuda) or _FINDINGS[rule.action]
        unit.report(code, path, rule.cuda, words)
        return None
    if rule.hip_added and parse_version(rule.hip_added) > unit.options.rocm:
        words["reason"] = f"it came with {rule.hip_added}"
        unit.report("HP-API-006", path, rule.cuda, words)
        return None
    unit.counts[rule.library, True] += 1
    return hip


def _repeats(name: str, branch: Branch, seen: set[tuple[str, Branch]]) -> bool:
    """Whether the header was included before in a branch that is active whenever this one is."""
    return any((name, branch[:depth]) in seen for depth in range(len(branch) + 1))


def _covers_all(unit: Unit, branches: list[Branch]) -> bool:
    """Whether an include that stands in these branches is seen whatever the conditions are.

    Branches of one conditional are taken to cover it, and tests for a device compiler to hold.
    """
    guard = _guard(unit)
    numbers: dict[Branch, set[int]] = {}
    for branch in branches:
        outer = branch[len(guard) :] if branch[: len(guard)] == guard else branch
        if not outer:
            return True
        opened, number = outer[0]
        numbers.setdefault(((opened, 0),), set()).add(number)
        opening = unit.code.directive_at(opened)
        words = unit.rules.words("compiler_macros")
        if opening and any(word in unit.code.slice(opening.body) for word in words):
            return True
    return any(len(each) > 1 for each in numbers.values())


def _remove_line(unit: Unit, directive: Directive, end: int) -> None:
    """Take the whole line, unless a comment shares it: that stays."""
    text = unit.code.text
    if text[end : directive.span.end].strip():
        unit.edit(directive.span.start, end, "", "header:merged")
        return
    line = text.rfind("\n", 0, directive.span.start) + 1
    start = line if not text[line : directive.span.start].strip() else directive.span.start
    behind = directive.span.end
    if text.startswith("\r\n", behind):
        behind += 2
    elif text.startswith("\n", behind):
        behind += 1
    unit.edit(start, behind, "", "header:merged")


def _guard(unit: Unit) -> Branch:
    """The branch of the include guard that wraps the file; () if there is none."""
    lines = unit.code.directives
    if len(lines) < 3 or lines[1].keyword != "define" or lines[-1].keyword != "endif":
        return ()
    opening = unit.code.slice(lines[0].body)
    match = re.match(r"\s*(?:!\s*defined\s*\(?\s*)?(\w+)", opening)
    defined = re.match(r"\s*(\w+)", unit.code.slice(lines[1].body))
    if lines[0].keyword not in ("ifndef", "if") or not match or not defined:
        return ()
    if match[1] != defined[1] or len(lines[-1].branch) != 0:
        return ()
    return ((lines[0].span.start, 0),)


def _first_place(unit: Unit) -> int:
    """Before the first unconditional include; else behind comments, #pragma once and the guard."""
    code = unit.code
    guard = _guard(unit)
    for directive in code.directives:
        if directive.keyword in _INCLUDES and directive.branch in ((), guard):
            return code.code.rfind("\n", 0, directive.span.start) + 1 or _bom(code.text)
    place = _bom(code.text)
    heading = code.directives[:2] if guard else []
    heading += [each for each in code.directives[:3] if _is_pragma_once(unit, each)]
    for directive in heading:
        place = max(place, directive.span.end)
    if place == _bom(code.text):
        match = _PREAMBLE.match(code.code)
        first = match.end() if match else place
        # Only whole comment lines at the top are passed over.
        place = code.code.rfind("\n", 0, first) + 1 or place
        return place
    newline = code.text.find("\n", place)
    return newline + 1 if newline >= 0 else len(code.text)


def _bom(text: str) -> int:
    return 3 if text.startswith("\xef\xbb\xbf") else 0


def _is_pragma_once(unit: Unit, directive: Directive) -> bool:
    return directive.keyword == "pragma" and unit.code.slice(directive.body).strip() == "once"


def needs_runtime(unit: Unit, decisions: Decisions, *, has_launch: bool) -> bool:
    """Whether the file needs the runtime header that nvcc includes in every CUDA file by itself."""
    if unit.language == "c":
        return False
    is_cuda = unit.language == "cuda"
    if is_cuda and (has_launch or _uses_runtime(unit, decisions)):
        return True
    keywords = unit.rules.words("device_keywords")
    words = [word for word in decisions.device_words if word in unit.code.code]
    if not words:
        return False
    guard = _guard(unit)
    for match in re.finditer(rf"\b(?:{'|'.join(words)})\b", unit.code.code):
        if is_cuda or (match[0] in keywords and unit.code.branch_at(match.start()) in ((), guard)):
            return True
    return False


def _uses_runtime(unit: Unit, decisions: Decisions) -> bool:
    libraries = unit.rules.words("runtime_libraries")
    return any(
        decision.rule.library in libraries
        for name in unit.uses
        if (decision := decisions.of(name)) and unit.of([name])
    )
