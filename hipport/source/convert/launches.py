"""Turns `kernel<<<grid, block, shared, stream>>>(...)` into a call of HIP's launch macro."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.flow.device_code import in_device_code
from hipport.source.languages.cuda_syntax import (
    Launch,
    is_statement,
    launch_offsets,
    parse_launch,
)
from hipport.source.names.declared_types import type_like
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.edits import apply

_RULE = "launch"
_SPACED = regex(r"<<[ \t]+<|>>[ \t]+>")
# What may be evaluated three times.
_PLACE = regex(r"\w+(?:(?:\.|->|::)\w+)*")


def rewrite_launches(unit: Unit) -> None:
    """Rewrite every launch that is a statement; HIP's compilers take the others as they are."""
    for chevron in launch_offsets(unit.code):
        if in_device_code(unit, chevron):
            continue  # No compiler for HIP takes it in any form: a check reports it.
        launch = parse_launch(unit.code, chevron)
        problem = _problem(unit, launch)
        if launch is None or problem:
            span = Span(chevron, chevron + 3)
            unit.report("HP-LAUNCH-011", span, "<<<>>>", {"reason": problem})
            _join(unit, launch)
        else:
            _rewrite(unit, launch)


def join_chevrons(unit: Unit) -> None:
    """Write `<< <` and `>> >` as the tokens that HIP's compilers take, and leave launches so."""
    if _SPACED.search(unit.code.code):
        for chevron in launch_offsets(unit.code):
            _join(unit, parse_launch(unit.code, chevron))


def _join(unit: Unit, launch: Launch | None) -> None:
    for token, new in ((launch.opening, "<<<"), (launch.closing, ">>>")) if launch else ():
        if unit.code.slice(token) != new:
            unit.edit(token.start, token.end, new, _RULE)


def _problem(unit: Unit, launch: Launch | None) -> str:
    """Why a launch stays as it is; "" if it need not."""
    if launch is None:
        return "it cannot be separated from the code around it"
    if not 2 <= len(launch.configuration) <= 4:
        return f"its configuration has {len(launch.configuration)} parts"
    if _splits(unit, Span(launch.chevrons.end, launch.opened)):
        return "there is a preprocessor conditional before its arguments"
    if not is_statement(unit.code, launch):
        return "it is part of a larger expression, and the macro is a statement"
    if any(
        unit.code.branch_at(comma) != unit.code.branch_at(launch.chevrons.start)
        for comma in _commas(unit, launch)
    ):
        return "a preprocessor conditional decides how many parts its configuration has"
    return ""


def _commas(unit: Unit, launch: Launch) -> list[int]:
    """The offsets of the commas between the parts of the configuration, in every branch."""
    text, parts = unit.code.code, launch.configuration
    depth = 0
    commas: list[int] = []
    for at in range(launch.opening.end, launch.closing.start):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        elif (
            text[at] == ","
            and depth == 0
            and not any(part.start <= at < part.end for part in parts)
        ):
            commas.append(at)
    return commas


def _rewrite(unit: Unit, launch: Launch) -> None:
    words = unit.rules.spellings
    kernel, parts, chevrons = launch.kernel, launch.configuration, launch.chevrons
    name = words.kernel_name_macro
    unit.edit(kernel.start, kernel.start, words.launch_macro + "(", _RULE)
    if launch.is_template:
        unit.edit(kernel.start, kernel.start, f"{name}(", _RULE)
        unit.edit(kernel.end, kernel.end, ")", _RULE)
    bounds = [launch.opening.end - 1, *_commas(unit, launch), launch.closing.start]
    spans = [
        around if _splits(unit, around := Span(before + 1, after)) else part
        for part, before, after in zip(parts, bounds, bounds[1:], strict=False)
    ]
    _replace(unit, kernel.end, launch.opening, spans[0].start, ", ")
    for index, span in enumerate(spans):
        if index < 2:
            _wrap_dimension(unit, span)
        elif _has_bare_comma(unit.code.code[span.start : span.end]):
            unit.edit(span.start, span.start, "(", _RULE)
            unit.edit(span.end, span.end, ")", _RULE)
    opened = launch.opened
    missing = ", 0" * (4 - len(parts))
    spaced = unit.code.text[opened + 1] in " \t\r\n"
    separator = (
        "" if not unit.code.text[opened + 1 : launch.closed].strip() else "," if spaced else ", "
    )
    if unit.code.text[chevrons.end : opened].strip():
        unit.edit(opened, opened + 1, "", _RULE)
        opened = chevrons.end - 1
    _replace(unit, spans[-1].end, launch.closing, opened + 1, missing + separator)


def _replace(unit: Unit, start: int, token: Span, end: int, new: str) -> None:
    """Replace a token and the blanks around it; comments on either side stay where they are."""
    text = unit.code.text
    before, after = text[start : token.start], text[token.end : end]
    if before.strip():
        start = token.start if "\n" in before else start + len(before.rstrip())
    if after.strip(" \t\r\n("):
        end = token.end
    unit.edit(start, end, new, _RULE)


def _splits(unit: Unit, span: Span) -> bool:
    """Whether a preprocessor line begins in the span."""
    return any(True for _ in unit.code.directives_within(span))


def _wrap_dimension(unit: Unit, span: Span) -> None:
    dimension = unit.rules.spellings.dimension_type
    text = unit.code.slice(span)
    if text.startswith("{") and text.endswith("}"):
        unit.edit(span.start, span.start + 1, f"{dimension}(", _RULE)
        unit.edit(span.end - 1, span.end, ")", _RULE)
        return
    match = re.match(rf"{dimension}\s*(?=[({{])", text)
    if match:
        opened = span.start + match.end()
        if closing_bracket(unit.code.code, opened) == span.end - 1:
            if text[match.end()] == "{":
                unit.edit(opened, opened + 1, "(", _RULE)
                unit.edit(span.end - 1, span.end, ")", _RULE)
            return
    made = re.match(rf"({unit.rules.spellings.vector_maker})\s*(?=\()", text)
    if made and closing_bracket(unit.code.code, span.start + made.end()) == span.end - 1:
        # HIP's dim3 has no constructor from uint3.
        unit.edit(span.start, span.start + made.end(1), dimension, _RULE)
        return
    what = unit.meanings.arguments.get(span.start)
    if what == "dimensions" and not _has_bare_comma(unit.code.code[span.start : span.end]):
        return
    if (what == "vector" or (what is None and _is_vector(unit, span))) and _PLACE.fullmatch(text):
        text = apply(unit.code.data, unit.take_edits(span), span).decode("latin-1")
        parts = ", ".join(f"{text}.{each}" for each in "xyz")
        unit.edit(span.start, span.end, f"{dimension}({parts})", _RULE, is_known=True)
        return
    unit.edit(span.start, span.start, f"{dimension}(", _RULE, is_known=what is not None)
    unit.edit(span.end, span.end, ")", _RULE, is_known=what is not None)


def _is_vector(unit: Unit, span: Span) -> bool:
    """Whether this is a variable that is declared as a vector."""
    vector = unit.rules.spellings.dimension_vector
    return bool(type_like(unit.declarations, unit.code.slice(span), span.start, vector))


def _has_bare_comma(text: str) -> bool:
    """Whether a macro would split the expression at a comma."""
    depth = 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            return True
    return False
