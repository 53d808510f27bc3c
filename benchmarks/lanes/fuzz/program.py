"""A program as a tree of statements: what is written out, and what a smaller one leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of code, or a block: its head, the statements in it, its end."""

    head: str
    inside: tuple[Statement, ...] = ()
    end: str = ""


Statements = tuple[Statement, ...]


def block(head: str, *inside: Statement, end: str = "}") -> Statement:
    return Statement(f"{head} {{", inside, end)


def lines(*texts: str) -> list[Statement]:
    return [Statement(text) for text in texts]


def written(statements: Statements) -> str:
    return "".join(f"{line}\n" for line in _lines(statements, ""))


def _lines(statements: Statements, indent: str) -> Iterator[str]:
    for each in statements:
        yield indent + each.head
        yield from _lines(each.inside, indent + "    ")
        if each.end:
            yield indent + each.end


def smaller(statements: Statements) -> Iterator[Statements]:
    """The program with less in it: many statements in a row first, then single ones, then parts."""
    size = len(statements)
    while size:
        for start in range(0, len(statements), size):
            yield statements[:start] + statements[start + size :]
        size //= 2
    for place, each in enumerate(statements):
        for inside in smaller(each.inside):
            changed = replace(each, inside=inside)
            yield (*statements[:place], changed, *statements[place + 1 :])
