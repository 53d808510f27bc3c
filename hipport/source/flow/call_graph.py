"""Which functions of a file call which."""

from __future__ import annotations

from collections.abc import Collection

from hipport.lazy_regex import regex
from hipport.source.flow.device_functions import Function

_NAME = regex(r"[A-Za-z_]\w*")


def callers(text: str, functions: Collection[Function]) -> dict[str, set[str]]:
    """Function of a text -> those that name it in their bodies."""
    names = {each.name for each in functions}
    found: dict[str, set[str]] = {name: set() for name in names}
    for each in functions:
        for called in names.intersection(_NAME.findall(text, *each.body)):
            found[called].add(each.name)
    return found
