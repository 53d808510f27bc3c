"""Where a file's device functions are: found by their keywords and brackets, without a parse."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.tokens import closing_bracket, word_before
from hipport.source.unit import Unit

_TOKEN = re.compile(r"[(){};=]")


def device_bodies(unit: Unit) -> list[Span]:
    """The bodies of the functions that run on the device alone, in order."""
    words = unit.rules.vocabulary
    text = unit.code.code
    bodies: list[Span] = []
    for match in re.finditer("|".join(map(re.escape, words["device_function_keywords"])), text):
        neighbours = text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
        body = _body(text, match.end())
        if body is None or words["host_keyword"] in neighbours:
            continue
        if words["host_keyword"] not in text[match.end() : body.start]:
            bodies.append(body)
    return bodies


def _body(text: str, start: int) -> Span | None:
    """The braces of the function whose declaration goes on at `start`; None for anything else."""
    at = start
    has_parameters = False
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match[0] == "(":
            closed = closing_bracket(text, match.start())
            if closed is None:
                return None
            # `__launch_bounds__(256)` and attributes have parentheses too; a name comes before.
            word = word_before(text, match.start())
            has_parameters = has_parameters or word.start < word.end
            at = closed + 1
        elif match[0] == "{" and has_parameters:
            closed = closing_bracket(text, match.start())
            return Span(match.start(), closed) if closed else None
        else:
            return None
    return None
