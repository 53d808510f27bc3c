"""Where the rules are and their date, for code that reads none of them."""

from __future__ import annotations

import re
from pathlib import Path

_ENTRY = re.compile(r'^(rocm|date) = "([^"\n]+)"', re.MULTILINE)


def rules_folder() -> Path:
    """The rules of the installed wheel, else those of the checkout (an editable install)."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "rules"
    return packaged if packaged.is_dir() else package.parent / "rules"


def edition() -> tuple[str, str]:
    """The day on which the rules were last compared with their sources, and the newest ROCm."""
    # tomllib takes ten times as long as all of `hipport --version` else.
    text = (rules_folder() / "edition.toml").read_text(encoding="utf-8")
    entries = dict(_ENTRY.findall(text))
    return entries["date"], entries["rocm"]
