"""Integer operators on what is an integer in CUDA and a pointer in HIP, such as CUdeviceptr."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import counts
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip, skip_back

_DECLARED = re.compile(r"\s+(?:const\s+)?([A-Za-z_]\w*)\s*(?=[=;,){\[])")
_POINTED = re.compile(r"\s*\*\s*([A-Za-z_]\w*)\s*(?=[=;,){])")
_OPERATOR = r"(?:[%^]=?|\|(?!\|)=?|<<|>>|&(?!&)=?)"
# Adding to a `void *` is an extension in C, which counts in bytes; for clang it is an error in C++.
_ADDITIVE = r"|\+\+|--|[-+]=?"


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each line that applies an integer operator to a variable of the type."""
    text = unit.code.code
    names = declared_names(unit, rule)
    operator = _OPERATOR if unit.language == "c" else f"(?:{_OPERATOR}{_ADDITIVE})"
    cast = rf"\(\s*(?:{'|'.join(sorted(rule.names))})\s*\)\s*[\w.]+\s*\)*"
    alternatives = "|".join([*(rf"(?<![\w.>]){each}" for each in names), cast])
    shape = re.compile(rf"(?P<name>{alternatives})\s*(?P<operator>{operator})")
    certain = set(map(_plain, certain_names(unit, rule)))
    lines: set[int] = set()
    for match in shape.finditer(text):
        line = unit.code.position(match.start()).line
        operand = skip(text, match.end())
        is_sum = match["operator"][0] in "+-"
        is_cast = text.endswith(")", 0, skip_back(text, match.start()))
        is_certain = match["name"].startswith("(") or _plain(match["name"]) in certain
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


def declared_names(unit: Unit, rule: FindingRule) -> list[str]:
    """Patterns of the expressions that name a variable of the type, or what one points to."""
    return sorted(
        {
            mark + match[1]
            for mark, declared in (("", _DECLARED), (r"\*\s*", _POINTED))
            for use in unit.of(rule.names)
            if (match := declared.match(unit.code.code, use.span.end))
        }
    )


def certain_names(unit: Unit, rule: FindingRule) -> list[str]:
    """Those of which the file declares nothing else of the same name."""
    own = {*rule.names, "return", "else"}
    shape = r"\b([A-Za-z_]\w*)[\s*&]+{}\b\s*(?=[=;,)\[{{])"
    return [
        name
        for name in declared_names(unit, rule)
        if own.issuperset(re.findall(shape.format(_plain(name)), unit.code.code))
    ]


def _plain(name: str) -> str:
    """The name itself, of a pattern or of what matched it."""
    return str(re.findall(r"\w+", name)[-1])
