"""The browser over published wheels: what it shows is what the ground truth says."""

from __future__ import annotations

import pytest

from hipport.tui.widgets.tableview import TableView
from tests.support.binaries import TRUTH
from tests.support.browser_driving import Browser, drive
from tests.support.wheels import WHEELS, member, wheel

pytestmark = pytest.mark.real


@pytest.mark.parametrize("key", TRUTH)
def test_the_matrix_has_the_kernels_and_registrations_of_the_ground_truth(key: str) -> None:
    truth = TRUTH[key]

    async def look(browser: Browser) -> None:
        await browser.press("3")
        view, library = browser.screen.view, browser.screen.library
        assert isinstance(view, TableView)
        rows = view.table.items
        present = [row for row in rows if row.cells]
        registered = [row for row in rows if library.is_registered(row.binary, row.name)]
        expected = truth["registered"]
        assert len(present) == expected["unique_kernels_in_co"]
        assert len(registered) == expected["registered_unique"]
        assert len(rows) - len(present) == expected["n_reg_not_in_co"]
        assert len(present) + len(rows) - len(present) - len(registered) == expected["n_co_not_reg"]
        await browser.press("2")
        kernels = sum(
            entry.get("n_kernels", 0) for bundle in truth["bundles"] for entry in bundle["entries"]
        )
        assert browser.screen.view.line_count() == kernels

    drive(member(key), to=look, size=(120, 40))


@pytest.mark.parametrize("package", WHEELS)
def test_a_wheel_opens_as_one_tree(package: str) -> None:
    async def look(browser: Browser) -> None:
        paths = {binary.path.partition("!")[2] for binary in browser.screen.library.binaries}
        expected = {t["member"] for key, t in TRUTH.items() if key.startswith(f"{package}/")}
        assert expected <= paths
        await browser.press("2", "enter", "4", "5", "6", "7", "8")
        assert browser.app.screen is browser.screen
        assert "internal error" not in browser.text()

    drive(wheel(package), to=look, size=(120, 40))
