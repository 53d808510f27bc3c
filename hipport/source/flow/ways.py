"""Which names lead to others, by what they stand for: one that leads nowhere is not followed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set


class Ways:
    """The ways to some names, as far as they are known."""

    def __init__(self, ends: Set[str]) -> None:
        self._ends = ends
        self._known: dict[str, bool] = {}

    def lead_there(self, names: Iterable[str], stands_for: Callable[[str], Iterable[str]]) -> bool:
        """Whether any of the names is one of the ends, or leads to one.

        `stands_for` gives the names in what a name stands for.
        """
        return any(self._leads_there(each, stands_for) for each in names)

    def _leads_there(self, name: str, stands_for: Callable[[str], Iterable[str]]) -> bool:
        known = self._known.get(name)
        if known is not None:
            return known
        came_from: dict[str, str | None] = {name: None}
        todo = [name]
        while todo:
            at: str | None = todo.pop()
            assert at is not None
            if at in self._ends or self._known.get(at):
                while at is not None:
                    self._known[at] = True
                    at = came_from[at]
                return True
            if at in self._known:
                continue
            for each in stands_for(at):
                if each not in came_from:
                    came_from[each] = at
                    todo.append(each)
        self._known.update(dict.fromkeys(came_from, False))
        return False
