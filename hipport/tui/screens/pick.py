"""A list to choose an item from."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static


class Pick(ModalScreen[int | None]):
    """Returns the index of the chosen item, or None for Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel", id="pick.cancel"),
        Binding("j", "down", "Down", id="pick.down", show=False),
        Binding("k", "up", "Up", id="pick.up", show=False),
    ]

    def __init__(self, question: str, choices: list[str]) -> None:
        super().__init__()
        self._question, self._choices = question, choices

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self._question, markup=False)
            yield OptionList(*(Text(choice) for choice in self._choices))
            yield Static("Enter selects, Esc cancels", classes="hint")

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)
