"""Changes the arguments of a call as rules/transforms.tsv says.

Indices count the arguments of the CUDA call from 0; "move 8+2 to 13" takes two arguments from
index 8 and puts them before what was index 13.
"""

from __future__ import annotations

import re
from itertools import pairwise

from hipport.model import Span
from hipport.source.decide import Decision
from hipport.source.edits import apply
from hipport.source.languages.cuda import Call, parse_call
from hipport.source.rules import TransformRule
from hipport.source.tokens import skip
from hipport.source.unit import Unit, Use

_VOID_CAST = re.compile(
    r"\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)|(?:reinterpret|static)_cast\s*<"
)
_UNCOUNTED = re.compile(r"__VA_ARGS__|\.\.\.")


def change_call(unit: Unit, use: Use, decision: Decision) -> str:
    """Rename the callee and change its arguments; returns why it cannot be done, or ""."""
    rule = f"api:{use.name}"
    text = unit.code.code
    if not re.match(r"[(<]", text[skip(text, use.span.end) :][:1]):
        unit.edit(use.span.start, use.span.end, decision.new, rule)
        if not decision.finding and any(each.operation != "rename" for each in decision.transforms):
            reason = "calls through this name need other arguments than CUDA's"
            unit.report("HP-API-003", use.span, use.name, {**decision.words, "reason": reason})
        return ""
    if all(each.operation == "differs" for each in decision.transforms):
        unit.edit(use.span.start, use.span.end, decision.new, rule)
        return ""
    call = parse_call(unit.code, use.span)
    if call is None:
        return "its arguments cannot be told apart for certain here"
    count = len(call.arguments)
    uncounted = next(
        (i for i, span in enumerate(call.arguments) if _UNCOUNTED.search(unit.code.slice(span))),
        None,
    )
    name = decision.new
    pending: list[TransformRule] = []
    for transform in decision.transforms:
        if transform.arguments and uncounted is not None:
            return "the number of its arguments is not known here"
        fits = not transform.arguments or str(count) in transform.arguments.split()
        if transform.operation == "accept":
            if not fits:
                return transform.note
        elif transform.operation == "rename":
            name = transform.value if fits else name
        elif fits and transform.operation != "differs":
            if uncounted is not None and _highest_index(transform) >= uncounted:
                return "the number of its arguments is not known here"
            if transform.operation != "insert" and _highest_index(transform) > count:
                return f"it is called with {count} arguments, not as documented"
            pending.append(transform)
    unit.edit(use.span.start, use.span.end, name, rule)
    if any(each.operation in ("move", "copy") for each in pending):
        _rebuild(unit, call, pending, rule)
    else:
        for transform in pending:
            _change_in_place(unit, call, transform, rule)
    return ""


def _highest_index(transform: TransformRule) -> int:
    first, _, length = transform.index.partition("+")
    last = int(first) + int(length or 1) - 1
    return max(last, int(transform.value) - 1) if transform.operation == "move" else last


def _wrapped(unit: Unit, transform: TransformRule, argument: str) -> tuple[str, str]:
    """What goes before and behind an argument that is wrapped or cast."""
    template = transform.value
    if transform.operation == "cast":
        if _VOID_CAST.match(argument):
            return "", ""
        key = f"{transform.value}_cast_c" if unit.language == "c" else f"{transform.value}_cast"
        template = unit.rules.vocabulary[key]
    before, _, behind = template.partition("{}")
    return before, behind


def _change_in_place(unit: Unit, call: Call, transform: TransformRule, rule: str) -> None:
    arguments = call.arguments
    index = int(transform.index)
    if transform.operation == "insert":
        if index < len(arguments):
            unit.edit(arguments[index].start, arguments[index].start, f"{transform.value}, ", rule)
        else:
            end = arguments[-1].end if arguments else call.opened + 1
            unit.edit(end, end, f", {transform.value}" if arguments else transform.value, rule)
        return
    if index >= len(arguments):
        return
    span = arguments[index]
    if transform.operation in ("wrap", "cast"):
        argument = unit.code.slice(span)
        before, behind = _wrapped(unit, transform, argument)
        if before and not argument.startswith(before):
            unit.edit(span.start, span.start, before, rule)
            unit.edit(span.end, span.end, behind, rule)
    elif transform.operation == "replace":
        unit.take_edits(span)
        unit.edit(span.start, span.end, transform.value, rule)
    elif transform.operation == "remove":
        unit.take_edits(span)
        if index + 1 < len(arguments):
            unit.edit(span.start, arguments[index + 1].start, "", rule)
        else:
            unit.edit(arguments[index - 1].end if index else span.start, span.end, "", rule)


def _rebuild(unit: Unit, call: Call, transforms: list[TransformRule], rule: str) -> None:
    """Write the whole argument list anew; the separators keep their places."""
    spans = call.arguments
    texts = [_converted(unit, span) for span in spans]
    separators = [unit.code.slice(Span(a.end, b.start)) for a, b in pairwise(spans)]
    before: list[list[str]] = [[] for _ in range(len(texts) + 1)]
    kept: list[str | None] = list(texts)
    for transform in transforms:
        first, _, length = transform.index.partition("+")
        index = int(first)
        if transform.operation == "move":
            for each in range(index, index + int(length)):
                before[int(transform.value)].append(texts[each])
                kept[each] = None
        elif transform.operation == "copy":
            before[int(transform.value)].append(texts[index])
        elif transform.operation == "insert":
            before[min(index, len(texts))].append(transform.value)
        elif transform.operation == "remove":
            kept[index] = None
        elif transform.operation == "replace":
            kept[index] = transform.value
        else:
            opening, closing = _wrapped(unit, transform, texts[index])
            kept[index] = f"{opening}{texts[index]}{closing}"
    result = [
        text
        for index in range(len(texts) + 1)
        for text in [*before[index], *([kept[index]] if index < len(texts) else [])]
        if text is not None
    ]
    separators += [", "] * (len(result) - 1 - len(separators))
    joined = result[0] + "".join(
        separator + text for separator, text in zip(separators, result[1:], strict=False)
    )
    unit.edit(spans[0].start, spans[-1].end, joined, rule)


def _converted(unit: Unit, span: Span) -> str:
    """An argument's text with the edits inside it applied; they are consumed."""
    return apply(unit.code.data, unit.take_edits(span), span).decode("latin-1")
