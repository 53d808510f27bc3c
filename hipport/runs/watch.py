"""What a caller sees of a run in progress."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from hipport.source.tree.file_task import Outcome
    from hipport.verification.model import Unit
    from hipport.verification.toolchain import Toolchain

_Item = TypeVar("_Item")


class Watch:
    """Called as a run proceeds. This one does nothing; a command's prints."""

    def fault(self, message: str) -> None:
        """A file or folder could not be read or written; the run goes on."""

    def note(self, message: str) -> None:
        """Something was found that explains the result."""

    def outcome(self, outcome: Outcome) -> None:
        """A file is done. Its bytes, if the request keeps them, are dropped afterwards."""

    def progress(self, items: Iterator[_Item], total: int, what: str) -> Iterator[_Item]:
        """The items, as they come; `total` is how many there will be."""
        return items


class VerifyWatch(Watch):
    """Also called with what code is compiled with. This one does nothing."""

    def toolchain(self, toolchain: Toolchain) -> None:
        """Headers and libclang were found."""

    def units(self, units: list[Unit]) -> None:
        """The files to compile were found, with their arguments."""


class Faults:
    """The faults of a run, each shown to the watch as it is added."""

    def __init__(self, watch: Watch) -> None:
        self.messages: list[str] = []
        self._watch = watch

    def add(self, error: object) -> None:
        """Add an error, or its text."""
        self.messages.append(str(error))
        self._watch.fault(str(error))

    def watched(self, outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
        """The outcomes of files, each shown to the watch, their errors added.

        What was left out is said once per folder.
        """
        left_out: dict[tuple[str, str], list[str]] = {}
        for outcome in outcomes:
            if outcome.error:
                self.add(outcome.error)
            if outcome.left_out:
                folder = outcome.file.path.rpartition("/")[0]
                left_out.setdefault((folder, outcome.left_out), []).append(outcome.file.path)
            self._watch.outcome(outcome)
            outcome.old = outcome.new = b""
            yield outcome
        for (_, why), (first, *others) in left_out.items():
            more = f" and {len(others):,} more" if others else ""
            self._watch.note(f"{first}{more}: {why}")
