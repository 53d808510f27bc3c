"""The pages of docs/, which are part of the program: `hipport help TOPIC` shows them."""

from __future__ import annotations

from pathlib import Path


def pages_folder() -> Path:
    """The pages of the installed wheel, else those of the checkout (an editable install)."""
    package = Path(__file__).resolve().parent
    packaged = package / "docs"
    return packaged if packaged.is_dir() else package.parent / "docs"


def topics() -> dict[str, str]:
    """Topic -> the title of its page, in the order of the names."""
    folder = pages_folder()
    return {
        path.relative_to(folder).with_suffix("").as_posix(): _title(path)
        for path in sorted(folder.glob("**/*.md"))
    }


def page(topic: str) -> str:
    """A page as Markdown; raises KeyError for a topic that has none."""
    if topic not in topics():
        raise KeyError(topic)
    return (pages_folder() / f"{topic}.md").read_text(encoding="utf-8")


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return next((line[2:].strip() for line in file if line.startswith("# ")), path.stem)
