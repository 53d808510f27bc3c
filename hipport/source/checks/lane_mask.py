"""Lane masks of 32 bits: HIP's *_sync builtins assert a 64-bit mask."""

from __future__ import annotations

import re

from hipport.model import Severity, Span
from hipport.source.languages.cuda import parse_call
from hipport.source.rules import FindingRule
from hipport.source.unit import Unit

_LITERAL = re.compile(r"[~\-(\s]*(0[xX][0-9a-fA-F']+|[0-9][0-9']*)([uUlL]*)[)\s]*")
_CAST = re.compile(r"\(?\s*\(([^()]*)\)|(?:static_cast)\s*<([^<>]*)>")
_NAME = re.compile(r"[A-Za-z_]\w*")


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each mask argument that is, or may be, narrower than 64 bits."""
    for use in unit.of(rule.names):
        call = parse_call(unit.code, use.span)
        if use.qualifier or call is None or not call.arguments:
            continue
        span = call.arguments[0]
        narrow = _is_narrow(unit, rule, span)
        if narrow is None:
            reason = "the width of this mask cannot be seen here"
            unit.report(rule.id, span, use.name, {"reason": reason}, severity=Severity.REVIEW)
        elif narrow:
            unit.report(rule.id, span, use.name, {"reason": "this one has 32 bits"})


def _is_narrow(unit: Unit, rule: FindingRule, span: Span) -> bool | None:
    text = unit.code.code[span.start : span.end].strip()
    literal = _LITERAL.fullmatch(text)
    if literal:
        return _literal_is_narrow(literal)
    if re.search(rule.data["wide"], text):
        return False
    cast = _CAST.match(text)
    if cast and re.fullmatch(rule.data["narrow_types"], (cast[1] or cast[2]).strip()):
        return True
    if not _NAME.fullmatch(text):
        return None
    return _declared_narrow(unit, rule, text)


def _literal_is_narrow(literal: re.Match[str]) -> bool:
    digits, suffix = literal[1].replace("'", ""), literal[2].lower()
    return "l" not in suffix and int(digits, 16 if digits[:2] in ("0x", "0X") else 10) < 1 << 32


def _declared_narrow(unit: Unit, rule: FindingRule, name: str) -> bool | None:
    """Whether the file defines the name as a 32-bit macro or variable; None if it does not."""
    code = unit.code.code
    macro = re.search(rf"#[ \t]*define[ \t]+{name}[ \t]+([^\n]+)", code)
    if macro:
        literal = _LITERAL.fullmatch(macro[1].strip())
        return _literal_is_narrow(literal) if literal else None
    if re.search(rf"{rule.data['narrow_types']}\s+(?:const\s+)?{name}\b(?!\s*\()", code):
        return True
    if re.search(rf"(?:{rule.data['wide']})\s+(?:int\s+)?(?:const\s+)?{name}\b", code):
        return False
    automatic = re.search(rf"\bauto\s+(?:const\s+)?{name}\s*=\s*([^;]+);", code)
    return False if automatic and re.search(rule.data["wide"], automatic[1]) else None
