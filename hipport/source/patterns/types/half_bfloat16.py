"""Casts between half and bfloat16, for which CUDA has constructors and HIP has not."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.names.declared_types import is_always
from hipport.source.patterns.rewriting import replace
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import matches


class FixKeys(RuleKeys, frozen=True):
    half: Regex
    bfloat16: Regex
    to_bfloat16: str
    to_half: str


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Convert variables, and elements, through float, if a name has one type in the file."""
    keys = rule.read(FixKeys)
    _convert(unit, keys.half, keys.bfloat16, keys.to_bfloat16)
    _convert(unit, keys.bfloat16, keys.half, keys.to_half)


def _convert(unit: Unit, source: str, target: str, call: str) -> None:
    text = unit.code.code
    if not unit.code.may_match(source):
        return
    operand = r"(?P<{0}>(?P<{0}_name>[A-Za-z_]\w*)(?P<{0}_index>\s*\[[^][;{{}}]*\])?)"
    call_like = rf"(?:static_cast\s*<\s*{target}\s*>|{target})\s*\(\s*{operand.format('a')}\s*\)"
    c_like = rf"\(\s*{target}\s*\)\s*{operand.format('b')}(?!\w|\s*(?:[(.\[]|->|::))"
    shape = rf"(?<![\w.>:])(?:{call_like}|{c_like})"
    for match in list(matches(shape, text)):
        form = "a" if match["a"] else "b"
        of_elements = r"(?:const )?{}(?:\*|\[\])" if match[f"{form}_index"] else "{}"
        is_known = is_always(unit.declarations, match[f"{form}_name"], of_elements.format(source))
        if is_known and not unit.code.directive_at(match.start()):
            replace(unit, "half-bfloat16", Span(*match.span()), call.format(match[form]))
