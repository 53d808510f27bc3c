"""The findings of the HTML report: one card each, with the lines around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import dedent

from hipport.model import Finding
from hipport.named_tuples import NamedTuple
from hipport.report.context import Context, more_places, place_of

_MOST_EXCERPTS = 2000
_LONGEST_LINE = 160


class Line(NamedTuple):
    """A line of an excerpt; a hit is where the finding is."""

    text: str
    is_hit: bool


class Card(NamedTuple):
    """What the page shows of a finding."""

    finding: Finding
    place: str
    title: str
    excerpt: list[Line]
    more: str
    """How many further places it has, and what of."""
    links: tuple[str, ...]


def cards(shown: list[Finding], context: Context) -> Iterator[Card]:
    """A card for each finding; those at the end of very many have no excerpt."""
    excerpts = _excerpts(shown[:_MOST_EXCERPTS], context)
    for each in shown:
        yield Card(
            each,
            place_of(each),
            context.title(each),
            excerpts.get(id(each), []),
            more_places(each).replace("`", ""),
            context.documentation(each),
        )


def codes(shown: Iterable[Finding], context: Context) -> list[tuple[str, str]]:
    """The codes to choose from, each with its title."""
    examples = {each.code: each for each in shown}
    return [(code, context.title(examples[code])) for code in sorted(examples)]


def _excerpts(findings: Iterable[Finding], context: Context) -> dict[int, list[Line]]:
    """The lines around each finding, by its id(); files are read one after the other."""
    found = {}
    for each in sorted(findings, key=lambda each: (each.path, each.start)):
        around = context.lines.around(each.path, each.start.line)
        if around:
            # The indentation that all of them have says nothing, and a telephone has no room.
            lines = dedent("\n".join(line.expandtabs(4) for _, line in around)).split("\n")
            found[id(each)] = [
                Line(_row(number, line), number == each.start.line)
                for (number, _), line in zip(around, lines, strict=True)
            ]
    return found


def _row(number: int, text: str) -> str:
    cut = text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"
    return f"{number:>5}  {cut}"
