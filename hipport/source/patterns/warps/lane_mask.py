"""Lane masks of 32 bits: HIP's *_sync builtins assert a 64-bit mask."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Severity
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts, is_ported
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.declared_types import deduced_from, type_like
from hipport.source.source_file import Unit
from hipport.source.warps.kept_warps import native_names

_LITERAL = regex(r"[~\-(\s]*(0[xX][0-9a-fA-F']+|[0-9][0-9']*)([uUlL]*)[)\s]*")
_CAST = regex(r"\(?\s*\(([^()]*)\)|(?:static_cast)\s*<([^<>]*)>")
_NAME = regex(r"[A-Za-z_]\w*")


class Keys(RuleKeys, frozen=True):
    wide: Regex
    narrow_types: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each mask argument that is, or may be, narrower than 64 bits."""
    for use in unit.of(rule.names):
        # What the tree defines for AMD takes the masks that the tree passes.
        if use.name in native_names(unit) or not counts(unit, rule, use.span.start):
            continue
        call = parse_call(unit.code, use.span)
        if use.qualifier or call is None or not call.arguments:
            continue
        span = call.arguments[0]
        text = unit.code.code[span.start : span.end].strip()
        if _NAME.fullmatch(text):
            narrow = _is_narrow_name(unit, rule, text, span.start)
        else:
            narrow = _is_narrow(rule, text)
        if narrow is None:
            reason = "the width of this mask cannot be seen here"
            unit.report(rule.id, span, use.name, {"reason": reason}, severity=Severity.REVIEW)
        elif narrow:
            unit.report(rule.id, span, use.name, {"reason": "this one has 32 bits"})


def _is_narrow(rule: FindingRule, text: str) -> bool | None:
    """Whether an expression has 32 bits; None if that is not known."""
    keys = rule.read(Keys)
    literal = _LITERAL.fullmatch(text)
    if literal:
        digits, suffix = literal[1].replace("'", ""), literal[2].lower()
        is_hexadecimal = digits[:2] in ("0x", "0X")
        return "l" not in suffix and int(digits, 16 if is_hexadecimal else 10) < 1 << 32
    if re.search(keys.wide, text):
        return False
    cast = _CAST.match(text)
    if cast and re.fullmatch(keys.narrow_types, (cast[1] or cast[2] or "").strip()):
        return True
    return None


def _is_narrow_name(unit: Unit, rule: FindingRule, name: str, offset: int) -> bool | None:
    """Whether a variable or macro has 32 bits; None if that is not known."""
    keys = rule.read(Keys)
    if type_like(unit.declarations, name, offset, keys.narrow_types):
        return True
    if re.search(keys.wide, type_like(unit.declarations, name, offset, r".+")):
        return False
    widths = set()
    for each in deduced_from(unit.declarations, name, offset):
        is_narrow = _is_narrow(rule, each.text.strip())
        # Where AMD has another definition, the narrow one is NVIDIA's.
        if not (is_narrow and is_ported(unit, each.offset)):
            widths.add(is_narrow)
    return widths.pop() if len(widths) == 1 else None
