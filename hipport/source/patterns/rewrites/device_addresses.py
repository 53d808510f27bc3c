"""Device addresses: integers in CUDA's driver API, `void *` in HIP."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.patterns.make_rewrites import rewrite
from hipport.source.patterns.types.device_address import certain_names
from hipport.source.patterns.types.device_integer import stored_integers
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip_back, word_before

_BEFORE = "(,=;{?:["
_ENDS = ",;)]"
_LOWER = "<>=?:&|^{}"
_LONGEST = 400
_ONE = re.compile(r"\w+")


def rewrite_device_addresses(unit: Unit) -> None:
    """Cast integers that are stored as addresses, and calculate in integers."""
    words = unit.rules.rewrites["device-integer"]
    for whole, value in list(stored_integers(unit, unit.rules.findings["HP-TYPE-011"])):
        brackets = ("", "") if _ONE.fullmatch(unit.code.slice(value)) else "()"
        edits = [
            (Span(value.start, value.start), words["opening"] + brackets[0]),
            (Span(value.end, value.end), brackets[1]),
        ]
        rewrite(unit, "device-integer", edits, [whole])
    _rewrite_sums(unit)


def _rewrite_sums(unit: Unit) -> None:
    """Calculate in integers, and cast back, where a sum is the whole of an argument or a value."""
    rule = unit.rules.findings["HP-TYPE-009"]
    names = certain_names(unit, rule)
    if unit.language == "c" or not names:
        return
    words = unit.rules.rewrites["device-address"]
    text = unit.code.code
    for match in re.finditer(rf"(?P<name>{'|'.join(names)})\s*[-+](?![-+=>])", text):
        span = Span(*match.span("name"))
        last = skip_back(text, span.start)
        word = text[slice(*word_before(text, span.start))]
        end = _sum_end(text, match.end())
        if (text[max(0, last - 1) : last] in _BEFORE or word == "return") and end:
            edits = [(Span(span.start, span.start), words["opening"]), (Span(end, end), ")")]
            rewrite(unit, "device-address", edits, [span])


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
