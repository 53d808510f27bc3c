"""Findings in Python files: what rules/checks names of imports, calls, attributes and the rest."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from hipport.model import Finding, Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.layouts.changes import Changed
from hipport.source.layouts.usual_form import usual_form
from hipport.source.patterns.dead_branches import alive, once
from hipport.source.patterns.embedded_scripts import script_matches
from hipport.source.patterns.excused_files import is_excused
from hipport.source.patterns.found_spans import is_passed_over
from hipport.source.patterns.line_files import (
    RulesByHint,
    as_written,
    hints_in_python,
    line_matches,
    without_comments,
)
from hipport.source.text.long_lines import plain_ends
from hipport.source.text.required_texts import required
from hipport.source.text.source_text import Code

if TYPE_CHECKING:
    from hipport.source.languages.python_references import Reference


def python_findings(data: bytes, path: str, rules: RuleSet) -> list[Finding]:
    """All findings of one Python file, in order; broken Python gives those that can be seen.

    What runs on NVIDIA's GPUs only, by a condition around it, has none.
    """
    data = plain_ends(data)
    usual = usual_form(data, path, "python")
    data = usual.data if usual else data
    code = as_written(data)
    asking = [rule for rule in _of_python(rules).about(data) if _may_refer(rule, code)]
    found = _by_reference(data, path, asking, usual) if asking else []
    found += line_matches(data, path, "python", rules, usual)
    found += script_matches(data, path, rules)
    found = alive(found, data, "python", rules)
    return list(once(usual.moved(found) if usual else found, rules.findings))


@lru_cache(maxsize=4)
def _of_python(rules: RuleSet) -> RulesByHint:
    return RulesByHint(rules.of_python, hints_in_python(rules))


def _may_refer(rule: FindingRule, code: Code) -> bool:
    """Whether it takes a syntax tree to know that the rule is not about a file."""
    return any(_may_name(each, code) for each in rule.of_python.values())


def _may_name(pattern: str, code: Code) -> bool:
    """Whether a file has the words of a name that the pattern matches, in whatever places."""
    for choice in _words_of(pattern):
        if not any(all(code.mentions((word,)) for word in words) for words in choice):
            return False
    return True


@cache
def _words_of(pattern: str) -> list[list[list[str]]]:
    """The choices of texts that a match has, each text as its words: a name is joined of such."""
    return [[re.findall(r"\w+", text, re.ASCII) for text in choice] for choice in required(pattern)]


def _by_reference(
    data: bytes, path: str, rules: list[FindingRule], usual: Changed | None
) -> list[Finding]:
    """The findings about what the file refers to."""
    # Loads the parser, which most files do not need.
    from hipport.source.languages.python_references import References

    code = as_written(data)
    file = References(data)
    imported = [each.name for each in file.module.imports]
    references: dict[str, list[Reference]] = {}
    found = []
    for rule in rules:
        if not _has_import(rule, imported):
            continue
        places = []
        for kind, pattern in rule.of_python.items():
            if _may_name(pattern, code):
                if kind not in references:
                    references[kind] = list(getattr(file, kind)())
                places += _matching(references[kind], kind, pattern, code)
        if not places or is_excused(rule, without_comments(code.text, "python")):
            continue
        if rule.passing:
            text = code.text
            places = [each for each in places if not is_passed_over(rule, text, _place(each, code))]
        found += [_finding(rule, each, path, code, usual) for each in places]
    return found


def _has_import(rule: FindingRule, imported: list[str]) -> bool:
    """Whether the file imports what the rule's subject needs to be what it seems."""
    pattern = rule.with_import
    return not pattern or any(re.search(pattern, name) for name in imported)


def _matching(references: list[Reference], kind: str, pattern: str, code: Code) -> list[Reference]:
    """The first reference of each statement that the pattern is for; every call, use, comparison.

    Of a name that is imported, what the pattern matches is what is reported; of others its group
    `symbol`, so that a question and what is made of its answer are one decision.
    """
    from hipport.source.languages.python_syntax import one_line

    compiled = re.compile(pattern, re.DOTALL)
    found: dict[int, Reference] = {}
    for each in references:
        place = each.span.start if kind in ("calls", "uses", "compared") else each.statement
        match = (compiled.match if kind == "imports" else compiled.fullmatch)(each.name)
        if match and place not in found:
            written = match[0].rstrip(".") if kind == "imports" else each.written
            written = match["symbol"] if "symbol" in compiled.groupindex else written
            found[place] = each._replace(written=written or one_line(code.slice(each.span)))
    return list(found.values())


def _place(reference: Reference, code: Code) -> Span:
    """Where a reference is, as it is written."""
    start, end = reference.span
    is_whole = code.text.startswith(reference.written, start)
    return Span(start, start + len(reference.written) if is_whole else end)


def _finding(
    rule: FindingRule, reference: Reference, path: str, code: Code, usual: Changed | None
) -> Finding:
    place = _place(reference, code)
    start, end = map(code.position, place)
    is_staying = rule.staying and re.fullmatch(rule.staying, reference.name)
    is_note = is_staying or (rule.optional and reference.is_optional)
    severity = Severity.INFO if is_note else None
    shown = {"symbol": _as_named(reference, place, code, usual)} if usual else {}
    return rule.finding(path, reference.written, start, end, shown, severity=severity)


def _as_named(reference: Reference, place: Span, code: Code, usual: Changed) -> str:
    """What is reported of a reference, with the file's own names in it."""
    from hipport.source.languages.python_syntax import one_line

    text = usual.as_named(place).encode("latin-1").decode("utf-8", "replace")
    written = code.slice(place)
    if reference.written == written:
        return text
    return one_line(text) if reference.written == one_line(written) else reference.written
