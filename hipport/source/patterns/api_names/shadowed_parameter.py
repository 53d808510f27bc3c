"""Declarations that hide a template parameter: [temp.local] forbids them, nvcc takes them."""

from __future__ import annotations

from bisect import bisect_left

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.function_marks import marks
from hipport.source.names.declaring_tokens import may_declare_variable
from hipport.source.names.variables import template_parameters, variable_at
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_brace, occurrences

_BODY = regex(r"[;{]")
_WORD = regex(r"[A-Za-z_]\w*")
_BRACKET = regex(r"[<(\[{]|(?<!-)>(?!=)|[)\]}]")


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each variable in a function with the name of a parameter of its template."""
    text = unit.code.code
    starts = [each.span.start for each in marks(unit.code, unit.rules)]
    reported: set[int] = set()
    for start in occurrences(text, "template"):
        opened = _BODY.search(text, start)
        if opened is None or opened[0] == ";":
            continue
        # The parameters come before the keywords of the function.
        if bisect_left(starts, start) == bisect_left(starts, opened.start()):
            continue
        closed = closing_brace(text, opened.start())
        if closed is None:
            continue
        found = unit.code.of_part(_places, Span(start, closed))
        places = [Span(start + first, start + last) for first, last in found]
        places = [each for each in places if each.start not in reported]
        names = template_parameters(text[start : opened.start()]) if places else ()
        for place in places:
            name = text[slice(*place)]
            if name in names and variable_at(unit.declarations, place):
                reported.add(place.start)
                unit.report(rule.id, place, name)


def _places(text: str) -> list[Span]:
    """Where names in the head of a template may be declared again in its body, in order."""
    opened = text.index("{")
    return sorted(
        place
        for name in set(_WORD.findall(_parameters(text[:opened])))
        for at in occurrences(text, name, opened)
        if may_declare_variable(text, place := Span(at, at + len(name)))
        and not _is_argument(text, opened, at)
    )


def _parameters(head: str) -> str:
    """What `template <...>` begins with: a `>` in it that does not end it has parentheses."""
    opened: list[str] = []
    for match in _BRACKET.finditer(head):
        if match[0] == ">":
            if opened[-1:] == ["<"]:
                opened.pop()
        elif match[0] in "<([{":
            opened.append(match[0])
        else:
            while opened and opened.pop() == "<":
                pass  # It was less than.
        if not opened:
            return head[: match.end()]
    return head


def _is_argument(text: str, first: int, at: int) -> bool:
    """Whether the statement has a `<` before the place that is still open: `f<T, N>(x)`."""
    before = text[max(text.rfind(mark, first, at) for mark in ";{}") : at]
    return before.count("<") > before.count(">")
