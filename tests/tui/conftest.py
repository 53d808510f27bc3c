"""`--update-golden` writes the screens anew: `pytest tests/tui --update-golden`."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import pytest

GOLDEN = Path(__file__).with_name("golden")


class Golden(Protocol):
    def __call__(self, name: str, text: str) -> None:
        """Fail unless the text is that of the file golden/<name>.txt."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    def check(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("--update-golden", default=False):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        assert path.is_file(), f"no {path.name}; write it with --update-golden"
        assert text == path.read_text("utf-8")

    return check


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration, editor or colour setting of whoever runs the tests."""
    for name in ("NO_COLOR", "EDITOR", "VISUAL", "TEXTUAL", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
