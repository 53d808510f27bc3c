"""The lines of rules/transforms.tsv, each split when its name is asked for, as most never are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport.rulebook.model import TransformRule

OfNames = Mapping[tuple[str, str], list[TransformRule]]
"""(CUDA name, target `hip` or `roc`) -> its transforms, in the order of the file."""


class Transforms:
    """How arguments and names of calls change; `own` are a user's, in place of a name's others."""

    def __init__(self, lines: Mapping[str, list[str]], own: OfNames) -> None:
        self._lines, self._own = lines, own

    @classmethod
    def of_file(cls, text: str) -> Transforms:
        lines: dict[str, list[str]] = {}
        for line in text.splitlines()[1:]:
            lines.setdefault(line[: line.find("\t")], []).append(line)
        return cls(lines, {})

    def preceded_by(self, own: OfNames) -> Transforms:
        return Transforms(self._lines, {**self._own, **own})

    def of(self, name: str, target: str) -> list[TransformRule]:
        """Those of a CUDA name, in the order of the file."""
        if (name, target) in self._own:
            return self._own[name, target]
        rules = (TransformRule(*line.split("\t")) for line in self._lines.get(name, ()))
        return [each for each in rules if each.target == target]

    def every(self) -> Iterator[tuple[tuple[str, str], list[TransformRule]]]:
        """All names, each with its transforms."""
        written = ((name, line.split("\t")[1]) for name, all in self._lines.items() for line in all)
        for key in dict.fromkeys((*written, *self._own)):
            yield key, self.of(*key)
