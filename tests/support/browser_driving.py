"""Drives the real browser over real files with Textual's pilot, and reads its screen as text."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rich.cells import cell_len
from textual.pilot import Pilot

from hipport.fatbin.limits import Limits
from hipport.tui.app import BrowserApp
from hipport.tui.screens.base import Base
from hipport.tui.screens.browse import BrowseScreen
from tests.support.binaries import BINARY, CORRUPT

PLAIN = BINARY / "elf-plain" / "libplain.so"
COMPRESSED = BINARY / "elf-compressed" / "libcompressed.so"
ROW = BINARY / "bundles" / "row.hipfb"
GFX942 = BINARY / "code-objects" / "v5-gfx942_xnack+.co"
DAMAGED = CORRUPT / "payload-truncated"
_TEXT = re.compile(r'<text class="[^"]*-r[^"]*" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')
_CELL = 12.2
_MOST_WAITS = 4000
_BETWEEN = 0.01
_STILL = 3
"""How often nothing may go on: a tree lays out new labels only after it was drawn once."""

Drive = Callable[["Browser"], Awaitable[None]]


class Browser:
    """A running browser."""

    def __init__(self, app: BrowserApp, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def screen(self) -> BrowseScreen:
        """The browser's own screen, whatever lies above it."""
        found = next(s for s in self.app.screen_stack if isinstance(s, BrowseScreen))
        return found

    async def settle(self) -> None:
        """Wait until every thread has delivered and everything is drawn."""
        idle = 0
        for _ in range(_MOST_WAITS):
            await self.pilot.pause()
            screens = [screen for screen in self.app.screen_stack if isinstance(screen, Base)]
            busy = any(screen.job is not None for screen in screens)
            busy |= any(not worker.is_finished for worker in self.app.workers)
            footer = self.footer()
            busy |= "esc Cancel" in footer or (not footer and bool(self.app.screen.query("Footer")))
            idle = idle + 1 if screens and not busy else 0
            if idle == _STILL:
                return
            await asyncio.sleep(_BETWEEN)
        raise AssertionError("the browser is still busy")

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def type(self, text: str) -> None:
        """Press the keys of a text."""
        names = {" ": "space", "/": "slash", ".": "full_stop", "<": "less_than_sign"}
        await self.pilot.press(*(names.get(character, character) for character in text))
        await self.settle()

    async def erase(self, count: int) -> None:
        """Press Backspace so many times."""
        await self.pilot.press(*["backspace"] * count)
        await self.settle()

    def text(self) -> str:
        """What is on the screen, a line a row, without blanks at the ends."""
        return "\n".join(self.lines()) + "\n"

    def lines(self) -> list[str]:
        svg = self.app.export_screenshot(simplify=False)
        rows: dict[float, list[tuple[int, str]]] = {}
        for x, y, content in _TEXT.findall(svg):
            text = html.unescape(content).replace("\xa0", " ")
            rows.setdefault(float(y), []).append((round(float(x) / _CELL), text))
        lines = []
        for y in sorted(rows):
            line = ""
            for column, text in sorted(rows[y]):
                line += " " * (column - cell_len(line)) + text
            lines.append(line.rstrip())
        return lines

    def footer(self) -> list[str]:
        """The keys and words in the footer."""
        found = []
        for key in self.app.screen.query("FooterKey"):
            found.append(f"{key.key_display} {key.description}")  # type: ignore[attr-defined]
        return found

    def notices(self) -> list[str]:
        """What was told in the corner."""
        return [notice.message for notice in self.app._notifications]


async def _go_on(*_: float) -> None:
    """What takes the place of Textual's wait for an idle processor: a busy machine never is."""
    await asyncio.sleep(0)


def drive(
    *paths: Path | str,
    to: Drive,
    size: tuple[int, int] = (100, 30),
    limits: Limits | None = None,
    **options: Any,
) -> None:
    """Open the paths, wait until they are read, and let `to` do the rest."""

    async def run() -> None:
        app = BrowserApp(tuple(map(str, paths)), limits, **options)
        app.animation_level = "none"
        async with app.run_test(size=size) as pilot:
            browser = Browser(app, pilot)
            await browser.settle()
            await to(browser)

    with patch("textual.app.wait_for_idle", _go_on), patch("textual.pilot.wait_for_idle", _go_on):
        asyncio.run(run())
