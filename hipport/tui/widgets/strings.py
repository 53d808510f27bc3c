"""The Strings tab."""

from __future__ import annotations

from hipport.tui.content import strings
from hipport.tui.widgets.tableview import TableView


class Strings(TableView):
    TITLE = "Strings"
    HELP = """\
Printable text of six or more characters in the selected file, bundle, or code object. `/` keeps the
lines that have every word typed; Enter shows the bytes in the Hex tab."""

    def __init__(self) -> None:
        super().__init__(strings.prepare, "strings")
