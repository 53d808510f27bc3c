"""The application: theme, keymap, and help; the screens have everything else."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.widget import Widget

from hipport.errors import HipportError
from hipport.fatbin.limits import Limits
from hipport.tui.keys import APP, config, keymap
from hipport.tui.opened_files import Library
from hipport.tui.screens.browse import BrowseScreen
from hipport.tui.screens.help import Help
from hipport.tui.view_settings import Settings

if TYPE_CHECKING:
    from hipport.runs.trace import Sources

_ANSI_THEME = "ansi-dark"


class BrowserApp(App[None]):
    """The fatbin browser over these paths."""

    TITLE = "hipport browse"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*APP]
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self,
        paths: tuple[str, ...],
        limits: Limits | None = None,
        theme: str = "",
        keys: Mapping[str, str] | None = None,
        sources: Sources | None = None,
    ) -> None:
        # Without colour, the roles differ by bold, reverse and underline, which only the
        # terminal's own colours leave as they are.
        plain = "NO_COLOR" in os.environ
        super().__init__(ansi_color=True if plain else None)
        self._paths, self._limits = paths, limits or Limits()
        self._sources = sources
        self.settings = Settings()
        if theme or plain:
            self._choose_theme(_ANSI_THEME if plain else theme)
        if keys:
            self.set_keymap(dict(keys))

    def _choose_theme(self, theme: str) -> None:
        if theme not in self.available_themes:
            names = ", ".join(sorted(self.available_themes))
            raise HipportError(f"no theme is called {theme!r}", remedy=f"choose one of {names}")
        self.theme = theme

    def on_mount(self) -> None:
        # Tens of thousands of rows live as long as the program: looking through all of them for
        # cycles takes 50 ms, too long to wait after a key.
        gc.set_threshold(100_000, 50, 100)
        self.push_screen(self._browse_screen())

    def _browse_screen(self) -> BrowseScreen:
        return BrowseScreen(Library(self._paths, self._limits, self._sources), self.settings)

    def reopen(self) -> None:
        """The same paths again, from the disk."""
        self.switch_screen(self._browse_screen())

    def action_help(self) -> None:
        """Help for the widget in focus."""
        if isinstance(self.screen, Help):
            return
        widget: Widget | None = self.focused
        title = getattr(widget, "TITLE", "") or "The browser"
        text = getattr(widget, "HELP", "") or "Tab switches between the tree and the tabs."
        self.push_screen(Help(title, text, self.screen.active_bindings))

    async def action_quit(self) -> None:
        """Tell the reading threads that nothing waits for them."""
        for screen in self.screen_stack:
            for job in (getattr(screen, "job", None), getattr(screen, "opening", None)):
                if job is not None:
                    job.cancelled = True
        self.exit()


def browse(
    paths: tuple[str, ...], limits: Limits, theme: str = "", sources: Sources | None = None
) -> None:
    """Run the browser until the user leaves it."""
    path, table = config(Path.cwd())
    theme = theme or str(table.get("theme", ""))
    # asyncio.run() and the interpreter's exit wait for every thread, but one that searches host
    # code never checks whether to stop. Nothing is lost: files are written whole or not at all.
    loop = asyncio.new_event_loop()
    BrowserApp(paths, limits, theme, keymap(path, table), sources).run(loop=loop)
    if threading.active_count() > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
