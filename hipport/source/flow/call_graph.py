"""Which functions of a file call which."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hipport.source.flow.values import Values

_NAME = re.compile(r"[A-Za-z_]\w*")


def callers(every: Iterable[Values]) -> dict[str, set[str]]:
    """Function -> those that name it in their bodies."""
    every = list(every)
    names = {each.function.name for each in every}
    found: dict[str, set[str]] = {name: set() for name in names}
    for each in every:
        text = each.code.code[slice(*each.function.body)]
        for called in names.intersection(_NAME.findall(text)):
            found[called].add(each.function.name)
    return found


def reached_from(name: str, calls: dict[str, set[str]]) -> set[str]:
    """The function itself, and all that call it, directly or through others."""
    found, new = {name}, [name]
    while new:
        more = calls.get(new.pop(), set()) - found
        found |= more
        new += more
    return found
