"""Help for the widget in focus: what it shows, and which keys work there."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static


class Help(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,question_mark", "dismiss(None)", "Back", id="help.back"),
        Binding("j", "scroll(1)", "Down", id="help.down", show=False),
        Binding("k", "scroll(-1)", "Up", id="help.up", show=False),
    ]

    def __init__(self, title: str, text: str, bindings: dict[str, ActiveBinding]) -> None:
        super().__init__()
        self._title, self._text, self._keys = title, text, bindings

    def compose(self) -> ComposeResult:
        text = Text(self._title, style="bold")
        text.append(f"\n\n{' '.join(self._text.split())}\n\n", style="not bold")
        text.append("Keys that work here (the ID in brackets is for the keymap)\n", style="bold")
        for keys, binding in self._rows():
            text.append(f"  {keys:<14} ", style="bold")
            text.append(f"{binding.tooltip or binding.description} [{binding.id}]\n", "not bold")
        with VerticalScroll(classes="box tall"):
            yield Static(text)

    def _rows(self) -> list[tuple[str, Binding]]:
        """Each action once with all its keys."""
        found: dict[str, tuple[list[str], Binding]] = {}
        for key, active in self._keys.items():
            binding = active.binding
            if binding.id is None or not active.enabled:
                continue
            keys, _ = found.setdefault(binding.id, ([], binding))
            keys.append(self.app.get_key_display(binding.with_key(key)))
        return [(" ".join(keys), binding) for keys, binding in found.values()]

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)
