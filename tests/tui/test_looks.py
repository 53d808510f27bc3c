"""How the browser looks: small, wide, in other themes; each screen is left as an SVG to look at.

The pictures are in `build/screens`: `chromium --headless --screenshot=x.png build/screens/x.svg`
makes one that any viewer shows.
"""

from __future__ import annotations

import pytest
from textual.color import Color

from tests.support.browser_driving import COMPRESSED, PLAIN, ROW, Browser, drive
from tests.support.folders import CHECKOUT

PICTURES = CHECKOUT / "build/screens"
_READABLE = 3
"""The least contrast of text that is no body text: WCAG 2.2, 1.4.11."""


def picture(browser: Browser, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    browser.app.save_screenshot(f"{name}.svg", str(PICTURES))


def contrasts(browser: Browser) -> list[float]:
    """Of every text in the view, cursor and all, that to its ground."""
    found = []
    view = browser.screen.view
    ground = view.background_colors[1]
    for y in range(view.size.height):
        for segment in view.render_line(y):
            style = segment.style
            if segment.text.strip() and style and style.color:
                back = style.bgcolor and style.bgcolor.name != "default"
                under = Color.from_rich_color(style.bgcolor) if back else ground
                colour = Color.from_rich_color(style.color)
                found.append(contrast(colour, under))
    return found


def contrast(one: Color, other: Color) -> float:
    """WCAG 2.2, "contrast ratio": from 1 for the same to 21 for black on white."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    parts = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4
        for each in colour.normalized
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "nord"])
def test_all_text_can_be_read_where_the_cursor_is_without_focus(
    size: tuple[int, int], theme: str
) -> None:
    async def look(browser: Browser) -> None:
        for tab in ("overview", "kernels"):
            browser.screen.go_to_tab(tab)
            await browser.settle()
            browser.screen.tree_view.focus()
            await browser.settle()
            picture(browser, f"{tab}-{theme}-{size[0]}x{size[1]}")
            assert not browser.screen.view.has_focus
            assert min(contrasts(browser)) > 1.5
            assert contrasts(browser)[0] >= _READABLE

    drive(PLAIN, to=look, size=size, theme=theme)


def test_digits_go_into_the_tab_that_they_number() -> None:
    async def look(browser: Browser) -> None:
        titles = browser.lines()[1]
        for number, title in enumerate(("Overview", "Kernels", "Matrix"), 1):
            assert f"{number} {title}" in titles
            await browser.press(str(number))
            assert browser.app.focused is browser.screen.view
            assert title == browser.screen.view.TITLE

    drive(PLAIN, to=look)


@pytest.mark.slow
@pytest.mark.parametrize(
    "theme",
    [
        "textual-dark",
        pytest.param("textual-light", marks=pytest.mark.slow),
        pytest.param("ansi-dark", marks=pytest.mark.slow),
    ],
)
def test_all_nine_tabs_are_in_sight_at_80_columns(theme: str) -> None:
    async def look(browser: Browser) -> None:
        for number in range(1, 10):
            await browser.press(str(number))
            picture(browser, f"tab-{number}-{theme}-80x24")
            titles = browser.lines()[1]
            assert [word for word in titles.split() if word.isdigit()] == list("123456789")
            assert titles.endswith("9 Strings") and len(titles) <= 80
        await browser.pilot.resize_terminal(100, 24)
        await browser.settle()
        assert "4 Disassembly 5 Metadata" in browser.lines()[1]

    drive(PLAIN, to=look, size=(80, 24), theme=theme)


def test_the_overview_sums_up_targets_over_all_bundles() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("H")
        lines = [line.split("│")[-1] for line in browser.lines()]
        start = next(index for index, line in enumerate(lines) if "Targets (" in line)
        binary = browser.screen.library.binaries[0]
        for entry in binary.bundles[0].device_entries:
            same = [
                each
                for bundle in binary.bundles
                for each in bundle.device_entries
                if each.id == entry.id
            ]
            line = next(line for line in lines[start:] if str(entry.target) in line.split())
            assert f"{sum(each.size for each in same)} B" in line
            noun = "code object" if len(same) == 1 else "code objects"
            assert f"{len(same)} {noun}" in line
        picture(browser, "targets")

    drive(ROW, to=look, size=(120, 40))


def test_bundles_differ_by_size_and_first_kernel_in_the_tree() -> None:
    async def look(browser: Browser) -> None:
        labels = [str(node.label) for node in browser.screen.tree_view.root.children[0].children]
        rows = browser.screen.library.rows
        assert len(labels) == len(set(labels)) == len(browser.screen.library.binaries[0].bundles)
        for label in labels:
            index, size, name = label.split(" ", 2)
            assert index.isdigit() and size[-1] in "KMB0123456789" and name.isidentifier()
        assert rows

    drive(PLAIN, to=look, size=(120, 40))


@pytest.mark.slow
def test_mouse_and_resizing() -> None:
    async def look(browser: Browser) -> None:
        await browser.pilot.click("#tab-kernels")
        await browser.settle()
        assert browser.screen.view.TITLE == "Kernels"
        await browser.pilot.click("#kernels", offset=(3, 3))
        await browser.settle()
        assert browser.screen.view.cursor == 2
        for size in ((60, 20), (140, 45), (80, 24)):
            await browser.pilot.resize_terminal(*size)
            await browser.settle()
            lines = browser.lines()
            assert len(lines) == size[1] and max(map(len, lines)) <= size[0]
            assert "add<int>" in browser.text() and browser.screen.view.cursor == 2
            picture(browser, f"resized-{size[0]}x{size[1]}")

    drive(PLAIN, to=look, size=(120, 40))


def test_sixteen_colours_have_a_cursor_that_shows() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2")
        picture(browser, "sixteen-colours")
        styles = [segment.style for segment in browser.screen.view.render_line(1)]
        assert all(style and style.reverse for style in styles)
        assert {str(style.color) for style in styles if style} == {
            "Color('default', ColorType.DEFAULT)"
        }

    drive(PLAIN, to=look, theme="ansi-dark")


def test_no_two_things_to_compare_with_are_called_alike() -> None:
    from hipport.tui.content.compare import candidates, title

    async def look(browser: Browser) -> None:
        library = browser.screen.library
        for binary in library.binaries:
            for bundle in binary.bundles:
                for entry in bundle.device_entries:
                    scope = browser.screen.scope._replace(binary=binary, bundle=bundle, entry=entry)
                    titles = [title(each) for each in candidates(library, scope)]
                    assert len(titles) == len(set(titles))
                    assert title(scope) not in titles

    drive(PLAIN, COMPRESSED, ROW, to=look)
