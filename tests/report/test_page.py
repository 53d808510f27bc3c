"""The HTML report in a real browser, at the size of a desk and of a telephone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chromium import Page, browser
from tests.support.sample_report import golden

SIZES = [(1280, 900), (420, 800)]
SHOWN = "document.getElementById('shown').textContent"
VISIBLE = "[...document.querySelectorAll('.finding')].filter((e) => e.offsetHeight > 0)"
CODES = f"{VISIBLE}.map((e) => e.dataset.code).join(' ')"
ALL = "HP-BIN-001 HP-CMAKE-001 HP-API-001 HP-WARP-001 HP-WARP-001 HP-WARP-005 HP-PY-044"

pytestmark = pytest.mark.toolchain


@pytest.fixture(scope="module")
def chromium() -> Iterator[Page]:
    with browser() as page:
        yield page


@pytest.fixture(params=SIZES, ids=["desk", "telephone"])
def page(request: pytest.FixtureRequest, chromium: Page, tmp_path: Path) -> Page:
    """The golden page, freshly opened in a window of either size."""
    path = tmp_path / "report.html"
    path.write_bytes(golden("html").read_bytes())
    chromium.open(path.as_uri(), *request.param)
    return chromium


def test_all_is_there_and_fits_the_window(page: Page) -> None:
    assert page.value(CODES) == ALL
    assert page.value(SHOWN) == "7 of 7 shown"
    assert page.value("document.documentElement.scrollWidth <= innerWidth")
    columns = "getComputedStyle(document.querySelector('.overview')).gridTemplateColumns"
    assert page.value(f"{columns}.split(' ').length") == (3 if page.size[0] > 1000 else 1)


def test_the_search_takes_several_words(page: Page) -> None:
    page.click("#search")
    page.type("WARP lanes")
    assert page.value(CODES) == "HP-WARP-001 HP-WARP-001 HP-WARP-005"
    assert page.value(SHOWN) == "3 of 7 shown"
    assert page.value("location.hash") == "#q=WARP+lanes"
    page.type(" nowhere")
    assert page.value(CODES) == ""
    assert page.value("document.getElementById('none').offsetHeight") > 0
    page.click("#reset")
    page.wait_for(f"{SHOWN} === '7 of 7 shown'")
    assert page.value("location.hash") == ""


def test_severities_are_ticked_off(page: Page) -> None:
    for each in ("manual", "info"):
        page.click(f"[name=severity][value={each}]")
    assert page.value(CODES) == "HP-BIN-001 HP-WARP-005"
    assert page.value("location.hash") == "#severity=blocker,review"
    page.click("[name=severity][value=manual]")
    assert page.value(SHOWN) == "6 of 7 shown"


def test_a_code_is_chosen(page: Page) -> None:
    choose = (
        "(() => { const e = document.getElementById('code'); e.value = 'HP-WARP-001';"
        " e.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    page.value(choose)
    assert page.value(CODES) == "HP-WARP-001 HP-WARP-001"
    assert page.value("location.hash") == "#code=HP-WARP-001"


def test_an_address_with_a_filter_opens_filtered(page: Page) -> None:
    page.open(f"{page.address}#severity=manual,review&q=lanes", *page.size)
    assert page.value(CODES) == "HP-WARP-001 HP-WARP-001 HP-WARP-005"
    assert page.value("document.getElementById('search').value") == "lanes"
    assert not page.value("document.querySelector('[value=blocker]').checked")


def test_a_kind_in_the_table_leads_to_its_findings(page: Page) -> None:
    page.click(".kinds a[href='#code=HP-WARP-001']")
    page.wait_for(f"{SHOWN} === '2 of 7 shown'")
    page.click(".files a")
    page.wait_for(f"{SHOWN} === '1 of 7 shown'")
    assert page.value(CODES) == "HP-BIN-001"


def test_nothing_of_the_tree_runs_or_is_loaded(page: Page) -> None:
    assert page.value("document.querySelectorAll('.finding b').length") == 0
    assert page.value("performance.getEntriesByType('resource').length") == 0
    odd = f"{VISIBLE}[2].querySelector('.where').textContent"
    assert page.value(odd) == "src/odd name <b>|&`.cu:1:4"
    added = (
        "(() => { const e = document.createElement('script'); e.textContent = 'window.ran = 1';"
        " document.body.append(e); return window.ran === undefined; })()"
    )
    assert page.value(added)  # the page's Content-Security-Policy lets its own script run alone
