"""What others publish for NVIDIA's GPUs alone: names that several findings look for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from hipport.named_tuples import NamedTuple
from hipport.rulebook.edition import rules_folder
from hipport.rulebook.typed import malformed


class NvidiaOnly(NamedTuple):
    """One line of rules/nvidia_only.tsv; `kind` is what a finding's key `known` asks for."""

    kind: str
    name: str
    modules: str = ""
    """The modules of a Python package, if their names are not its own; "-" for none."""
    instead: str = ""

    @property
    def imported(self) -> list[str]:
        """The full names of its modules."""
        return [] if self.modules == "-" else (self.modules or _module(self.name)).split()


def _module(name: str) -> str:
    return name.replace("-", "_")


@cache
def _rows() -> tuple[NvidiaOnly, ...]:
    _, *lines = (rules_folder() / "nvidia_only.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(NvidiaOnly(*each.split("\t")) for each in lines)


def with_known(table: dict[str, Any], place: str) -> dict[str, Any]:
    """A finding's table with the names that its expressions ask for: `{crate}`, `{crate modules}`.

    They are hints, and have their own advice. RuleError for a kind that has no names.
    """
    rows = [each for each in _rows() if each.kind in table["known"]]
    texts: dict[str, str] = {}
    hints: set[str] = set()
    advice: dict[str, str] = {}
    for kind in table["known"]:
        of_kind = [each for each in rows if each.kind == kind]
        if not of_kind:
            raise malformed(place, f"known: {kind!r} is unknown")
        texts[f"{{{kind}}}"] = _any_of(each.name for each in of_kind)
        texts[f"{{{kind} modules}}"] = _any_of(name for each in of_kind for name in each.imported)
    for each in rows:
        hints |= {each.name, _module(each.name), *(name.split(".")[0] for name in each.imported)}
        advice |= dict.fromkeys((each.name, *each.imported), each.instead)
    filled = {key: _filled(value, texts) for key, value in table.items()}
    filled["hints"] = [*table.get("hints", ()), *sorted(hints)]
    advice = {name: text for name, text in advice.items() if text}
    return {**filled, "instead": advice | table.get("instead", {})}


def _any_of(names: Iterable[str]) -> str:
    """An expression for any of some names; a dash in one may be an underline."""
    longest = sorted(names, key=lambda each: (-len(each), each))
    return "|".join(re.escape(each).replace(r"\-", "[-_]") for each in longest)


def _filled(value: Any, texts: dict[str, str]) -> Any:
    """A key's value with the names in the places for them."""
    if isinstance(value, list):
        return [_filled(each, texts) for each in value]
    if isinstance(value, str):
        for place, text in texts.items():
            value = value.replace(place, text)
    return value
