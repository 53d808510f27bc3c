"""Comments that hide findings, as `// hipport: ignore[HP-WARP-001]: reason`."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Finding, Position
from hipport.rulebook.rules import RuleSet
from hipport.source.patterns.line_files import comment_spans
from hipport.source.text.source_text import Code

_MARK = b"hipport:"
_UNUSED = "HP-SUPPRESS-001"
_SOURCE = frozenset(("cuda", "cpp", "c"))
_WORDS = r"(?P<word>[\w-]+)[ \t]*(?:\[(?P<codes>[^\]\n]*)\])?"
_IN_SOURCE = regex(rf"(?://|/\*)[ \t]*hipport:[ \t]*{_WORDS}", re.ASCII)
_IN_SCRIPTS = regex(rf"#[ \t]*hipport:[ \t]*{_WORDS}", re.ASCII)


class _Suppression(msgspec.Struct):
    """One comment: the codes it hides (none: all), and the lines, the last one included."""

    text: str
    codes: frozenset[str]
    first: int
    last: int | None
    start: Position
    end: Position
    fault: str = ""
    is_used: bool = False

    def hides(self, finding: Finding, general: str) -> bool:
        """Whether the comment is about a finding; `general` is the code that says less of it."""
        line = finding.start.line
        is_there = self.first <= line and (self.last is None or line <= self.last)
        is_meant = not self.codes or not self.codes.isdisjoint((finding.code, general))
        return is_there and not self.fault and is_meant


def kept(
    data: bytes, found: list[Finding], path: str, language: str, rules: RuleSet
) -> list[Finding]:
    """The findings of a file that no comment hides.

    An audit also has one for each comment that hides none. A conversion has not, as it does not
    look for everything that comments may be about.
    """
    if _MARK not in data:
        return found
    suppressions = _suppressions(data, language, rules)
    shown = [each for each in found if not _is_hidden(each, suppressions, rules)]
    if rules.is_audit:
        shown += [_finding(each, path, rules) for each in suppressions if not each.is_used]
        shown.sort(key=lambda each: (each.start, each.code))
    return shown


def _is_hidden(finding: Finding, suppressions: Iterable[_Suppression], rules: RuleSet) -> bool:
    general = rules.general(finding.code)
    hiding = [each for each in suppressions if each.hides(finding, general)]
    for each in hiding:
        each.is_used = True
    return bool(hiding)


def _suppressions(data: bytes, language: str, rules: RuleSet) -> list[_Suppression]:
    if language in _SOURCE:
        code, shape = Code(data), _IN_SOURCE
        comments = code.comments
    else:
        code, shape = Code.of_lines(data, ""), _IN_SCRIPTS
        comments = comment_spans(code.text, language)
    lines = code.text.split("\n")
    found: list[_Suppression] = []
    blocks: list[_Suppression] = []
    for comment in comments:
        for match in shape.finditer(code.text, comment.start, comment.end):
            suppression = _suppression(match, code, rules)
            number = suppression.start.line
            before = code.text[code.text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if match["word"] == "ignore" and not before.strip(" \t\xef\xbb\xbf"):
                suppression.first = suppression.last = _line_below(lines, number, shape)
            if match["word"] == "on":
                _close(blocks, suppression, number)
                if not suppression.fault:
                    continue
            if match["word"] == "off":
                blocks.append(suppression)
            found.append(suppression)
    return found


def _suppression(match: re.Match[str], code: Code, rules: RuleSet) -> _Suppression:
    codes = frozenset(each.strip() for each in (match["codes"] or "").split(",") if each.strip())
    start = code.position(match.start())
    word, fault, first, last = match["word"], "", start.line, start.line
    if word not in ("ignore", "ignore-file", "off", "on"):
        fault = f"`{word}` is none of ignore, ignore-file, off, on"
    elif match["codes"] is not None and not codes:
        fault = "the brackets name no code"
    elif unknown := sorted(codes - rules.findings.keys()):
        fault = f"there is no finding {unknown[0]}" if rules.is_audit else ""
    return _Suppression(
        text=match[0].lstrip("/*# \t"),
        codes=codes,
        first=1 if word == "ignore-file" else first,
        last=None if word in ("ignore-file", "off") else last,
        start=start,
        end=code.position(match.end()),
        fault=fault,
    )


def _line_below(lines: list[str], number: int, shape: re.Pattern[str]) -> int:
    """The line that a comment on a separate line is about: the next without such a comment."""
    below = number + 1
    while below <= len(lines) and shape.match(lines[below - 1].lstrip()):
        below += 1
    return below


def _close(blocks: list[_Suppression], on: _Suppression, line: int) -> None:
    """End the block that was opened last, with the same codes if `on` names any."""
    for block in reversed(blocks):
        if block.last is None and (not on.codes or block.codes == on.codes):
            block.last = line
            return
    on.fault = on.fault or "nothing is off here"


def _finding(unused: _Suppression, path: str, rules: RuleSet) -> Finding:
    words = {"reason": unused.fault or "no such finding is there"}
    return rules.findings[_UNUSED].finding(path, unused.text, unused.start, unused.end, words)
