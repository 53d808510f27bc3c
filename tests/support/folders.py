"""Where the project's folders are, for tests that read its files."""

from __future__ import annotations

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
FIXTURES = CHECKOUT / "fixtures"
