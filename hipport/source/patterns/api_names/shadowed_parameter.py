"""Declarations that hide a template parameter: [temp.local] forbids them, nvcc takes them."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket

_HEAD = re.compile(r"\btemplate\s*<([^<>(){};]{1,2000})>")
_NAME = re.compile(r"(\w+)\s*(?:=[^,]*)?(?:,|\Z)", re.ASCII)
_BODY = re.compile(r"[;{]")


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each local variable with the name of a parameter of the template it is in."""
    text = unit.code.code
    keywords = unit.rules.device_code.function_keywords
    for head in _HEAD.finditer(text):
        opened = _BODY.search(text, head.end())
        names = _NAME.findall(head[1])
        if opened is None or opened[0] == ";" or not names:
            continue
        if not any(word in text[head.end() : opened.start()] for word in keywords):
            continue
        closed = closing_bracket(text, opened.start())
        declared = re.compile(
            rf"[;{{}}]\s*(?:(?:const|constexpr|static|unsigned)\s+)*"
            rf"(?!return\b|else\b|delete\b|using\b|goto\b)[A-Za-z_][\w:]*\s+({'|'.join(names)})"
            r"\s*(?:=[^=]|;|\[|\{)",
            re.ASCII,
        )
        # Two declarations may share the character between them.
        at = opened.start()
        while closed and (match := declared.search(text, at, closed)):
            unit.report(rule.id, Span(*match.span(1)), match[1])
            at = match.end(1)
