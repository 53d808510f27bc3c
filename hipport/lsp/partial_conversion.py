"""The parts of a text that can be converted alone: a call, a launch, a name, a selection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.errors import printable
from hipport.lsp.checked_text import SOURCES, CheckedText, PlannedEdit
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.languages.cuda_syntax import launch_offsets, parse_launch
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.source_text import Code

_LAUNCH = "launch"
_RUNTIME = "header:implicit"
_LONGEST = 40


class Part(NamedTuple):
    """A part of a text, and how its conversion is offered."""

    title: str
    span: Span
    edits: tuple[PlannedEdit, ...]


def parts(checked: CheckedText) -> list[Part]:
    """Each launch, call and name that a conversion would change, in the order of the text."""
    if not checked.edits:
        return []
    if checked.kind not in SOURCES:
        return [_part(checked, each.span, _renaming(each)) for each in checked.edits if each.old]
    code = Code(checked.text.data)
    found = list(launches(checked, code))
    for edit in checked.edits:
        if edit.old and edit.rule != _LAUNCH:
            found.append(_part(checked, _call(code, edit.span), _renaming(edit)))
    return sorted(found, key=lambda each: each.span)


def launches(checked: CheckedText, code: Code) -> Iterator[Part]:
    """Each kernel launch that a conversion would change."""
    starts = [each.span.start for each in checked.edits if each.rule == _LAUNCH]
    for chevron in launch_offsets(code) if starts else ():
        launch = parse_launch(code, chevron)
        if launch and any(launch.kernel.start <= start <= launch.closed for start in starts):
            kernel = _shown(code.slice(launch.kernel))
            span = Span(launch.kernel.start, launch.closed + 1)
            yield _part(checked, span, f"Convert the launch of `{kernel}`")


def selected(checked: CheckedText, span: Span) -> Part:
    """What a conversion would change inside a span."""
    part = _part(checked, span, "")
    return part._replace(title=f"Convert the selection ({_number(len(part.edits))})")


def whole(checked: CheckedText) -> Part:
    """All that a conversion would change."""
    title = f"Convert this file to HIP ({_number(len(checked.edits))})"
    return Part(title, Span(0, len(checked.text.data)), checked.edits)


def _number(edits: int) -> str:
    return f"{edits:,} edit{'' if edits == 1 else 's'}"


def _part(checked: CheckedText, span: Span, title: str) -> Part:
    """A part with what it needs elsewhere: the runtime header, and the helpers that it calls."""
    edits = _within(checked.edits, span)
    rules = {each.rule for each in edits}
    needed = [
        each
        for each in checked.edits
        if _is_line(each) and each not in edits and (each.rule == _RUNTIME or each.rule in rules)
    ]
    return Part(title, span, (*(needed if edits else ()), *edits))


def _within(edits: Iterable[PlannedEdit], span: Span) -> tuple[PlannedEdit, ...]:
    return tuple(
        each for each in edits if span.start <= each.span.start and each.span.end <= span.end
    )


def _is_line(edit: PlannedEdit) -> bool:
    """Whether an edit inserts lines: an include, or the text of a helper."""
    return not edit.old and edit.new.endswith("\n")


def _call(code: Code, name: Span) -> Span:
    """The call of a name; the name alone where it is not called."""
    opened = skip(code.code, name.end)
    closed = closing_bracket(code.code, opened) if code.code.startswith("(", opened) else None
    return name if closed is None else Span(name.start, closed + 1)


def _renaming(edit: PlannedEdit) -> str:
    new = _shown(edit.new)
    return f"Convert `{_shown(edit.old)}` to `{new}`" if new else f"Remove `{_shown(edit.old)}`"


def _shown(text: str) -> str:
    text = printable(" ".join(text.split()))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
