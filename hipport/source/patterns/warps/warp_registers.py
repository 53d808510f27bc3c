"""asm statements that read the number of a lane, or a set of lanes, from PTX's registers."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.source.patterns.rewriting import replace
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.warps.kept_warps import is_native

_STATEMENT = regex(r"\b(?:asm|__asm__|__asm)\b(?:\s+(?:volatile|__volatile__))?\s*(?=\()")
_GAP = r"(?:\s|\\[nt])*"
_MOVE = regex(
    rf'\s*"{_GAP}mov\.[usb]32{_GAP}(?<=[\snt])(?:%0|%\[(?P<operand>\w+)\]){_GAP},'
    rf'{_GAP}%?%?(?P<register>\w+){_GAP};?{_GAP}"\s*'
)
_OUTPUT = regex(r'\s*:\s*(?:\[\s*(?P<operand>\w+)\s*\]\s*)?"=r"\s*\(')


def fix(unit: Unit, rule: RewriteRule) -> None:
    """`asm("mov.u32 %0, %%laneid;" : "=r"(lane));` becomes `lane = warp32::lane_id();`."""
    registers: dict[str, str] = unit.rules.warps.registers
    if not any(name in unit.code.text for name in registers):
        return
    code, text = unit.code.code, unit.code.text
    for match in _STATEMENT.finditer(code):
        opened = skip(code, match.end())
        closed = closing_bracket(code, opened)
        if closed is None or is_native(unit, match.start()):
            continue
        move = _MOVE.match(text, opened + 1, closed)
        output = _OUTPUT.match(text, move.end(), closed) if move else None
        if move is None or output is None or move["register"] not in registers:
            continue
        if move["operand"] not in (None, output["operand"]):
            continue
        end = closing_bracket(code, output.end() - 1)
        rest = text[end + 1 : closed].strip() if end else "?"
        if end is None or rest.strip(": \t\r\n"):
            continue  # More operands, or what the statement changes.
        new = f"{text[output.end() : end].strip()} = {registers[move['register']]}"
        span = Span(match.start(), closed + 1)
        if replace(unit, "warp-register", span, new) and unit.rules.warps.namespace in new:
            unit.helpers.add(unit.rules.warps.header)
