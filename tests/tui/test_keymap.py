"""The user's keymap and theme, and how the command begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hipport.cli import root
from hipport.errors import HipportError, UsageError
from hipport.tui.app import BrowserApp
from hipport.tui.keys import config, keymap
from tests.support.browser_driving import PLAIN, Browser, drive


def test_the_nearest_configuration_wins(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "hipport.toml").write_text('[browse]\ntheme = "nord"\n')
    assert config(inner) == (tmp_path / "hipport.toml", {"theme": "nord"})
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert config(inner)[0] == tmp_path / "hipport.toml"
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.hipport.browse.keys]\nquit = "Q"\n')
    path, table = config(inner)
    assert path == tmp_path / "a" / "pyproject.toml"
    assert keymap(path, table) == {"quit": "Q"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[browse.keys]\nquti = "x"\n',
            "browse.keys has no key called 'quti' (did you mean 'quit'?)",
        ),
        ("[browse.keys]\nquit = 3\n", 'browse.keys.quit: 3 is not a key (write "ctrl+x" or "a,b")'),
        ("browse = 3\n", "browse is not a table (write [browse])"),
        ("[browse\n", "fix the file"),
    ],
)
def test_a_wrong_configuration_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "hipport.toml").write_text(text)
    with pytest.raises(HipportError) as caught:
        keymap(*config(tmp_path))
    assert str(tmp_path / "hipport.toml") in str(caught.value) and message in str(caught.value)


def test_a_keymap_changes_the_keys_and_the_footer() -> None:
    async def look(browser: Browser) -> None:
        assert "f2 Mangled" in browser.footer()
        await browser.press("m")
        assert not browser.app.settings.mangled
        await browser.press("f2")
        assert browser.app.settings.mangled

    drive(PLAIN, to=look, keys={"names.mangled": "f2"})


def test_an_unknown_theme_is_told() -> None:
    with pytest.raises(HipportError, match="no theme is called 'pink'"):
        BrowserApp((str(PLAIN),), theme="pink")


def test_a_theme_with_the_16_colours_of_the_terminal() -> None:
    async def look(browser: Browser) -> None:
        assert browser.app.current_theme.ansi and browser.app.native_ansi_color
        await browser.press("3")
        assert "add<int>" in browser.text()

    drive(PLAIN, to=look, theme="ansi-dark")


def test_no_color_leaves_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def look(browser: Browser) -> None:
        await browser.press("2")
        styles = [
            segment.style
            for strip in browser.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None
        ]
        assert styles
        assert browser.app.no_color and browser.app.native_ansi_color

    drive(PLAIN, to=look)


def test_without_a_terminal_the_command_says_what_to_use() -> None:
    result = CliRunner().invoke(root, ["browse", str(PLAIN)])
    assert isinstance(result.exception, UsageError)
    assert str(result.exception) == (
        "hipport browse needs a terminal (use hipport fatbin in scripts)"
    )
