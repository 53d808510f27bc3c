"""The files of one call of `hipport fatbin`: their faults and the exit code."""

from __future__ import annotations

import os
import sys

from hipport.fatbin.byte_source import FileSource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.reader import open_path, open_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hipport.commands.plain.progress import Progress
    from hipport.fatbin.binary import Binary, BundleEntry


class Session:
    """The files of one call; counts what is damaged, for the exit code."""

    def __init__(self, max_size: int, timeout: int) -> None:
        self.limits = Limits(max_size=max_size, max_seconds=timeout)
        self.damaged = 0

    def binaries(self, paths: Iterable[str]) -> Iterator[Binary]:
        """Every binary; its faults are printed on stderr when the caller is done with it."""
        progress = _progress()
        try:
            for path in paths:
                found = False
                opened = _from_stdin(self.limits) if path == "-" else open_path(path, self.limits)
                for binary in opened:
                    found = True
                    if progress is not None:
                        progress.show(binary)
                    if binary.unopened:
                        say(f"{binary.path}: {binary.unopened}")
                    yield binary
                    self.report(binary.all_faults())
                if not found:  # a folder
                    say(f"{path}: no file with device code in it")
        finally:
            if progress is not None:
                progress.stop()

    def report(self, faults: Iterable[FormatError]) -> None:
        for fault in faults:
            self.damaged += 1
            say(str(fault))

    def exit_code(self, findings: bool = False) -> int:
        """2 if anything was damaged, 1 for findings, else 0."""
        return 2 if self.damaged else int(findings)


def _from_stdin(limits: Limits) -> Iterator[Binary]:
    """What standard input holds. It is kept in a file meanwhile: reading goes back and forth."""
    import shutil
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="hipport-") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        source = FileSource(file.name)
        source.label = "-"
        yield from open_source(source, "-", limits, 0)


def say(message: str) -> None:
    """One line on stderr, in place of what progress shows there."""
    erase = "\r\x1b[K" if _shows_progress() else ""
    sys.stderr.write(f"{erase}hipport: {message}\n")


def _shows_progress() -> bool:
    """Where the result goes to the same terminal, it is its own progress."""
    if os.environ.get("TERM") == "dumb":
        return False
    return sys.stderr.isatty() and not sys.stdout.isatty()


def _progress() -> Progress | None:
    if not _shows_progress():
        return None
    from hipport.commands.plain.progress import Progress

    return Progress()


def target_matches(entry: BundleEntry, wanted: tuple[str, ...]) -> bool:
    """Whether the entry's target is one of these: `gfx90a` takes every feature setting."""
    if not wanted:
        return True
    target = entry.target
    if target is None:
        return False
    return any(str(target) == text or target.processor == text for text in wanted)
