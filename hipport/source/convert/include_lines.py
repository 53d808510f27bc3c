"""Rewrites #include lines, and adds the HIP runtime header where nvcc supplied CUDA's silently."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.model import HeaderRule, is_release_in, parse_version
from hipport.rulebook.words import HostHeader
from hipport.source.convert.runtime_include import (
    before_macros,
    covers_all,
    is_for_device_compiler_alone,
    left_out_by,
)
from hipport.source.flow.device_code import in_device_code
from hipport.source.names.counterparts import Decisions, header_of_copy
from hipport.source.names.library_shapes import header_finding
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip, word_before
from hipport.source.text.c_linkage import cpp_linkage
from hipport.source.text.directives import Branch, Directive
from hipport.source.text.include_directives import (
    INCLUDES,
    before_includes,
    bom_length,
    first_place,
)

_NAME = regex(r'[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")')
_HAS_INCLUDE = regex(r'__has_include(?:_next)?\s*\(\s*[<"]([^>"\n]+)[>"]')
_MENTIONS = {
    "if": _HAS_INCLUDE,
    "elif": _HAS_INCLUDE,
    "define": regex(r'\A\s*\w+\s+[<"]([^>"\n]+)[>"]\s*\Z'),
}
_MEMBERS = frozenset((".", ":", ">", "~"))
_LINKAGE = "header:implicit"
_TESTS = frozenset(("if", "ifdef", "elif"))
_MACRO = regex(r"\s*(\w+)")
_BEFORE_CALLS = frozenset(("return", "and", "or", "not", "case", "else"))
_FINDINGS = {
    "unsupported": "HP-INC-001",
    "manual": "HP-INC-002",
    "unknown": "HP-INC-003",
    "torch": "HP-API-009",
}
_OWN_IN_TREE = frozenset(("unsupported", "manual", "unknown"))


class _Include(NamedTuple):
    """An #include line: the header it will name, "" where it goes; `path` includes delimiters.

    One that is `unneeded` here is included where ROCm has it.
    """

    directive: Directive
    path: Span
    header: str
    is_mapped: bool
    is_unneeded: bool = False


def rewrite_includes(unit: Unit, decisions: Decisions, *, needs_runtime: bool) -> None:
    """Map, merge and drop the includes of CUDA headers; add the runtime header if it is needed."""
    words = unit.rules.runtime_header
    runtime = words.of(unit.language)
    includes = list(_includes(unit, decisions))
    seen: set[tuple[str, Branch]] = set()
    is_added = _add_runtime(unit, includes, decisions, needs_it=needs_runtime)
    if unit.runtime_first or (is_added and before_macros(unit) is not None):
        seen.add((runtime, ()))
    brings_it = {runtime, *words.first}
    has_runtime = is_added or any(each.header in brings_it for each in includes)
    if unit.language != "c":
        is_compiled = has_runtime or unit.language == "cuda"
        for header, host in words.host_headers.items():
            if (is_compiled or host.on_devices) and _is_wanted(unit, includes, header, host):
                _add_line(unit, first_place(unit.code), header, host.condition)
    _add_brought(unit, decisions, includes)
    for directive, path, header, is_mapped, is_unneeded in includes:
        branch = directive.branch
        lacks_runtime = not is_added and not _repeats(runtime, branch, seen)
        rule = None if is_mapped or not has_runtime else decisions.header(header)
        needs_it = is_mapped and header in words.first
        if rule and rule.action == "keep":
            needs_it = rule.library in words.first_libraries
        if needs_it and lacks_runtime:
            _add_line(unit, _line_start(unit, directive), runtime)
            seen.add((runtime, branch))
        if is_mapped and (not header or _repeats(header, branch, seen)):
            _remove_line(unit, directive, path.end)
            continue
        if is_mapped:
            _add_lines_before(unit, directive, header)
            before, behind = _linkage(unit, directive.span.start)
            if is_unneeded:
                before += f"#if __has_include(<{header}>){unit.newline}"
                behind = f"#endif{unit.newline}{behind}"
            place = _line_start(unit, directive)
            if before:
                unit.edit(place, place, before, _LINKAGE)
            unit.edit(path.start, path.end, f"<{header}>", f"header:{unit.code.slice(path)}")
            if behind:
                end = unit.code.text.find("\n", path.end) + 1 or len(unit.code.text)
                unit.edit(end, end, behind, _LINKAGE)
        seen.add((header, branch))


def _linkage(unit: Unit, offset: int) -> tuple[str, str]:
    """What is written before and behind a header at an offset, for the linkage that it needs."""
    if unit.language == "c":
        return "", ""
    before, behind = cpp_linkage(unit.code, offset)
    return unit.newline.join((*before, "")), unit.newline.join((*behind, ""))


def _line_start(unit: Unit, directive: Directive) -> int:
    start = unit.code.code.rfind("\n", 0, directive.span.start) + 1
    return start or bom_length(unit.code.text)


def _add_lines_before(unit: Unit, directive: Directive, header: str) -> None:
    """Write what a header needs before it, such as a macro."""
    wanted = unit.rules.runtime_header.lines_before.get(header)
    if not (wanted and is_release_in(unit.options.rocm, wanted.rocm_from, wanted.rocm_before)):
        return
    if (wanted.always and unit.is_header) or unit.code.matches(wanted.names):
        place = _line_start(unit, directive)
        unit.edit(place, place, unit.newline.join((*wanted.lines, "")), f"header:{header}")


def _add_runtime(
    unit: Unit, includes: list[_Include], decisions: Decisions, *, needs_it: bool
) -> bool:
    """Add the runtime header before all includes, if none of them has it in time."""
    words = unit.rules.runtime_header
    runtime = words.of(unit.language)
    branches = [each.directive.branch for each in includes if each.header == runtime]
    is_there = covers_all(unit.code, unit.rules, branches)
    place = before_macros(unit) if needs_it or is_there else None
    if place is not None and not unit.runtime_first:
        condition = "" if is_there else left_out_by(unit, decisions)
        _add_line(unit, place, runtime, condition)
        return True
    if unit.runtime_first:
        _add_line(unit, before_includes(unit.code), runtime)
    elif not is_there and (needs_it or _asks_for_runtime(unit)):
        is_conditional = not needs_it or is_for_device_compiler_alone(unit, decisions)
        condition = words.implicit.condition if is_conditional else left_out_by(unit, decisions)
        _add_line(unit, first_place(unit.code), runtime, condition)
    return unit.runtime_first or (needs_it and not is_there)


def _add_brought(unit: Unit, decisions: Decisions, includes: list[_Include]) -> None:
    """Include what the CUDA header includes and its counterpart does not, if it is used."""
    named = [(each, unit.code.slice(each.path)[1:-1]) for each in includes]
    known = {name for _, name in named}
    for header, wanted in unit.rules.runtime_header.brought_headers.items():
        rule = decisions.header(header)
        bringing = [each for each, name in named if each.is_mapped and name in wanted.by]
        is_brought = bool(bringing) or not wanted.by or header in unit.brought
        if rule is None or not is_brought or not known.isdisjoint(wanted.instead):
            continue
        is_there = not rule.hip_added or parse_version(rule.hip_added) <= unit.options.rocm
        if is_there and unit.code.matches(wanted.names):
            place = first_place(unit.code)
            if bringing:
                place = _line_start(unit, bringing[0].directive)
            _add_line(unit, place, decisions.counterpart(rule))


def _is_wanted(unit: Unit, includes: list[_Include], header: str, rule: HostHeader) -> bool:
    """Whether a function calls what only this header of the host's declares."""
    if any(each.header in (header, *rule.instead) for each in includes):
        return False
    names = unit.code.words.intersection(rule.functions)
    names -= _own_macros(unit) if names else names
    text = unit.code.code
    return any(
        text[at - 1 : at] not in _MEMBERS
        and text.startswith("(", skip(text, at + len(name)))
        and _is_called_there(unit, at, rule)
        and _is_expression(text, at)
        for name in names
        for at in occurrences(text, name)
    )


