"""Traces single texts, as an editor has them, against the same binaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hipport.errors import HipportError, os_error
from hipport.fatbin.limits import Limits
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.runs.trace import kernels_of
from hipport.runs.watch import Faults, Watch
from hipport.trace.join import join, wanted_names
from hipport.trace.model import Trace
from hipport.trace.source_tree import read_tree


class TracedText(NamedTuple):
    """What is known of the kernels of a text."""

    trace: Trace
    faults: tuple[str, ...]
    """What could not be read of the binaries."""


class TextTraces:
    """Keeps the last trace, until the text or a binary changes."""

    def __init__(self, binaries: Iterable[Path]) -> None:
        self._binaries = tuple(binaries)
        self._text: tuple[str, bytes] | None = None
        self._stamps: list[object] = []
        self._last: TracedText | None = None

    def of_kernel(self, kernel: str, name: str, data: bytes, rules: RuleSet) -> TracedText | None:
        """The trace of a text; None if it neither defines nor launches a kernel of that name.

        Binaries are read for such a kernel only.
        """
        if not self._binaries:
            return None
        if self._text != (name, data):
            self._text, self._last = (name, data), None
            self._tree = read_tree([(name, data)], rules)
        if kernel not in wanted_names(self._tree):
            return None
        stamps = list(self._now())
        if self._last is None or stamps != self._stamps:
            self._stamps = stamps
            self._last = self._traced()
        return self._last

    def _traced(self) -> TracedText:
        faults = Faults(Watch())
        try:
            kernels = kernels_of(self._binaries, self._tree, Limits(), faults)
        except HipportError as error:
            return TracedText(Trace(), (str(error),))
        return TracedText(join(self._tree, kernels), tuple(faults.messages))

    def _now(self) -> Iterator[object]:
        """A value that changes when a binary does."""
        for path in self._binaries:
            try:
                status = path.stat()
                yield status.st_mtime_ns, status.st_size
            except OSError as error:
                yield str(os_error(path, "cannot read", error))
