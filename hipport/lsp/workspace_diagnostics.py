"""Diagnostics of files that are not open: those of the last audit of the workspace."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import Any

from lsprotocol import converters, types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from hipport.lsp.diagnostics import diagnostics
from hipport.lsp.open_texts import OpenTexts
from hipport.lsp.text_map import TextMap
from hipport.lsp.workspace_audit import audited
from hipport.runs.audit_request import AuditRequest

_TITLE = "hipport: auditing"


class WorkspaceDiagnostics:
    """Audits the workspace on request; what it finds in open texts is theirs to say."""

    def __init__(
        self, server: LanguageServer, texts: OpenTexts, request: AuditRequest, encoding: str
    ) -> None:
        self._server, self._texts = server, texts
        self._request, self._encoding = request, encoding
        self._found: set[str] = set()
        self._task: asyncio.Task[str] | None = None
        self._structure = converters.get_converter().structure

    async def run(self) -> None:
        """Audit all folders, with progress that can be cancelled; one audit at a time."""
        self.cancel()
        token = await self._begin()
        task = self._task = asyncio.get_running_loop().create_task(self._run(token))
        try:
            said = await task
        except asyncio.CancelledError:
            said = "cancelled"
        finally:
            if self._task is task:  # Another audit may have begun meanwhile.
                self._task = None
        if token:
            self._server.work_done_progress.end(token, types.WorkDoneProgressEnd(message=said))

    def cancel(self) -> None:
        """End the audit that is at work."""
        if self._task:
            self._task.cancel()

    async def closed(self, uri: str) -> None:
        """A text was closed: what is on the disk counts again, where an audit found something."""
        shown: list[types.Diagnostic] = []
        path = to_fs_path(uri)
        if uri in self._found and path:
            shown = await self._texts.in_worker(self._on_disk, path)
        if uri not in self._texts:
            self._publish(uri, shown)

    def _on_disk(self, path: str) -> list[types.Diagnostic]:
        try:
            data = Path(path).read_bytes()
        except OSError:
            return []
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        return diagnostics(self._texts.checker.audited(TextMap(text, self._encoding), path))

    async def _begin(self) -> str:
        """The token of the progress; "" for an editor that shows none."""
        window = self._server.client_capabilities.window
        if not (window and window.work_done_progress):
            return ""
        token = str(uuid.uuid4())
        await self._server.work_done_progress.create_async(token)
        begun = types.WorkDoneProgressBegin(_TITLE, cancellable=True, percentage=0)
        self._server.work_done_progress.begin(token, begun)
        return token

    async def _run(self, token: str) -> str:
        """Publish what is found; what was found before and is gone is taken back."""
        before, self._found = self._found, set()
        said: list[str] = []
        for folder in self._folders():
            lines = audited(folder, self._encoding, self._request)
            try:
                async for line in lines:
                    said += self._take(line, token)
            finally:
                await lines.aclose()
        for uri in before - self._found:
            if uri not in self._texts:
                self._publish(uri, [])
        return "; ".join(said)

    def _folders(self) -> list[Path]:
        workspace = self._server.workspace
        paths = [to_fs_path(uri) for uri in workspace.folders]
        return [Path(path) for path in paths or [workspace.root_path] if path]

    def _take(self, line: dict[str, Any], token: str) -> list[str]:
        """One line of an audit; the words that sum it up, if it is the last one."""
        if "path" in line:
            uri = Path(line["path"]).as_uri()
            self._found.add(uri)
            if uri not in self._texts:
                self._publish(uri, self._structure(line["diagnostics"], list[types.Diagnostic]))
        elif "total" in line and token:
            done, total = line["done"], max(line["total"], 1)
            report = types.WorkDoneProgressReport(
                message=f"{done:,} of {total:,} files", percentage=100 * done // total
            )
            self._server.work_done_progress.report(token, report)
        elif "error" in line:
            message = types.ShowMessageParams(types.MessageType.Error, f"hipport: {line['error']}")
            self._server.window_show_message(message)
            return [line["error"]]
        elif "files" in line:
            return [f"{line['findings']:,} findings in {line['files']:,} files"]
        return []

    def _publish(self, uri: str, shown: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown))
