"""The common base of all tabs' content: it is prepared in a thread and then presented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope
from hipport.tui.spans import Line, plain, wrapped
from hipport.tui.view_settings import Settings
from hipport.tui.widgets.lineview import LineView


class Prepare(Protocol):
    """Reads a view's content; runs in a worker thread and may yield better and better results."""

    def __call__(
        self, library: Library, scope: Scope, progress: Progress, settings: Settings, /
    ) -> Iterator[Any]: ...


class View(LineView):
    """A tab's content. `shown` is the scope that it was last prepared for."""

    TITLE = ""
    SHORT_TITLE = ""
    """The short title of a tab for narrow screens, if it differs."""
    FILTERS = False
    """Whether `/` hides the lines without the text, or goes from match to match."""

    def __init__(self, prepare: Prepare, id: str) -> None:
        super().__init__(id=id)
        self.prepare = prepare
        self.shown: object = None

    def present(self, content: Any) -> None:
        """Show what `prepare` yielded."""
        raise NotImplementedError

    def fail(self, message: str) -> None:
        """Show why there is nothing to show."""
        raise NotImplementedError

    def note(self) -> str:
        """The text below the view."""
        return ""


class TextView(View):
    """Lines of text."""

    def __init__(self, prepare: Prepare, id: str) -> None:
        super().__init__(prepare, id)
        self.lines: list[Line] = []
        self._width = 0

    def present(self, content: Any) -> None:
        self.lines = content
        self._width = max((len(plain(each)) for each in self.lines), default=0)
        self.renew()

    def fail(self, message: str) -> None:
        self.present(wrapped(message, "bad"))

    def line_count(self) -> int:
        return len(self.lines)

    def line_at(self, index: int) -> Line:
        return self.lines[index]

    def line_width(self) -> int:
        return self._width
