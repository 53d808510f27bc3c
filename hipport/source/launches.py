"""Turns `kernel<<<grid, block, shared, stream>>>(...)` into a call of HIP's launch macro."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.languages.cuda import Launch, launch_offsets, parse_launch
from hipport.source.tokens import closing_bracket
from hipport.source.unit import Unit

_RULE = "launch"


def rewrite_launches(unit: Unit) -> None:
    """Rewrite every launch that is a statement; HIP's compilers take the others as they are."""
    for chevron in launch_offsets(unit.code):
        launch = parse_launch(unit.code, chevron)
        problem = _problem(unit, launch)
        if launch is None or problem:
            span = Span(chevron, chevron + 3)
            unit.report("HP-LAUNCH-011", span, "<<<>>>", reason=problem)
        else:
            _rewrite(unit, launch)


def _problem(unit: Unit, launch: Launch | None) -> str:
    """Why a launch stays as it is; "" if it need not."""
    if launch is None:
        return "it cannot be told apart from the code around it"
    if not 2 <= len(launch.configuration) <= 4:
        return f"its configuration has {len(launch.configuration)} parts"
    if not launch.is_statement:
        return "it is part of a larger expression, and the macro is a statement"
    if any(
        unit.code.branch_at(comma) != unit.code.branch_at(launch.chevrons.start)
        for comma in _commas(unit, launch)
    ):
        return "a preprocessor conditional decides how many parts its configuration has"
    return ""


def _commas(unit: Unit, launch: Launch) -> list[int]:
    """The offsets of the commas between the parts of the configuration, in every branch."""
    inside = {at for part in launch.configuration for at in range(part.start, part.end)}
    text = unit.code.code
    depth = 0
    commas: list[int] = []
    for at in range(launch.chevrons.start + 3, launch.chevrons.end - 3):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        elif text[at] == "," and depth == 0 and at not in inside:
            commas.append(at)
    return commas


def _rewrite(unit: Unit, launch: Launch) -> None:
    words = unit.rules.vocabulary
    parts = launch.configuration
    kernel = launch.kernel
    head = words["launch_macro"] + "("
    tail = ""
    if launch.is_template:
        head += words["kernel_name_macro"] + "("
        tail = ")"
    unit.edit(kernel.start, kernel.start, head, _RULE)
    commas = [launch.chevrons.start + 2, *_commas(unit, launch)]
    ends = [*commas[1:], launch.chevrons.end - 3]
    unit.edit(
        kernel.end,
        parts[0].start if not _splits(unit, commas[0], ends[0]) else commas[0] + 1,
        f"{tail}, ",
        _RULE,
    )
    for index, part in enumerate(parts):
        around = Span(commas[index] + 1, ends[index])
        span = around if _splits(unit, *around) else part
        if index < 2:
            _wrap_dimension(unit, span)
        elif _has_bare_comma(unit.code.slice(span)):
            unit.edit(span.start, span.start, "(", _RULE)
            unit.edit(span.end, span.end, ")", _RULE)
    last = Span(commas[-1] + 1, ends[-1])
    end = last.end if _splits(unit, *last) else parts[-1].end
    missing = ", 0" * (4 - len(parts))
    opened = launch.call.opened
    text = unit.code.text
    if launch.call.arguments:
        separator = "," if text[opened + 1] in " \t\r\n" else ", "
    else:
        separator = ""
    between = text[launch.chevrons.end : opened].strip()
    kept = f" {between} " if between and not _splits(unit, launch.chevrons.end, opened) else ""
    unit.edit(end, opened + 1, f"{missing}{separator}{kept}", _RULE)


def _splits(unit: Unit, start: int, end: int) -> bool:
    """Whether a preprocessor line stands between the offsets."""
    return any(True for _ in unit.code.directives_within(Span(start, end)))


def _wrap_dimension(unit: Unit, span: Span) -> None:
    dimension = unit.rules.vocabulary["dimension_type"]
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
    unit.edit(span.start, span.start, f"{dimension}(", _RULE)
    unit.edit(span.end, span.end, ")", _RULE)


def _has_bare_comma(text: str) -> bool:
    """Whether a macro would take a comma of the expression for one of its own."""
    depth = 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            return True
    return False
