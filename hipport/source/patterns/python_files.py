"""Findings in Python files: imports and calls that rules/checks names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from hipport.model import Finding
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.patterns.line_files import is_excused, is_own, line_findings, without_comments
from hipport.source.text.required_texts import has_any
from hipport.source.text.source_text import Code

if TYPE_CHECKING:
    from hipport.source.languages.python_syntax import Reference


def python_findings(data: bytes, path: str, rules: RuleSet) -> list[Finding]:
    """All findings of one Python file, in order; broken Python gives those that can be seen."""
    text = data.decode("latin-1")
    asking = [
        rule
        for rule in rules.findings.values()
        if "python" in rule.languages and (rule.imports or rule.calls) and has_any(text, rule.hints)
    ]
    found = _by_reference(data, path, asking) if asking else []
    found += line_findings(data, path, "python", rules)
    return sorted(found, key=lambda each: (each.start, each.code))


def _by_reference(data: bytes, path: str, rules: list[FindingRule]) -> list[Finding]:
    """The findings about what the file imports and calls."""
    # Loads the parser, which most files do not need.
    from hipport.source.languages.python_syntax import references

    code = Code.of_lines(data, "")
    plain = without_comments(code.text, "python")
    imports: list[Reference] = []
    calls: list[Reference] = []
    for reference in references(data):
        (imports if reference.is_import else calls).append(reference)
    imported = [each.name for each in imports]
    found = []
    for rule in rules:
        places = _matching(imports, rule.imports, re.Pattern.match)
        places += _matching(calls, rule.calls, re.Pattern.fullmatch)
        if not places or not _has_import(rule, imported) or is_excused(rule, plain):
            continue
        if rule.foreign:
            places = [each for each in places if not is_own(each.written, path)]
        if rule.once_per_file:
            places = places[:1]
        found += [_finding(rule, each, path, code) for each in places]
    return found


def _has_import(rule: FindingRule, imported: list[str]) -> bool:
    """Whether the file imports what the rule's subject needs to be what it seems."""
    pattern = rule.with_import
    return not pattern or any(re.search(pattern, name) for name in imported)


def _matching(
    references: list[Reference],
    pattern: str,
    matches: Callable[[re.Pattern[str], str], re.Match[str] | None],
) -> list[Reference]:
    if not pattern:
        return []
    compiled = re.compile(pattern)
    return [each for each in references if matches(compiled, each.name)]


def _finding(rule: FindingRule, reference: Reference, path: str, code: Code) -> Finding:
    start, end = map(code.position, reference.span)
    return rule.finding(path, reference.written, start, end)
