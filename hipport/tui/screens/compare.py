"""Two targets or two files side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.widgets import Footer, Static

from hipport.tui.content import compare
from hipport.tui.jobs import Finished, Prepared
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope
from hipport.tui.screens.base import Base
from hipport.tui.view_settings import Settings
from hipport.tui.widgets.tableview import TableView


class CompareScreen(Base):
    """The kernels on both sides; those that differ come first."""

    def __init__(self, library: Library, settings: Settings, left: Scope, right: Scope) -> None:
        super().__init__(library, settings)
        self.left, self.right = left, right

    def compose(self) -> ComposeResult:
        title = f"{compare.title(self.left)}  →  {compare.title(self.right)}"
        yield Static(title, id="crumbs", markup=False)
        yield Differences(self.left, self.right)
        yield from self.compose_bottom()
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        super().on_mount()
        self.view.focus()
        self.prepare(self.view, self.left)

    @property
    def view(self) -> TableView:
        return self.query_one(TableView)

    @on(Prepared)
    def _prepared(self, message: Prepared) -> None:
        if message.job is self.job:
            message.view.present(message.content)

    @on(Finished)
    def _finished(self, message: Finished) -> None:
        self.finish(message)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "leave":
            return self.job is None and self.filtered is None and not self.view.query_text
        return super().check_action(action, parameters)

    def action_leave(self) -> None:
        self.dismiss()

    def action_back(self) -> None:
        self.dismiss()

    def action_names(self, mangled: bool) -> None:
        self.settings.mangled = mangled
        self.refresh_bindings()
        self.view.renew()

    def action_sizes(self, human: bool) -> None:
        self.settings.human = human
        self.refresh_bindings()
        self.view.renew()


class Differences(TableView):
    TITLE = "Compare"
    HELP = """\
The kernels of both sides, those that differ first. A cell holds the left value and, if it differs,
the right one: green if the kernel needs less or more of its waves fit. s sorts by the growth of the
next column. `/` filters by name, target, and kind of difference: try `/changed`."""

    def __init__(self, left: Scope, right: Scope) -> None:
        def prepare(
            library: Library, _: Scope, progress: Progress, settings: Settings
        ) -> Iterator[Any]:
            return compare.prepare(library, left, right, progress, settings)

        super().__init__(prepare, "differences")
