"""CUDA names that a file declares under a condition only: elsewhere they are CUDA's."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.names.hip_branches import is_in_port
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.directives import Branch
from hipport.source.text.source_text import Code


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the uses in branches where none of the declarations counts."""
    for name in unit.scopes:
        api = unit.rules.api(name)
        if api is None or not api.hip or api.hip == name or api.kind == "namespace":
            continue
        uses = [use for use in unit.uses.get(name, ()) if use.qualifier is None]
        declared = [use for use in uses if unit.declarations.scope(use.span) is not None]
        branches = {
            _without_guards(unit.code, unit.code.branch_at(use.span.start)) for use in declared
        }
        if not branches or () in branches or _is_complete(branches):
            continue
        if any(is_in_port(unit.code, unit.rules, use.span.start) for use in declared):
            continue  # declared for AMD: elsewhere it is CUDA's, as it should be
        words = {"hip": api.hip, "line": str(unit.code.position(declared[0].span.start).line)}
        for use in uses:
            if use not in declared and not use.is_member and not _is_within(unit, use, branches):
                unit.report(rule.id, use.span, name, words)


def _without_guards(code: Code, branch: Branch) -> Branch:
    """A branch without the conditionals that only keep it from being read twice."""
    kept = len(branch)
    while kept and _is_guard(code, branch[:kept]):
        kept -= 1
    return branch[:kept]


def _is_guard(code: Code, branch: Branch) -> bool:
    """Whether the innermost branch is of an `#ifndef` whose name is defined in it."""
    opened = code.directive_at(branch[-1][0])
    if opened is None or opened.keyword != "ifndef" or branch[-1][1]:
        return False
    name = code.code[slice(*opened.body)].strip()
    return any(
        each.keyword == "define"
        and each.branch == branch
        and code.code[slice(*each.body)].split()[:1] == [name]
        for each in code.directives
    )


def _is_complete(branches: set[Branch]) -> bool:
    """Whether two of the branches are those of one conditional: one of them counts."""
    opened = [(branch[:-1], branch[-1][0]) for branch in branches]
    return len(set(opened)) < len(opened)


def _is_within(unit: Unit, use: Use, branches: set[Branch]) -> bool:
    own = unit.code.branch_at(use.span.start)
    return any(own[: len(branch)] == branch for branch in branches)
