"""What the compiler told of all units, and the files that it told of."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from hipport.semantic.variables import Place
from hipport.source.code import Code
from hipport.source.languages.declarations import Declarations

if TYPE_CHECKING:
    import tree_sitter

_WORD = re.compile(r"[A-Za-z_]\w*")


class Declared(NamedTuple):
    """What is known of a declaration: of what class what it holds is, or what it returns.

    `parameters` are those of a function; None for a variable.
    """

    holds: str
    is_safe: bool
    parameters: tuple[Place, ...] | None = None


@dataclass
class Program:
    """What all units said: declarations, and what each place names (None: they disagree)."""

    declared: dict[Place, Declared] = field(default_factory=dict)
    uses: dict[Place, Place | None] = field(default_factory=dict)
    units: list[frozenset[str]] = field(default_factory=list)
    """The files that each unit read."""
    doubtful: set[str] = field(default_factory=set)
    """Units that did not compile: they may name what nothing tells of."""
    _beside: dict[str, frozenset[str]] = field(default_factory=dict)

    def add(self, unit: str, answer: Mapping[str, Any]) -> None:
        """Add what the answer for a unit says."""
        self.units.append(frozenset(answer.get("read", ())))
        if "problem" in answer or answer["errors"]:
            self.doubtful.add(unit)
        for path, offset, holds, is_safe, parameters in answer.get("declared", ()):
            taken = None if parameters is None else tuple((at[0], at[1]) for at in parameters)
            known = Declared(holds, is_safe, taken)
            before = self.declared.setdefault((path, offset), known)
            if before != known:
                self.declared[path, offset] = before._replace(is_safe=False)
        for path, offset, of, at in answer.get("uses", ()):
            known_use = self.uses.get((path, offset), (of, at))
            self.uses[path, offset] = known_use if known_use == (of, at) else None

    @cached_property
    def read(self) -> frozenset[str]:
        """The files that some unit read."""
        return frozenset().union(*self.units)

    def beside(self, path: str) -> frozenset[str]:
        """The files that some unit read together with one."""
        if path not in self._beside:
            units = (unit for unit in self.units if path in unit)
            self._beside[path] = frozenset().union(*units)
        return self._beside[path]


class Source:
    """One file's text, its syntax, and what is named where."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.code = path, Code(data)
        self.named: dict[int, str] = {}

    @cached_property
    def root(self) -> tree_sitter.Node:
        return Declarations(self.code).root

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """Each word of the code, with its places."""
        found: dict[str, list[int]] = defaultdict(list)
        for match in _WORD.finditer(self.code.code):
            found[match[0]].append(match.start())
        return found

    @cached_property
    def places(self) -> list[int]:
        return sorted(self.named)

    def named_in(self, start: int, end: int) -> Iterator[str]:
        for at in self.places[bisect_left(self.places, start) : bisect_left(self.places, end)]:
            yield self.named[at]

    def word(self, at: int) -> str:
        """The word at a place."""
        match = _WORD.match(self.code.code, at)
        return match[0] if match else ""

    def node(self, offset: int, length: int) -> tree_sitter.Node | None:
        """The name at an offset; None in a preprocessor line, and where the syntax is unclear."""
        if self.code.directive_at(offset) is not None:
            return None
        node = self.root.named_descendant_for_byte_range(offset, offset + length)
        if node is None or (node.start_byte, node.end_byte) != (offset, offset + length):
            return None
        return None if node.parent is None or node.parent.type == "ERROR" else node
