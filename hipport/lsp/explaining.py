"""The page of a finding, shown in the editor."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from hipport.report.finding_page import finding_page
from hipport.rulebook.load import load


class Explaining:
    """Writes pages into a folder that goes with the session."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    async def show(self, code: str) -> None:
        """Open the page of a finding; an editor that cannot open files shows it as a message."""
        rule = load(is_audit=True).findings.get(code)
        if rule is None:
            text = f"{code} is a finding of your own rules: hipport audit explain {code}\n"
        else:
            text = "".join(f"{line}\n" for line in finding_page(rule))
        window = self._server.client_capabilities.window
        if window and window.show_document and window.show_document.support:
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="hipport-")
            path = Path(self._folder.name, f"{Path(code).name}.txt")
            path.write_text(text, "utf-8")
            shown = types.ShowDocumentParams(path.as_uri(), take_focus=True)
            await self._server.window_show_document_async(shown)
        else:
            self._server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))

    def close(self) -> None:
        """Remove the pages."""
        if self._folder:
            self._folder.cleanup()
