"""Damaged files, files that change while they are open, and work that is cancelled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.fatbin.limits import Limits
from hipport.tui.jobs import Job
from hipport.tui.opened_files import Library
from hipport.tui.scope import Scope
from hipport.tui.widgets.kernels import Kernels
from tests.support.binaries import CORRUPT
from tests.support.browser_driving import COMPRESSED, DAMAGED, PLAIN, Browser, drive

FILES = sorted(path for path in CORRUPT.iterdir() if path.suffix != ".py" and path.is_file())


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_every_damaged_file_is_read_as_far_as_it_goes(file: Path) -> None:
    library = Library((str(file),), Limits())
    list(library.open(Job("opening")))
    for _ in library.load(Scope(), Job("reading")):
        pass
    told = list(library.problems)
    told += [str(fault) for binary in library.binaries for fault in binary.all_faults()]
    assert told or file.name in SOUND, "nothing is said about it"


SOUND = {
    "control-characters",
    "elf-unknown-abi",
    "elf-unknown-mach",
    "entry-names-outside",
    "fuzz-negative-size",
    "kpack-zeroed-section",
    "names-outside.tar",
    "names-outside.zip",
    "nested-12.zip",
}
"""Odd, but nothing that could not be read."""


@pytest.mark.slow
def test_a_damaged_file_shows_what_is_there_and_says_what_is_not() -> None:
    async def look(browser: Browser) -> None:
        text = browser.text()
        assert "offload bundle" in text
        assert "Damage (1): what follows could not be read" in text
        assert "reach past the end of" in " ".join(text.split())
        for tab in "23456789":
            await browser.press(tab)
            assert browser.app.screen is browser.screen

    drive(DAMAGED, to=look, size=(120, 40))


@pytest.mark.slow
def test_every_tab_survives_every_entry_of_the_damaged_files() -> None:
    async def look(browser: Browser) -> None:
        for line in range(2):
            await browser.press("down", "right")
            for tab in "12345678":
                await browser.press(tab)
                assert "internal error" not in browser.text(), (line, tab)

    drive(CORRUPT / "damaged-then-sound", CORRUPT / "elf-note-damaged", to=look)


def test_names_of_the_input_cannot_steer_the_terminal() -> None:
    async def look(browser: Browser) -> None:
        for tab in "123":
            await browser.press(tab)
            assert "\x1b" not in browser.text()

    drive(CORRUPT / "control-characters", to=look)


@pytest.mark.slow
def test_a_file_that_changes_or_vanishes_says_so(tmp_path: Path) -> None:
    copy = tmp_path / "lib.so"
    copy.write_bytes(PLAIN.read_bytes())

    async def look(browser: Browser) -> None:
        browser.screen.watch_files()
        assert "since it was opened" not in browser.text()
        copy.write_bytes(PLAIN.read_bytes() + b"\0")
        browser.screen.watch_files()
        await browser.settle()
        assert "lib.so has changed since it was opened; press r to read it again" in browser.text()
        copy.unlink()
        browser.screen.watch_files()
        await browser.settle()
        assert "lib.so has disappeared since it was opened" in browser.text()
        copy.write_bytes(COMPRESSED.read_bytes())
        await browser.press("r")
        assert "since it was opened" not in browser.text()
        assert "compressed bundle" in browser.text()

    drive(copy, to=look)


@pytest.mark.slow
def test_a_file_cut_short_while_open_is_an_error_and_no_crash(tmp_path: Path) -> None:
    copy = tmp_path / "lib.so"
    copy.write_bytes(PLAIN.read_bytes())

    async def look(browser: Browser) -> None:
        with copy.open("r+b") as file:
            file.truncate(4096)
        await browser.press("down", "down", "7")
        assert "became" in browser.text() and "shorter" in browser.text()
        await browser.press("8", "G")
        assert "cannot be read: the file became shorter while it was read" in browser.text()

    drive(copy, to=look, size=(160, 40))


@pytest.mark.slow
def test_escape_cancels_reading_and_r_reads_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread is held where it is about to read the second bundle."""
    reached, go_on = threading.Event(), threading.Event()
    real = Library.load
    jobs: list[Job] = []

    def held(self: Library, scope: Scope, job: Job) -> Iterator[None]:
        jobs.append(job)
        for index, _ in enumerate(real(self, scope, job)):
            yield
            if index == 0:
                reached.set()
                go_on.wait(120)

    monkeypatch.setattr(Library, "load", held)

    async def look(browser: Browser) -> None:
        await browser.pilot.press("2")
        while not reached.is_set():
            await browser.pilot.pause()
        await browser.pilot.pause(0.4)
        assert "(Esc cancels)" in browser.text()
        assert "esc Cancel" in browser.footer()
        await browser.pilot.press("escape")
        while not jobs[-1].cancelled:
            await browser.pilot.pause()
        go_on.set()
        await browser.settle()
        assert "cancelled; press r to read again" in browser.notices()
        assert "esc Cancel" not in browser.footer()
        view = browser.screen.query_one(Kernels)
        assert "cancelled: not all bundles were read" in view.note()
        monkeypatch.setattr(Library, "load", real)
        await browser.press("r", "2")
        assert browser.screen.query_one(Kernels).line_count() == 24

    async def start(browser: Browser) -> None:
        await look(browser)

    with monkeypatch.context():
        go_on.clear()
        _drive_without_settling(start)


def _drive_without_settling(to):  # type: ignore[no-untyped-def]
    import asyncio

    from hipport.tui.app import BrowserApp
    from tests.support.browser_driving import ROW

    async def run() -> None:
        app = BrowserApp((str(ROW),))
        async with app.run_test(size=(120, 30)) as pilot:
            await to(Browser(app, pilot))

    asyncio.run(run())


def test_the_limit_on_sizes_is_kept_and_named() -> None:
    async def look(browser: Browser) -> None:
        assert "raise the limit with --max-size" in " ".join(
            line.partition("│")[2].strip() for line in browser.lines()
        )

    drive(COMPRESSED, to=look, limits=Limits(max_size=1000), size=(120, 40))


def test_resizing_keeps_the_cursor_in_sight() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("9", "G")
        view = browser.screen.view
        last = view.cursor
        for size in ((80, 24), (160, 48), (100, 30)):
            await browser.pilot.resize_terminal(*size)
            await browser.settle()
            top = view.scroll_offset.y
            assert view.cursor == last
            assert top <= last < top + view.size.height
            assert len(browser.lines()) == size[1]

    drive(PLAIN, to=look)
