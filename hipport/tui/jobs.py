"""Work done in threads: its progress, and messages with its results."""

from __future__ import annotations

import time
from typing import Any

from textual.message import Message

from hipport.fatbin.binary import Binary
from hipport.tui.scope import Scope
from hipport.tui.spans import bar
from hipport.tui.widgets.view import View

_BAR = 20


class Job:
    """One task in a thread. The thread reports progress, and checks whether to stop."""

    def __init__(self, what: str, scope: Scope | None = None) -> None:
        self.cancelled = False
        self.what = what
        self.scope = scope
        self.done = self.total = 0
        self.started = time.monotonic()

    def report(self, done: int, total: int, what: str) -> None:
        self.done, self.total, self.what = done, total, what

    def status(self) -> str:
        """What is being done, with a bar if the amount of work is known."""
        if not self.total:
            return f"{self.what}… {time.monotonic() - self.started:.0f} s"
        share = self.done / self.total
        return f"{bar(share, _BAR)} {100 * share:.0f} % {self.what}"


class Opened(Message):
    """Another file was opened."""

    def __init__(self, job: Job, binary: Binary) -> None:
        super().__init__()
        self.job, self.binary = job, binary


class AllOpened(Message):
    """Every path has been opened, or has failed to."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job


class Prepared(Message):
    """What a view shows has been read, wholly or in part."""

    def __init__(self, job: Job, view: View, content: Any) -> None:
        super().__init__()
        self.job, self.view, self.content = job, view, content


class Finished(Message):
    """A view's job has ended; `problem` is empty if all went well."""

    def __init__(self, job: Job, view: View, problem: str) -> None:
        super().__init__()
        self.job, self.view, self.problem = job, view, problem


class Ended(Message):
    """A job without a view has ended; `text` says how."""

    def __init__(self, job: Job, text: str, failed: bool = False) -> None:
        super().__init__()
        self.job, self.text, self.failed = job, text, failed
