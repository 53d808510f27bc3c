"""The common parts of browser and comparison: a filter line, a status line, jobs in threads."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Input, Static

from hipport.errors import HipportError
from hipport.tui.jobs import Finished, Job, Prepared
from hipport.tui.keys import SCREEN
from hipport.tui.ondisk import reason
from hipport.tui.opened_files import Library
from hipport.tui.scope import Scope
from hipport.tui.view_settings import Settings
from hipport.tui.widgets.hexview import HexView
from hipport.tui.widgets.tableview import TableView
from hipport.tui.widgets.tree import FileTree
from hipport.tui.widgets.view import View

_TICK = 0.1
_PATIENCE = 0.2
"""Seconds before a job is worth mentioning."""


class Base(Screen[None]):
    """A screen with a view in it. `job` is what runs for that view."""

    BINDINGS: ClassVar[list[BindingType]] = [*SCREEN]

    def __init__(self, library: Library, settings: Settings) -> None:
        super().__init__()
        self.library, self.settings = library, settings
        self.job: Job | None = None
        self.given_up: Job | None = None
        """The cancelled job, until another begins: its late results are still shown."""
        self.filtered: View | FileTree | None = None
        """The view that the filter line works on while it is open."""

    def compose_bottom(self) -> ComposeResult:
        yield Static(id="note", markup=False)
        yield Input(id="filter", placeholder="type to filter, Enter keeps it, Esc clears it")
        yield Static(id="progress", markup=False)

    def on_mount(self) -> None:
        self.set_interval(_TICK, self.tick)

    @property
    def view(self) -> View:
        raise NotImplementedError

    def tick(self) -> None:
        """Show the job's progress, once it has taken a while."""
        progress, job = self.query_one("#progress", Static), self.job
        progress.display = job is not None and time.monotonic() - job.started > _PATIENCE
        if job is not None:
            progress.update(f"{job.status()}  (Esc cancels)")

    # Jobs

    def prepare(self, view: View, scope: Scope) -> None:
        """Have a thread read the view's content for the scope; an older job is cancelled."""
        self.give_up_job()
        self.job, self.given_up = Job("reading", scope), None
        self._prepare(view, scope, self.job)
        self.refresh_bindings()

    def give_up_job(self) -> None:
        """Ignore further results of the job."""
        if self.job is not None:
            self.job.cancelled = True

    @work(thread=True, exit_on_error=False)
    def _prepare(self, view: View, scope: Scope, job: Job) -> None:
        problem = ""
        try:
            for content in view.prepare(self.library, scope, job, self.settings):
                self.post_message(Prepared(job, view, content))
        except HipportError as error:
            problem = str(error)
        except Exception as error:
            problem = reason(error)
        self.post_message(Finished(job, view, problem))

    def finish(self, message: Finished) -> bool:
        """Note that a job has ended; False if it is not the one waited for."""
        if message.job is not self.job:
            return False
        self.job = None
        if message.problem:
            message.view.fail(message.problem)
        self.tick()
        self.refresh_note()
        self.refresh_bindings()
        return True

    def action_cancel(self) -> None:
        """Cancel the job at once: nothing waits for what its thread is still doing."""
        if self.job is not None:
            self.job.cancelled = True
            self.given_up = self.job
            self.cancelled()

    def cancelled(self) -> None:
        """The job was cancelled."""
        self.job = None
        self.notify("cancelled; press r to read again", timeout=3)
        self.tick()
        self.refresh_note()
        self.refresh_bindings()

    # Filter

    def filter_target(self) -> View | FileTree:
        """The view that `/` searches."""
        focused = self.focused
        return focused if isinstance(focused, FileTree) else self.view

    def action_filter(self) -> None:
        self.filtered = self.filter_target()
        line = self.query_one("#filter", Input)
        line.value = self.filtered.query_text
        line.display = True
        line.focus()

    @on(Input.Changed, "#filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        if self.filtered is not None and event.value != self.filtered.query_text:
            self.filtered.search(event.value)
            self.refresh_note()

    @on(Input.Submitted, "#filter")
    def _filter_kept(self) -> None:
        self._close_filter()

    def _close_filter(self) -> None:
        line = self.query_one("#filter", Input)
        line.display = False
        if self.filtered is not None:
            self.filtered.focus()
        self.filtered = None
        self.refresh_bindings()

    def action_clear(self) -> None:
        """Esc: show everything again, and leave the filter line."""
        target = self.filtered or self.filter_target()
        target.search("")
        if self.filtered is not None:
            self._close_filter()
        self.refresh_note()
        self.refresh_bindings()

    def action_find(self, step: int) -> None:
        target = self.filter_target()
        if not target.find(step):
            said = (
                f"{target.query_text!r} is nowhere here" if target.query_text else "press / first"
            )
            self.notify(said, timeout=2)

    # The line below the view

    def refresh_note(self) -> None:
        self.query_one("#note", Static).update(self.note())

    def note(self) -> str:
        return self.view.note()

    @on(TableView.Moved)
    @on(HexView.NoteChanged)
    def _note_changed(self) -> None:
        self.refresh_note()

    def action_copy(self) -> None:
        text = self.filter_target().copy_text()
        if text:
            self.app.copy_to_clipboard(text)
            short = text if len(text) <= 60 else text[:59] + "…"
            self.notify(f"copied: {short}", timeout=2, markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Which of two meanings of a key applies now; the footer shows that one."""
        if not hasattr(self, f"action_{action}"):
            return False
        if action == "cancel":
            return self.job is not None and self.filtered is None
        if action == "clear":
            return self.filtered is not None or (
                self.job is None and bool(self.filter_target().query_text)
            )
        if action == "names":
            return parameters[0] is not self.settings.mangled
        if action == "sizes":
            return parameters[0] is not self.settings.human
        return True
