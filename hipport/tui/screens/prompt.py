"""A question with an input line."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static


class Prompt(ModalScreen[str | None]):
    """Returns the answer, or None for Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel", id="prompt.cancel")
    ]

    def __init__(self, question: str, answer: str) -> None:
        super().__init__()
        self._question, self._answer = question, answer

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self._question, markup=False)
            yield Input(self._answer, id="answer")
            yield Static("Enter confirms, Esc cancels", classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip() or None)