def _asks_for_runtime(unit: Unit) -> bool:
    """Whether a header tests for the runtime's include guard, which nvcc has always defined."""
    if unit.rules.is_audit or unit.language == "c" or unit.path.endswith((".cu", ".c")):
        return False
    return any(
        (directive := unit.code.directive_at(use.span.start)) and directive.keyword in _TESTS
        for use in unit.of(unit.rules.runtime_header.implicit.guards)
    )


def _own_macros(unit: Unit) -> set[str]:
    return {
        match[1]
        for each in unit.code.directives
        if each.keyword == "define" and (match := _MACRO.match(unit.code.slice(each.body)))
    }


def _is_called_there(unit: Unit, offset: int, rule: HostHeader) -> bool:
    """Whether the function there is one whose call needs the header."""
    if rule.on_devices:
        return unit.language == "cuda" or in_device_code(unit, offset)
    return not in_device_code(unit, offset)


def _is_expression(text: str, offset: int) -> bool:
    """Whether a name is used, not declared: no type comes before it."""
    word = text[slice(*word_before(text, offset))]
    return not word or word in _BEFORE_CALLS


def _add_line(unit: Unit, place: int, header: str, condition: str = "") -> None:
    """Include a header on a new line, under a condition if there is one."""
    line = f"#include <{header}>{unit.newline}"
    if condition:
        line = f"{condition}{unit.newline}{line}#endif{unit.newline}"
    line = line.join(_linkage(unit, place))
    unit.edit(place, place, line, "header:implicit")


