"""Switches that only a test of CUDA's version sets, so that no build for AMD has them set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
from hipport.source.buildfiles.build_kinds import is_build_file
from hipport.source.names.hip_branches import false_branches
from hipport.source.text.branch_texts import other_does_the_same
from hipport.source.text.conditions import decided
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_TESTED = regex(rb"#[ \t]*(?:el)?if[^\n]*VERSION")
_DEFINED = regex(r"\s*(\w+)(?!\()(?:[ \t]+(\w*))?")
_ZERO = "=0"


def sets_by_version(data: bytes, _: RuleSet) -> bool:
    """Whether a file may define macros by CUDA's version: a question about each file of a tree."""
    return b"VERSION" in data and b"define" in data and _TESTED.search(data) is not None


def version_switches(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[str]]:
    """Tree -> the macros that only a test of CUDA's version sets, `NAME=0` for one that is 0 then.

    `trees` has the C and C++ sources of each tree.
    """
    found: dict[str, dict[str, bool]] = {}
    for root, sources in trees.items():
        testing = [each for each in sources if texts.answer(sets_by_version, each)]
        definitions = [each for path in testing for each in _definitions(path, texts, rules)]
        names = {name for name, value, is_left_out in definitions if is_left_out and value != "0"}
        using = [each for each in sources if names and texts.has(each, names)]
        definitions = [each for path in using for each in _definitions(path, texts, rules)]
        values = {(name, value) for name, value, is_left_out in definitions if not is_left_out}
        names.difference_update(name for name, value in values if value != "0")
        if names:
            found[root] = {name: (name, "0") in values for name in names}
    for task in tasks if found else ():
        if task.root_path in found and _may_set(task, rules):
            text = texts.read(task.source_path).decode("latin-1")
            for name in [each for each in found[task.root_path] if each in text]:
                del found[task.root_path][name]
    return {
        root: frozenset(f"{name}{_ZERO * is_zero}" for name, is_zero in names.items())
        for root, names in found.items()
    }


def _may_set(task: Task, rules: RuleSet) -> bool:
    kinds = tuple(dict.fromkeys(rules.file_kinds.other_files.values()))
    last = task.source_path.rpartition("/")[2]
    return not task.is_link and (last.endswith(".py") or is_build_file(last, kinds))


def _definitions(path: str, texts: TreeTexts, rules: RuleSet) -> Iterator[tuple[str, str, bool]]:
    """The macros that a file defines, with what for, and whether HIP leaves that out."""
    from hipport.source.flow.cuda_conditions import branches_left_out

    code = texts.code(path)
    left_out = branches_left_out(code, rules)
    for each in code.directives:
        if each.keyword == "define" and (match := _DEFINED.match(code.code, *each.body)):
            yield match[1], match[2] or "", not left_out.isdisjoint(each.branch)


def without_lost_switches(
    found: list[Finding], data: bytes, task: Task, rules: RuleSet
) -> list[Finding]:
    """The findings without those that HIP does without, as the other branch does the same."""
    names = {each.removesuffix(_ZERO) for each in task.version_switches}
    if not found or not any(each.encode() in data for each in names):
        return found
    zeros = {each.removesuffix(_ZERO): 0 for each in task.version_switches if _ZERO in each}
    code, words = Code(data), rules.branches.left_out
    holds = partial(decided, undefined=names - zeros.keys(), values=zeros)
    left_out = false_branches(code, holds)

    def is_needed(each: Finding) -> bool:
        at = code.line_start(each.start.line)
        is_asked = left_out and re.fullmatch(words.settled, each.code) and each.start.line
        if not is_asked or code.directive_at(at):
            return True
        lost = [one for one in code.branch_at(at) if one in left_out]
        return not any(_has_other(code, *one, stops=words.stops) for one in lost)

    return [each for each in found if is_needed(each)]


def _has_other(code: Code, opened: int, number: int, *, stops: str) -> bool:
    """Whether another branch of a conditional does the same as one that is left out."""
    directive = code.directive_at(opened)
    return directive is not None and other_does_the_same(code, directive, number, stops)
