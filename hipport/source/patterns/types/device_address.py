"""Integer operators on what is an integer in CUDA and a pointer in HIP, such as CUdeviceptr."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import certain_variables, name_in, variables_of
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip, skip_back, word_before
from hipport.source.text.quick_search import matches

_OPERATOR = r"(?:[%^]=?|\|(?!\|)=?|<<|>>|&(?!&)=?)"
# Adding to a `void *` is an extension in C, which counts in bytes; for clang it is an error in C++.
_ADDITIVE = r"|\+\+|--|(?:\+|-(?!>))=?"
_BEFORE = "(,=;{?:["
_ENDS = ",;)]"
_LOWER = "<>=?:&|^{}"
_LONGEST = 400
_FINDING = "HP-TYPE-009"


class FixKeys(RuleKeys, frozen=True):
    opening: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each line that applies an integer operator to a variable of the type."""
    text = unit.code.code
    names = _names(unit, rule)
    operator = _OPERATOR if unit.language == "c" else f"(?:{_OPERATOR}{_ADDITIVE})"
    cast = rf"\(\s*(?:{'|'.join(sorted(rule.names))})\s*\)\s*[\w.]+\s*\)*"
    alternatives = "|".join([*(rf"(?<![\w.>]){each}" for each in names), cast])
    shape = rf"(?P<name>{alternatives})\s*(?P<operator>{operator})"
    certain = set(map(name_in, certain_variables(unit.declarations, rule.names, names)))
    lines: set[int] = set()
    for match in matches(shape, text):
        line = unit.code.position(match.start()).line
        operand = skip(text, match.end())
        is_sum = match["operator"][0] in "+-"
        is_cast = text.endswith(")", 0, skip_back(text, match.start()))
        is_certain = match["name"].startswith("(") or name_in(match["name"]) in certain
        if is_sum and (is_cast or not is_certain):
            continue
        is_step = match["operator"] in ("++", "--")
        if line in lines or (
            not is_step and text[operand : operand + 1] in (";", ")", ",", match["operator"][0])
        ):
            continue
        if unit.code.directive_at(match.start()) is None and counts(unit, rule, match.start()):
            lines.add(line)
            span = Span(*match.span("name"))
            symbol = " ".join(unit.code.slice(Span(*match.span())).split())
            unit.report(rule.id, span, symbol, {"name": match["name"]})


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Calculate in integers, and cast back, where a sum is the whole of an argument or a value."""
    types = unit.rules.findings[_FINDING].names
    text, opening = unit.code.code, rule.read(FixKeys).opening
    names = certain_variables(unit.declarations, types, _names(unit, unit.rules.findings[_FINDING]))
    if unit.language == "c" or not names:
        return
    for match in matches(rf"(?P<name>{'|'.join(names)})\s*[-+](?![-+=>])", text):
        span = Span(*match.span("name"))
        if unit.code.directive_at(span.start):
            continue  # There it may be a macro's parameter.
        last = skip_back(text, span.start)
        word = text[slice(*word_before(text, span.start))]
        end = _sum_end(text, match.end())
        if (text[max(0, last - 1) : last] in _BEFORE or word == "return") and end:
            edits = [(Span(span.start, span.start), opening), (Span(end, end), ")")]
            rewrite(unit, "device-address", edits, [span])


def _names(unit: Unit, rule: FindingRule) -> list[str]:
    """Patterns of the expressions that name a variable of the type, or what one points to."""
    return variables_of(unit.declarations, (use.span for use in unit.of(rule.names)))


def _sum_end(text: str, start: int) -> int | None:
    """Where a sum ends; None where an operator that binds less follows in its brackets."""
    depth = 0
    for at in range(start, min(len(text), start + _LONGEST)):
        char = text[at]
        if depth == 0 and char in _ENDS:
            return skip_back(text, at)
        depth += (char in "([") - (char in ")]")
        if depth == 0 and char in _LOWER:
            return None
    return None
