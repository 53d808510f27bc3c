"""Every key: an ID for the user's keymap, a word for the footer, a sentence for the tooltip."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.binding import Binding

from hipport.errors import HipportError

_LARGEST_CONFIG = 1 << 20


def _key(
    id: str, key: str, action: str, word: str, tooltip: str, *, show: bool = False, as_: str = ""
) -> Binding:
    return Binding(key, action, word, show=show, tooltip=tooltip, id=id, key_display=as_ or None)


LINES = [
    _key("line.down", "down,j", "move(1)", "Down", "Next line"),
    _key("line.up", "up,k", "move(-1)", "Up", "Previous line"),
    _key("line.left", "left", "sideways(-8)", "Left", "Scroll left"),
    _key("line.right", "right,l", "sideways(8)", "Right", "Scroll right"),
    _key("page.down", "pagedown,ctrl+f", "page(1)", "Page down", "Page down"),
    _key("page.up", "pageup,ctrl+b", "page(-1)", "Page up", "Page up"),
    _key("half.down", "ctrl+d", "page(0.5)", "Half a page", "Half a page down"),
    _key("half.up", "ctrl+u", "page(-0.5)", "Half a page", "Half a page up"),
    _key("line.first", "home,g", "first", "First", "First line"),
    _key("line.last", "end,G", "last", "Last", "Last line"),
]

TABLES = [
    _key("table.enter", "enter", "enter", "Open", "Open the row", as_="⏎"),
    _key("table.sort", "s", "sort", "Sort", "Sort by the next column", show=True),
    _key("table.reverse", "S", "reverse", "Reverse", "Reverse the order"),
]

HEX = [
    _key("hex.left", "left,h", "step(-1)", "Left", "Previous byte"),
    _key("hex.right", "right,l", "step(1)", "Right", "Next byte"),
    _key("hex.field", "f", "field(1)", "Field", "Next named field", show=True),
    _key("hex.back", "F", "field(-1)", "Field back", "Previous named field"),
]

TREE = [
    _key("tree.down", "down,j", "cursor_down", "Down", "Next line"),
    _key("tree.up", "up,k", "cursor_up", "Up", "Previous line"),
    _key("tree.left", "left,h", "out", "Out", "Close, or go to the parent"),
    _key("tree.right", "right,l", "open", "In", "Open, or go to the first child"),
    _key("tree.enter", "enter", "enter", "Open", "Open; if open, go to the tabs"),
    _key("tree.first", "home,g", "scroll_home", "First", "First line"),
    _key("tree.last", "end,G", "scroll_end", "Last", "Last line"),
]

SCREEN = [
    _key("filter", "slash", "filter", "Filter", "Filter or search", show=True, as_="/"),
    _key("find.next", "n", "find(1)", "Next", "Next match"),
    _key("find.previous", "N", "find(-1)", "Previous", "Previous match"),
    _key("back", "backspace", "back", "Back", "Go back", show=True, as_="⌫"),
    _key("cancel", "escape", "cancel", "Cancel", "Stop reading", show=True),
    _key("clear", "escape", "clear", "Clear", "Clear the filter or search", show=True),
    _key("leave", "escape", "leave", "Back", "Back to the browser", show=True),
    _key("names.mangled", "m", "names(True)", "Mangled", "Show mangled names", show=True),
    _key("names.readable", "m", "names(False)", "Demangled", "Show demangled names", show=True),
    _key("sizes.bytes", "h,H", "sizes(False)", "Bytes", "Show sizes in bytes", show=True),
    _key("sizes.human", "h,H", "sizes(True)", "KiB", "Show sizes with units", show=True),
    _key("copy", "y", "copy", "Copy", "Copy the name or line to the clipboard"),
    _key("extract", "x", "extract", "Extract", "Write this code object to a file", show=True),
    _key("extract.all", "X", "extract_all", "All", "Write every code object to files"),
    _key("compare", "d", "compare", "Diff", "Compare with another target or file", show=True),
    _key("edit", "e", "edit", "Edit", "Open the disassembly in $EDITOR", show=True),
    _key("reload", "r", "reload", "Reload", "Read the files again"),
    _key("tree.toggle", "t", "tree", "Tree", "Show or hide the tree"),
    _key("tab.next", "right_square_bracket", "tab(1)", "Next tab", "Next tab", as_="]"),
    _key("tab.previous", "left_square_bracket", "tab(-1)", "Previous tab", "Previous tab", as_="["),
    *(
        _key(f"tab.{number}", str(number), f"show_tab({number})", f"Tab {number}", f"Tab {number}")
        for number in range(1, 10)
    ),
]

APP = [
    _key(
        "help",
        "f1,question_mark",
        "help",
        "Help",
        "Help for this view",
        show=True,
        as_="F1",
    ),
    _key("quit", "q", "quit", "Quit", "Quit", show=True),
]

EVERY = [*LINES, *TABLES, *HEX, *TREE, *SCREEN, *APP]


def config(start: Path) -> tuple[Path | None, Mapping[str, Any]]:
    """The nearest `hipport.toml` or `[tool.hipport]` of pyproject.toml above a folder, and its
    table `browse`; an empty one if there is none."""
    for folder in (start, *start.parents):
        for name in ("hipport.toml", "pyproject.toml"):
            path = folder / name
            if not path.is_file() or path.stat().st_size > _LARGEST_CONFIG:
                continue
            try:
                table: Mapping[str, Any] = tomllib.loads(path.read_text("utf-8"))
            except (OSError, ValueError) as error:
                raise HipportError(f"{path}: {error}", remedy="fix the file") from None
            if name == "pyproject.toml":
                table = _table(table.get("tool", {}), "hipport", path)
                if not table:
                    continue
            return path, _table(table, "browse", path)
    return None, {}


def _table(table: Any, key: str, path: Path) -> Mapping[str, Any]:
    found = table.get(key, {}) if isinstance(table, dict) else {}
    if not isinstance(found, dict):
        raise HipportError(f"{path}: {key} is not a table", remedy=f"write [{key}]")
    return found


def keymap(path: Path | None, table: Mapping[str, Any]) -> dict[str, str]:
    """Binding ID -> keys, from the table `browse.keys`; an unknown ID or empty key is an error."""
    known = {binding.id for binding in EVERY if binding.id}
    chosen = _table(table, "keys", path or Path())
    for name, keys in chosen.items():
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), 1)
            remedy = f"did you mean {near[0]!r}?" if near else "hipport help browse has the IDs"
            raise HipportError(f"{path}: browse.keys has no key called {name!r}", remedy=remedy)
        if not isinstance(keys, str) or not keys.strip(","):
            raise HipportError(
                f"{path}: browse.keys.{name}: {keys!r} is not a key",
                remedy='write "ctrl+x" or "a,b"',
            )
    return dict(chosen)


def editor() -> list[str]:
    """The user's editor with its arguments; empty if none is set."""
    import shlex

    return shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
