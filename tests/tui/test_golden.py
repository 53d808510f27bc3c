"""Whole screens as text: every tab, over the fixtures."""

from __future__ import annotations

import pytest

from tests.support.browser_driving import Browser, drive
from tests.support.folders import FIXTURES
from tests.tui.conftest import Golden

LIBRARY = "binary/elf-plain/libplain.so"


@pytest.fixture(autouse=True)
def in_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths on the screens are relative to the fixtures."""
    monkeypatch.chdir(FIXTURES)


TABS = {
    "1": "overview",
    "2": "kernels",
    "3": "matrix",
    "4": "disassembly",
    "5": "metadata",
    "6": "descriptor",
    "7": "elf",
    "8": "hex",
    "9": "strings",
}


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["80x24", "160x48"])
def test_each_tab_of_a_library(size: tuple[int, int], golden: Golden) -> None:
    async def look(browser: Browser) -> None:
        for tab, name in TABS.items():
            await browser.press(tab)
            golden(f"library-{name}-{size[0]}", browser.text())

    drive(LIBRARY, to=look, size=size)


@pytest.mark.slow
def test_each_tab_of_a_kernel(golden: Golden) -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2", "down", "enter")
        for tab in "15678":
            await browser.press(tab)
            golden(f"kernel-{TABS[tab]}", browser.text())

    drive(LIBRARY, to=look, size=(100, 50))


def test_the_tabs_of_a_target(golden: Golden) -> None:
    async def look(browser: Browser) -> None:
        await browser.press("down", "down", "down")
        for tab in "157":
            await browser.press(tab)
            golden(f"target-{tab}", browser.text())

    drive(LIBRARY, to=look, size=(100, 40))


@pytest.mark.parametrize(
    "file",
    [
        "binary/bundles/row.hipfb",
        "binary/elf-compressed/libcompressed.so",
        "binary/elf-rdc/librdc.so",
        "binary/archive/libkernels.a",
        "binary/windows/kernels.dll",
        "binary/code-objects/v6-gfx9-4-generic.co",
    ],
)
def test_the_overview_of_every_kind_of_file(file: str, golden: Golden) -> None:
    async def look(browser: Browser) -> None:
        golden("file-" + file.rsplit("/", 1)[1], browser.text())

    drive(file, to=look)


def test_several_files(golden: Golden) -> None:
    async def look(browser: Browser) -> None:
        golden("files-overview", browser.text())
        await browser.press("3")
        golden("files-matrix", browser.text())

    drive(LIBRARY, "binary/bundles/row.hipfb", to=look)


def test_help_for_the_table(golden: Golden) -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2", "f1")
        golden("help-kernels", browser.text())

    drive(LIBRARY, to=look, size=(100, 56))


def test_two_targets_side_by_side(golden: Golden) -> None:
    async def look(browser: Browser) -> None:
        await browser.press("down", "down", "d")
        golden("pick-target", browser.text())
        await browser.press("enter")
        golden("compare-targets", browser.text())

    drive(LIBRARY, to=look)
