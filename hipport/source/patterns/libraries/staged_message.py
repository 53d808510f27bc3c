"""Messages of MPI through a buffer on the host that is only copied from the GPU, or to it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.buffer_calls import BufferUse, arguments_of, buffer_named, messages
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import matches

# A brace in the first column ends a function, as people write them.
_END = "\n}"
_FARTHEST = 8_000


class Keys(RuleKeys, frozen=True):
    to_host: Regex
    to_device: Regex
    host_helpers: Regex
    """Names of any functions and methods that copy to the host."""
    device_helpers: Regex
    prefix: str
    in_place: str
    """What is given for a buffer that is the next argument."""
    sends: dict[str, int]
    """Function without the prefix -> which argument is sent."""
    receives: dict[str, int]


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each message whose buffer is filled from, or goes to, the GPU and nothing else."""
    keys, text = rule.read(Keys), unit.code.code
    sent, received = (
        list(messages(text, keys.prefix, keys.in_place, each))
        for each in (keys.sends, keys.receives)
    )
    if not (sent or received):
        return
    filled, drained = [], []
    for use in unit.of(rule.names):
        arguments = arguments_of(text, use.span.end)
        if len(arguments) >= 4:
            call = Span(use.span.start, arguments[-1].end)
            kind = text[arguments[3].start : arguments[3].end]
            if re.search(keys.to_host, kind):
                filled.append(BufferUse(call, buffer_named(text, arguments[0])))
            elif re.search(keys.to_device, kind):
                drained.append(BufferUse(call, buffer_named(text, arguments[1])))
    filled += _helped(text, keys.host_helpers)
    drained += _helped(text, keys.device_helpers)
    staged = {message.call.start: message.name for _, message in _leading(text, filled, sent)}
    for message, _ in _leading(text, received, drained):
        staged.setdefault(message.call.start, message.name)
    for start, buffer in staged.items():
        span = Span(start, text.index("(", start))
        unit.report(rule.id, span, unit.code.slice(span).strip(), {"buffer": buffer})


def _helped(text: str, helpers: str) -> Iterator[BufferUse]:
    """Calls of helpers, each with the object and the arguments that it may copy."""
    shape = rf"(?:(?P<object>\b[A-Za-z_]\w*)(?:\.|->))?\b{helpers}(?=\s*\()"
    for match in matches(shape, text):
        arguments = arguments_of(text, match.end())
        end = arguments[-1].end if arguments else match.end()
        names = [match["object"] or "", *(buffer_named(text, each) for each in arguments)]
        yield from (BufferUse(Span(match.start(), end), name) for name in names if name)


def _leading(
    text: str, first: list[BufferUse], second: list[BufferUse]
) -> Iterator[tuple[BufferUse, BufferUse]]:
    """The pairs of calls of which the first leads to the second."""
    first = sorted(first, key=_end)
    for then in second:
        start = then.call.start
        near = slice(*(bisect_left(first, at, key=_end) for at in (start - _FARTHEST, start)))
        yield from ((each, then) for each in first[near] if _leads_to(text, each, then))


def _end(use: BufferUse) -> int:
    return use.call.end


def _leads_to(text: str, first: BufferUse, second: BufferUse) -> bool:
    """Whether the second call of a function works on what the first left, and nothing between."""
    between = text[first.call.end : second.call.start]
    names = (first.name, second.name)
    if not all(names) or not _is_part(*names) or not 0 < len(between) < _FARTHEST:
        return False
    return _END not in between and not re.search(rf"\b{re.escape(first.name)}\b", between)


def _is_part(one: str, other: str) -> bool:
    """Whether two names are the same, or one is a member of the other."""
    inner, outer = max(one, other, key=len), min(one, other, key=len)
    return inner == outer or inner.startswith((f"{outer}.", f"{outer}->"))
