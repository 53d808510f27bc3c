"""Converts one build file and reports the CUDA that is left in it: the only entry point."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from hipport.model import Edit, Finding, Span
from hipport.rulebook.build_words import BuildWords, build_words
from hipport.rulebook.cmake_rules import cmake_rules
from hipport.rulebook.nvcc_flags import Choices, flag_rules
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.toolkit_folders import root_variables
from hipport.source.buildfiles.build_file import BuildFile, findings_for
from hipport.source.buildfiles.build_kinds import CONVERTED
from hipport.source.buildfiles.read_back import errors_in
from hipport.source.convert.pipeline import Result
from hipport.source.layouts.usual_form import usual_form
from hipport.source.patterns.line_files import (
    RulesByHint,
    line_findings,
    rules_of_kind,
    without_comments,
)
from hipport.source.text.edits import apply
from hipport.source.text.long_lines import plain_ends
from hipport.source.text.place_set import PlaceSet
from hipport.source.text.sound_edits import UNREADABLE, sound

_PORTED = "HP-BUILD-004"


def convert_build(
    data: bytes,
    path: str,
    kind: str,
    rules: RuleSet,
    choices: Choices,
    endings: tuple[tuple[str, str], ...] = (),
    is_ported_above: bool = False,
    marking: frozenset[str] = frozenset(),
) -> Result:
    """Convert a build file of a kind that rules/file_kinds.toml lists under `other_files`.

    A file that supports AMD already, or is in a project that does, is left alone. `marking` are
    functions of the tree that have their sources compiled as HIP.
    """
    words = build_words(rules)
    if kind in CONVERTED and not any(hint in data for hint in words.hints):
        return Result(data)
    file = BuildFile(path, data, rules, choices, endings, marking)
    if kind == "python":
        return _convert_setup(file, words)
    if kind in CONVERTED and (is_ported(data, kind, words) or is_ported_above):
        _report_ported(file, kind, words)
        return Result(data, findings=file.findings)
    left = _left(data, path, kind, rules)
    if kind == "cmake" and path.endswith(".json"):
        from hipport.source.buildfiles.cmake.cmake_presets import convert_presets

        convert_presets(file)
    elif kind == "cmake":
        from hipport.source.buildfiles.cmake.cmake_conversion import convert_cmake

        convert_cmake(file)
    elif kind == "make":
        from hipport.source.buildfiles.makefile import convert_make

        convert_make(file)
    elif kind == "shell":
        from hipport.source.buildfiles.shell_script import convert_shell

        convert_shell(file)
    return _result(file, kind, left)


def read_tables(rules: RuleSet) -> None:
    """Read the tables for all kinds of build files, so that forked processes share them."""
    words = build_words(rules)
    for kind in words.table.findings:
        findings_for(rules, words.finding_folders(kind))
    findings_for(rules, ("build",))
    flag_rules(rules)
    cmake_rules(rules)
    root_variables(rules)


@cache
def _asking(rules: RuleSet, folders: tuple[str, ...], kind: str) -> RulesByHint:
    """The audit's findings in some folders of rules/checks, by what they look for in a kind."""
    return rules_of_kind(findings_for(rules, folders).values(), kind)


def _left(data: bytes, path: str, kind: str, rules: RuleSet) -> list[Finding]:
    """What the audit's findings about build files find, of which some may be left in it."""
    asking = _asking(rules, build_words(rules).finding_folders(kind), kind)
    if rules.is_audit:
        # An audit has just asked these rules, and all others.
        found = line_findings(data, path, kind, rules)
        return [each for each in found if each.code in asking.rules]
    return line_findings(data, path, kind, rules, asking)


def _convert_setup(file: BuildFile, words: BuildWords) -> Result:
    """Convert a setup.py; its Python code is checked as in any Python file."""
    from hipport.source.patterns.python_files import python_findings

    left = python_findings(file.data, file.path, file.rules)
    usual = usual_form(plain_ends(file.data), file.path, "python")
    is_left = is_ported(usual.data if usual else file.data, "python", words)
    if words.setup.search(file.text) and not is_left:
        from hipport.source.buildfiles.setup_py import convert_setup

        convert_setup(file)
        left += _left(file.data, file.path, "python", file.rules)
    return _result(file, "python", left)


def _result(file: BuildFile, kind: str, left: list[Finding]) -> Result:
    """The converted bytes, with the findings of the conversion and of the CUDA that is left."""
    edits = _outermost(file.edits)
    if edits:
        edits, withdrawn = sound(file.data, edits, errors_in(kind, file.path))
        for edit in withdrawn:
            file.report(UNREADABLE, edit.span)
    done = _seen_to(file, edits)
    findings = [*file.findings, *(each for each in left if not done.overlap(each))]
    findings.sort(key=lambda each: (each.start, each.code))
    new = apply(file.data, edits) if edits else file.data
    return Result(new, len(edits), findings, made=edits, answered=file.answered)


def is_ported(data: bytes, kind: str, words: BuildWords) -> bool:
    """Whether a build file supports AMD; comments do not count."""
    small = data.lower()
    if not any(hint in small for hint in words.ported_hints):
        return False
    text = without_comments(data.decode("latin-1"), kind)
    return words.ported.search(text) is not None


def _report_ported(file: BuildFile, kind: str, words: BuildWords) -> None:
    """Add one finding, at the first place that a conversion would have changed."""
    match = words.cuda.search(without_comments(file.text, kind))
    if match:
        file.report(_PORTED, Span(*match.span()))


def _outermost(edits: Iterable[Edit]) -> list[Edit]:
    """The edits without those inside a larger one: removed text needs no other change."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=_largest_first):
        if not kept or edit.span.start >= kept[-1].span.end:
            kept.append(edit)
    return kept


def _largest_first(edit: Edit) -> tuple[int, bool, int]:
    """The order of edits by place; an insertion comes before a replacement at the same place."""
    return edit.span.start, edit.span.end > edit.span.start, -edit.span.end


def _seen_to(file: BuildFile, edits: list[Edit]) -> PlaceSet:
    """Places that need no finding, as an edit or another finding covers them."""
    position = file.code.position
    spans = [*(edit.span for edit in edits), *file.handled, *file.answered]
    places = [(position(start), position(end)) for start, end in spans if end > start]
    return PlaceSet([*places, *((each.start, each.end) for each in file.findings)])
