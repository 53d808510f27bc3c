"""A build file on its way through the converter: its bytes, edits and findings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Edit, Finding, Position, Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.nvcc_flags import Choices, Flag
from hipport.rulebook.rules import RuleSet
from hipport.source.text.source_text import Code

_REST_OF_LINE = regex(r"[^\S\n]*(?:\n|\Z)")

LEFT = "HP-BUILD-002"
_LATER: Any = None
"""The value of a field until __post_init__ sets it."""


class BuildFile(msgspec.Struct):
    """One build file being converted. Text is decoded as latin-1: an index is an offset."""

    path: str
    data: bytes
    rules: RuleSet
    choices: Choices
    endings: tuple[tuple[str, str], ...] = ()
    """(ending, new ending) of source files that are renamed."""
    marking: frozenset[str] = frozenset()
    """Functions of the tree's CMake files that have the sources they get compiled as HIP."""
    edits: list[Edit] = msgspec.field(default_factory=list)
    findings: list[Finding] = msgspec.field(default_factory=list)
    handled: list[Span] = msgspec.field(default_factory=list)
    """Places that need no edit: they get no findings."""
    answered: list[Span] = msgspec.field(default_factory=list)
    """Places that an edit elsewhere answers: they get none either."""
    reported: set[Position] = msgspec.field(default_factory=set)
    """The places of findings."""
    text: str = _LATER
    newline: str = _LATER
    code: Code = _LATER

    def __post_init__(self) -> None:
        self.text = self.data.decode("latin-1")
        self.newline = "\r\n" if "\r\n" in self.text else "\n"
        self.code = Code.of_lines(self.data, self.text)

    def edit(self, span: Span, new: str, rule: str) -> None:
        """Replace a span unless an edit already covers it."""
        if self.text[span.start : span.end] != new:
            self.edits.append(Edit(span, new.encode("latin-1"), rule))

    def drop_edits(self, span: Span) -> None:
        """Drop the edits inside a span that is removed or rewritten."""
        kept = []
        # Edits are in text order: those before the span need not be looked at.
        while self.edits and self.edits[-1].span.end >= span.start:
            edit = self.edits.pop()
            if not (span.start <= edit.span.start and edit.span.end <= span.end):
                kept.append(edit)
        self.edits += reversed(kept)

    def indent_at(self, offset: int) -> str:
        """The blanks at the beginning of a line."""
        start = self.text.rfind("\n", 0, offset) + 1
        line = self.text[start:offset]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def remove_line(self, span: Span, rule: str) -> None:
        """Remove a span, and its lines if nothing else is on them."""
        start, end = self.whole_lines(span)
        self.drop_edits(Span(start, end))
        self.edit(Span(start, end), "", rule)

    def whole_lines(self, span: Span) -> Span:
        """The span with the blanks and the line end around it, if it fills its lines."""
        start, end = span
        while start and self.text[start - 1].isspace() and self.text[start - 1] != "\n":
            start -= 1
        rest = _REST_OF_LINE.match(self.text, end)
        is_first = not start or self.text[start - 1] == "\n"
        return Span(start, rest.end()) if rest and is_first else span

    def insert_before(self, offset: int, lines: list[str], rule: str) -> None:
        """Insert lines before the line of an offset, indented like it."""
        indent = self.indent_at(offset)
        start = offset - len(indent)
        new = "".join(indent + line + self.newline for line in lines)
        self.edits.append(Edit(Span(start, start), new.encode("latin-1"), rule))

    def insert_after(self, span: Span, lines: list[str], rule: str) -> None:
        """Insert lines after the last line of a span, indented like its first."""
        indent = self.indent_at(span.start)
        at = self.text.find("\n", span.end)
        text = "".join(self.newline + indent + line for line in lines)
        if at < 0:
            at = len(self.text)
        elif self.text[at - 1] == "\r":
            at -= 1
        self.edits.append(Edit(Span(at, at), text.encode("latin-1"), rule))

    def report(
        self,
        code: str,
        span: Span,
        words: Mapping[str, str] = MappingProxyType({}),
        *,
        severity: Severity | None = None,
    ) -> None:
        """Record a finding about the span, at most one per place."""
        start = self.code.position(span.start)
        if start in self.reported:
            return
        self.reported.add(start)
        rule = finding_rule(self.rules, code)
        symbol = " ".join(self.text[span.start : span.end].split())[:200]
        symbol = symbol.encode("latin-1").decode("utf-8", "replace")
        end = self.code.position(span.end)
        self.findings.append(rule.finding(self.path, symbol, start, end, words, severity=severity))

    def report_flag(self, flag: Flag, span: Span) -> None:
        """Record the findings about an nvcc flag, if any."""
        if flag.finding:
            self.report(flag.finding, span, {"reason": flag.reason}, severity=flag.severity)


@cache
def findings_for(rules: RuleSet, folders: tuple[str, ...]) -> dict[str, FindingRule]:
    """Code -> the audit's findings in some folders of rules/checks, which report what is left."""
    found = (rule for folder in folders for rule in _findings_in(rules, folder))
    return {rule.id: rule for rule in sorted(found, key=lambda rule: rule.place)}


@cache
def _findings_in(rules: RuleSet, folder: str) -> list[FindingRule]:
    return list(rules.in_files((f"{folder}/*",)))


def finding_rule(rules: RuleSet, code: str) -> FindingRule:
    """A finding of the converter, or one of the audit about build files."""
    return rules.findings.get(code) or findings_for(rules, ("build",))[code]
