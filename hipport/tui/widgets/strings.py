"""The Strings tab."""

from __future__ import annotations

from hipport.tui.content import strings
from hipport.tui.widgets.tableview import TableView


class Strings(TableView):
    TITLE = "Strings"
    HELP = """\
Printable text of six characters and more in the file, bundle or code object selected. `/` leaves
what holds the words typed; Enter goes to the bytes in the tab Hex."""

    def __init__(self) -> None:
        super().__init__(strings.prepare, "strings")