def _includes(unit: Unit, decisions: Decisions) -> Iterator[_Include]:
    """Every include of a literal name; other mentions of headers are rewritten on the way."""
    for directive in unit.code.directives:
        if directive.keyword not in INCLUDES:
            _rewrite_mentions(unit, decisions, directive)
            continue
        match = _NAME.match(unit.code.text, directive.body.start)
        if match is None:
            continue
        name = match[1] or match[2]
        rule = decisions.header(name)
        path = Span(match.start(match.lastindex or 0) - 1, match.end())
        is_own = match[2] and rule and (rule.action == "unknown" or unit.is_beside(name))
        if rule is None and match[2]:
            rule = header_of_copy(decisions.rules.headers, name)
        if rule is None or is_own:
            _follow_renaming(unit, name, path)
            yield _Include(directive, path, name, False)
            continue
        is_unneeded = _is_unneeded(unit, rule)
        if is_unneeded and _is_last_of_source(unit, directive):
            yield _Include(directive, path, "", True)
            continue
        new = _counterpart(unit, decisions, rule, path, is_unneeded=is_unneeded)
        header = name if new is None else new
        yield _Include(directive, path, header, new is not None, is_unneeded and bool(new))


def _is_unneeded(unit: Unit, rule: HeaderRule) -> bool:
    """Whether a file uses nothing of a header that only the newest releases of ROCm have."""
    names = unit.rules.runtime_header.newest.get(rule.cuda, "")
    return bool(names) and not unit.is_embedded and not unit.code.matches(names)


def _is_last_of_source(unit: Unit, directive: Directive) -> bool:
    """Whether no header of the tree's that could use what another declares is included after it."""
    start = directive.span.end
    return not unit.is_header and not any(
        each.span.start > start
        and (
            (match := _NAME.match(unit.code.text, each.body.start)) is None
            or match[2]
            or match[1] in unit.in_tree
        )
        for each in unit.code.directives
        if each.keyword in INCLUDES
    )


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
        new = _counterpart(unit, decisions, rule, path) if rule else None
        if new:
            unit.edit(path.start, path.end, f"<{new}>", f"header:{match[1]}")


def _follow_renaming(unit: Unit, name: str, path: Span) -> None:
    """Correct the include of a file of the tree that gets another ending."""
    for old, new in unit.options.endings:
        if name.endswith(old) and unit.is_beside(name):
            end = path.end - 1
            unit.edit(end - len(old), end, new, "rename")
            return


def _counterpart(
    unit: Unit, decisions: Decisions, rule: HeaderRule, path: Span, *, is_unneeded: bool = False
) -> str | None:
    """The HIP header; "" where none is needed; None where the line stays, which is reported."""
    if rule.action == "drop":
        return ""
    library = unit.rules.libraries.get(rule.library)
    if rule.action == "keep":
        if library and library.kept:
            unit.report(library.kept, path, rule.cuda)
        return None
    hip = decisions.counterpart(rule)
    words = {"hip": hip, "rocm": ".".join(map(str, unit.options.rocm)), "library": rule.library}
    words["advice"] = (
        f"The nearest header is <{rule.hip}>. {rule.note}".strip() if rule.hip else rule.note
    )
    told = library.told if library and decisions.only_told(library) else ""
    action = "manual" if told or rule.library in unit.withheld else rule.action
    if action != "map":
        code = told or header_finding(unit.rules, rule.cuda)
        # The build finds the tree's own in a folder that only it knows.
        if code or not (rule.action in _OWN_IN_TREE and rule.cuda in unit.in_tree):
            unit.report(code or _FINDINGS[action], path, rule.cuda, words)
        return None
    if rule.hip_added and parse_version(rule.hip_added) > unit.options.rocm:
        if rule.cuda in unit.rules.runtime_header.written_out:
            return ""
        if not is_unneeded:
            words["reason"] = f"it came with {rule.hip_added}"
            unit.report("HP-API-006", path, rule.cuda, words)
            return None
    unit.counts[rule.library, True] += 1
    return hip


def _repeats(name: str, branch: Branch, seen: set[tuple[str, Branch]]) -> bool:
    """Whether the header was included before in a branch that is active whenever this one is."""
    return any((name, branch[:depth]) in seen for depth in range(len(branch) + 1))


def _remove_line(unit: Unit, directive: Directive, end: int) -> None:
    """Remove the whole line; a comment on it stays."""
    text, span = unit.code.text, directive.span
    line = text.rfind("\n", 0, span.start) + 1
    if text[end : span.end].strip() or text[line : span.start].strip():
        unit.edit(span.start, end, "", "header:merged")
        return
    behind = span.end
    if text.startswith("\r\n", behind):
        behind += 2
    elif text.startswith("\n", behind):
        behind += 1
    unit.edit(line, behind, "", "header:merged")
