"""Where the rules are and their date, for code that reads none of them."""

from __future__ import annotations

from pathlib import Path

_KEYS = ("rocm = ", "date = ")


def rules_folder() -> Path:
    """The rules of the installed wheel, else those of the checkout (an editable install)."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "rules"
    return packaged if packaged.is_dir() else package.parent / "rules"


def edition() -> tuple[str, str]:
    """The day on which the rules were last compared with their sources, and the newest ROCm."""
    # tomllib takes ten times as long as all of `hipport --version` else.
    text = (rules_folder() / "edition.toml").read_text(encoding="utf-8")
    lines = (line.split(" = ", 1) for line in text.splitlines() if line.startswith(_KEYS))
    entries = {key: value.strip('"') for key, value in lines}
    return entries["date"], entries["rocm"]
