"""What changed between two binaries: targets, kernels, resources, sizes."""

from __future__ import annotations

from collections.abc import Iterable

from hipport.fatbin.questions.binary_survey import COMPARED, Survey
from hipport.named_tuples import NamedTuple

Resources = tuple[int, ...]


class Changed(NamedTuple):
    """A kernel on both sides whose needs have changed."""

    target: str
    name: str
    before: Resources
    after: Resources

    def changes(self) -> dict[str, tuple[int, int]]:
        """Resource -> before and after, where they differ."""
        return {
            column: (old, new)
            for column, old, new in zip(COMPARED, self.before, self.after, strict=True)
            if old != new
        }


class Difference(NamedTuple):
    targets_gained: list[str]
    targets_lost: list[str]
    gained: list[tuple[str, str]]
    """(Target, kernel) pairs that only the new side has, in targets that both have."""
    lost: list[tuple[str, str]]
    changed: list[Changed]
    sizes: dict[str, tuple[int, int]]
    """Target -> bytes of its images before and after, where they differ."""

    def __bool__(self) -> bool:
        return any(self)


def difference(old: Iterable[Survey], new: Iterable[Survey]) -> Difference:
    """Compares all binaries of one side with all of the other. A kernel that is in several
    bundles counts once for each target, with the largest of each resource."""
    old_kernels, old_sizes = _gather(old)
    new_kernels, new_sizes = _gather(new)
    both = old_sizes.keys() & new_sizes.keys()
    return Difference(
        sorted(new_sizes.keys() - old_sizes.keys()),
        sorted(old_sizes.keys() - new_sizes.keys()),
        sorted(key for key in new_kernels.keys() - old_kernels.keys() if key[0] in both),
        sorted(key for key in old_kernels.keys() - new_kernels.keys() if key[0] in both),
        [
            Changed(*key, old_kernels[key], new_kernels[key])
            for key in sorted(old_kernels.keys() & new_kernels.keys())
            if old_kernels[key] != new_kernels[key]
            if old_kernels[key] and new_kernels[key]
        ],
        {
            target: (old_sizes[target], new_sizes[target])
            for target in sorted(both)
            if old_sizes[target] != new_sizes[target]
        },
    )


def _gather(
    surveys: Iterable[Survey],
) -> tuple[dict[tuple[str, str], Resources], dict[str, int]]:
    kernels: dict[tuple[str, str], Resources] = {}
    sizes: dict[str, int] = {}
    for survey in surveys:
        for image in survey.images:
            target = str(image.entry.target or image.target)
            sizes[target] = sizes.get(target, 0) + image.entry.size
            for name, resources in image.kernels.items():
                known = kernels.get((target, name))
                if known is not None:
                    resources = tuple(map(max, known, resources))
                kernels[target, name] = resources
        for entry, names in survey.uncompiled.items():  # their needs are not known yet
            target = str(entry.target or "")
            sizes[target] = sizes.get(target, 0) + entry.size
            for name in names:
                kernels.setdefault((target, name), ())
    return kernels, sizes
