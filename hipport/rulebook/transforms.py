"""The lines of rules/transforms.tsv, each split when its name is asked for, as most never are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport.rulebook.model import TransformRule, rows_about

OfNames = Mapping[tuple[str, str], list[TransformRule]]
"""(CUDA name, target `hip` or `roc`) -> its transforms, in the order of the file."""


class Transforms:
    """How arguments and names of calls change; `own` are a user's, in place of a name's others."""

    def __init__(self, text: str, own: OfNames) -> None:
        """`text` is that of the file, which is sorted."""
        self._text, self._own = text, own

    def preceded_by(self, own: OfNames) -> Transforms:
        return Transforms(self._text, {**self._own, **own})

    def of(self, name: str, target: str) -> list[TransformRule]:
        """Those of a CUDA name, in the order of the file."""
        if (name, target) in self._own:
            return self._own[name, target]
        rules = (TransformRule(*row) for row in rows_about(name, self._text))
        return [each for each in rules if each.target == target]

    def every(self) -> Iterator[tuple[tuple[str, str], list[TransformRule]]]:
        """All names, each with its transforms."""
        rows = (line.split("\t") for line in self._text.splitlines()[1:])
        for key in dict.fromkeys((*((name, target) for name, target, *_ in rows), *self._own)):
            yield key, self.of(*key)
