"""Scripts that Python keeps in strings: jobs it submits, programs it runs, builds it writes."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
from hipport.source.layouts.usual_form import usual_form
from hipport.source.patterns.line_files import as_written, line_matches

_MARKS = ("#!/", "#SBATCH", "#PBS", "#BSUB", "cmake_minimum_required")
_STRING = regex(rb'""".*?"""|\'\'\'.*?\'\'\'', re.DOTALL)
_SCRIPTS = {
    "shell": regex(rb"^\\?\s*#!\s*/\S*(?:\s+|/)\w*sh\b|^#(?:SBATCH|PBS|BSUB)\s", re.MULTILINE),
    "cmake": regex(rb"^[ \t]*(?:\w*[\"']{3})?cmake_minimum_required[ \t]*\(", re.MULTILINE),
}
_TEXT = regex(rb"[^\n]")


def script_matches(data: bytes, path: str, rules: RuleSet) -> list[Finding]:
    """What the patterns for scripts find in those that a file of Python has in strings."""
    if not as_written(data).mentions(_MARKS):
        return []
    found: list[Finding] = []
    for kind, script in _SCRIPTS.items():
        kept, end = [], 0
        for each in _STRING.finditer(data):
            if script.search(each[0]):
                kept += [_TEXT.sub(b" ", data[end : each.start()]), each[0]]
                end = each.end()
        if kept:
            text = b"".join(kept)
            usual = usual_form(text, path, kind)
            matching = line_matches(usual.data if usual else text, path, kind, rules, usual)
            found += usual.moved(matching) if usual else matching
    return found
