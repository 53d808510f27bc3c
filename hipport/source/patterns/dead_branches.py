"""Leaves out findings in code that no build for AMD includes, and no AMD GPU runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.model import Finding, Position, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.text.required_texts import has_any
from hipport.source.text.source_text import Code


def alive(found: list[Finding], data: bytes, kind: str, rules: RuleSet) -> list[Finding]:
    """The findings in a file of Python or of lines but those in branches for NVIDIA's GPUs.

    Nor has what decides nothing: an answer that is only shown to people, a variable that nobody
    reads, what an extra for NVIDIA's GPUs requires in place of ROCm's own.
    """
    found = _outside(found, data, _dead_spans(data, kind, rules) if found else [])
    asking = [each for each in found if _may_be_idle(each, kind, rules)]
    if not asking:
        return found
    deciding = _outside(asking, data, _idle_spans(data, kind, rules))
    return [each for each in found if each in deciding or each not in asking]


def _may_be_idle(finding: Finding, kind: str, rules: RuleSet) -> bool:
    """Whether a finding is about what may decide nothing."""
    if kind == "python":
        return re.fullmatch(rules.branches.python.shown, finding.code) is not None
    if kind == "requirements":
        return re.fullmatch(rules.branches.lists.replacing, finding.code) is not None
    rule = rules.findings.get(finding.code)
    return kind in ("make", "shell") and rule is not None and rule.net


def _idle_spans(data: bytes, kind: str, rules: RuleSet) -> list[Span]:
    """What decides nothing in a file of a kind."""
    words, text = rules.branches, data.decode("latin-1")
    if kind == "python":
        from hipport.source.languages import python_branches

        return python_branches.shown_spans(data, words.python)
    if kind == "requirements":
        from hipport.source.text import requirement_lists

        return requirement_lists.nvidia_spans(text, words.lists)
    from hipport.source.text import unread_variables

    return unread_variables.unread_spans(text, kind)


def _outside(found: list[Finding], data: bytes, spans: list[Span]) -> list[Finding]:
    """The findings that are in none of the spans."""
    if not spans:
        return found
    position = Code.of_lines(data, "").position
    places = [(position(start), position(end)) for start, end in spans]
    return [each for each in found if not any(start <= each.start < end for start, end in places)]


def once(found: Iterable[Finding], rules: Mapping[str, FindingRule]) -> Iterator[Finding]:
    """The findings in order, of rules that say so only the first of a line, or of the file."""
    seen: set[tuple[str, Position | int]] = set()
    for each in sorted(found, key=lambda each: (each.start, each.code)):
        rule = rules[each.code]
        place = 0 if rule.once_per_file else each.start.line if rule.once_per_line else each.start
        if (each.code, place) not in seen:
            seen.add((each.code, place))
            yield each


def _dead_spans(data: bytes, kind: str, rules: RuleSet) -> list[Span]:
    """What is for NVIDIA's GPUs only in a file of a kind."""
    words = rules.branches
    text = data.decode("latin-1")
    # Each loads a parser, which a file without such conditions does not need.
    if kind == "python" and has_any(text, words.python.hints):
        from hipport.source.languages import python_branches

        return python_branches.dead_spans(data, words.python, rules.file_kinds.port_parts)
    if kind == "cmake" and has_any(text, words.cmake.hints):
        from hipport.source.languages import cmake_branches

        return cmake_branches.dead_spans(data, words.cmake)
    if kind == "yaml" and has_any(text, words.yaml.hints):
        from hipport.source.text import job_blocks

        return job_blocks.dead_spans(text, words.yaml)
    if kind == "requirements" and has_any(text, words.lists.hints):
        from hipport.source.text import requirement_lists

        return requirement_lists.dead_spans(text, words.lists)
    return []
