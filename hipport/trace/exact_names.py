"""Asks libclang which kernels the launches of a build name, by their mangled names."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from hipport.errors import HipportError
from hipport.model import Position
from hipport.named_tuples import NamedTuple
from hipport.trace.binary_kernels import has_identifier
from hipport.trace.exact_jobs import Jobs
from hipport.trace.model import Launch
from hipport.verification.parser_process import SECONDS, Child

_PROGRAM = Path(__file__).with_name("exact_child.py")


class Reference(NamedTuple):
    """A place of a source that names a kernel."""

    place: Position
    kernel: str
    """Its mangled name."""
    is_cuda: bool
    """Whether it was compiled as CUDA."""


class ExactNames:
    """What libclang found at places in the sources."""

    def __init__(self, references: Mapping[str, list[Reference]]) -> None:
        self._references = references

    def of(self, launch: Launch) -> tuple[Reference, ...]:
        """The kernels that a launch names; none if unknown.

        Its arguments may name others: if the launch has a name, that name counts."""
        within = (
            each._replace(place=launch.start)
            for each in self._references.get(launch.path, ())
            if launch.start <= each.place <= launch.end
        )
        last = frozenset((launch.name.last,)) if launch.name else None
        return tuple(
            dict.fromkeys(
                each for each in within if last is None or has_identifier(each.kernel, last)
            )
        )


NO_NAMES = ExactNames({})


def exact_names(
    sources: Mapping[Path, str],
    units: Collection[str],
    kernels: Iterable[str],
    jobs: Jobs,
    complain: Callable[[str], None],
) -> ExactNames:
    """The references in the units of a build.

    `sources` are files and their names in reports, `units` those names that are compiled if the
    build has them, `kernels` the last parts of kernels' names. A unit with errors says nothing for
    certain: `complain` is given the first of them.
    """
    names = {os.path.normpath(path.absolute()): name for path, name in sources.items()}
    found: dict[str, set[Reference]] = defaultdict(set)
    wanted = sorted(kernels)
    children: dict[str, Child] = {}
    try:
        for path, name in names.items():
            try:
                job = jobs.of(Path(path)) if name in units else None
            except HipportError as error:
                complain(f"{name}: its launches are matched without libclang: {error}")
                continue
            if job is None:
                continue
            child = children.setdefault(job.library, Child(job.library, SECONDS, _PROGRAM))
            answer = child.ask({**job.question, "names": wanted})
            problem = answer.get("problem") or next(iter(answer["errors"]), "")
            if problem:
                complain(f"{name}: its launches are matched without libclang: {problem}")
            for place, line, column, kernel in answer.get("found", ()):
                if place in names:
                    reference = Reference(Position(line, column), kernel, job.is_cuda)
                    found[names[place]].add(reference)
    finally:
        for child in children.values():
            child.end()
    return ExactNames({name: sorted(each) for name, each in found.items()})
