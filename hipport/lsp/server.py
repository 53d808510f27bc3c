"""The server: which request is answered by what."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from hipport import __version__
from hipport.lsp.actions import EXPLAIN, KINDS, Actions, edit_of, workspace_edit
from hipport.lsp.checked_text import SOURCES, CheckedText, Checker
from hipport.lsp.diagnostics import SOURCE, diagnostics
from hipport.lsp.explaining import Explaining
from hipport.lsp.hover import hover
from hipport.lsp.kernel_hover import kernel_hover
from hipport.lsp.lenses import lenses
from hipport.lsp.open_texts import OpenText, OpenTexts
from hipport.lsp.partial_conversion import selected
from hipport.lsp.workspace_diagnostics import WorkspaceDiagnostics
from hipport.model import Span
from hipport.runs.audit_request import AuditRequest
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.trace_text import TextTraces
from hipport.source.audit.audit_file import kind_of
from hipport.source.tree.file_task import language_of

CONVERT = "hipport.convert"
AUDIT_WORKSPACE = "hipport.auditWorkspace"
_CONFIGURATIONS = ("hipport.toml", "pyproject.toml")
# The names that editors have for languages, for texts whose own name says nothing.
_ENDINGS = {
    "cuda": ".cu",
    "cuda-cpp": ".cu",
    "hip": ".hip",
    "cpp": ".cpp",
    "c": ".c",
    "python": ".py",
    "cmake": ".cmake",
    "makefile": ".mk",
    "make": ".mk",
}


class Server(LanguageServer):
    """One session of an editor."""

    def __init__(
        self, audit: AuditRequest, checker: Checker, traces: TextTraces, *, workspace: bool
    ) -> None:
        # Whole texts: pygls takes form feeds and others for ends of lines, which would put
        # changes of a part into wrong places.
        super().__init__(SOURCE, __version__, types.TextDocumentSyncKind.Full)
        self._audit, self._checker, self.traces = audit, checker, traces
        self._audits_at_start = workspace
        self.explaining = Explaining(self)

    def begin(self) -> None:
        """What needs to know the client: called when it has introduced itself."""
        encoding = types.PositionEncodingKind(self.workspace.position_encoding).value
        self.texts = OpenTexts(self._checker, self._publish, encoding)
        self.audits = WorkspaceDiagnostics(self, self.texts, self._audit, encoding)

    async def start(self) -> None:
        """Load what the first text needs, and look at the workspace if that is wanted."""
        await self.texts.in_worker(self.texts.checker.load)
        await self.texts.in_worker(self.texts.checker.load_more)
        if self._audits_at_start:
            await self.audits.run()

    def _publish(self, each: OpenText, checked: CheckedText) -> None:
        shown = types.PublishDiagnosticsParams(each.uri, diagnostics(checked), each.version)
        self.text_document_publish_diagnostics(shown)

    def close(self) -> None:
        """Leave nothing behind."""
        if hasattr(self, "texts"):
            self.audits.cancel()
            self.texts.close()
        self.explaining.close()

    @property
    def versions_edits(self) -> bool:
        """Whether the editor takes edits of one version of a text."""
        known = self.client_capabilities.workspace
        return bool(known and known.workspace_edit and known.workspace_edit.document_changes)


def name_of(uri: str, language: str) -> str:
    """The path that says what a text is and where its configuration is."""
    name = to_fs_path(uri) or uri.partition(":")[2] or uri
    if language_of(name) or kind_of(PurePath(name).as_posix()):
        return name
    return name + _ENDINGS.get(language, "")


def serve(
    audit: AuditRequest, convert: ConvertRequest, binaries: Iterable[Path], *, workspace: bool
) -> None:
    """Serve one editor over standard input and output, until it says exit or is gone.

    Of `binaries`, the kernels are shown where the cursor is on one. Raises HipportError for a
    configuration file that was named and cannot be read.
    """
    traces = TextTraces(binaries)
    server = Server(audit, Checker(audit, convert), traces, workspace=workspace)
    _follow_texts(server)
    _answer(server)
    _run_commands(server)
    # pygls closes its output; what is printed by mistake must not get between the messages.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        server.start_io(sys.stdin.buffer, output)
    finally:
        server.close()


def _follow_texts(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(_: types.InitializeParams) -> None:
        server.begin()

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        await server.start()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        each = params.text_document
        name = name_of(each.uri, each.language_id)
        server.texts.put(each.uri, name, each.text, each.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        each = params.text_document
        text = server.workspace.get_text_document(each.uri).source
        server.texts.change(each.uri, text, each.version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        if params.text_document.uri.rpartition("/")[2] in _CONFIGURATIONS:
            server.texts.check_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def on_disk(_: types.DidChangeWatchedFilesParams) -> None:
        server.texts.check_all()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.texts.drop(uri)
        await server.audits.closed(uri)


def _answer(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=KINDS)
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        known = await server.texts.known(params.text_document.uri)
        if known is None:
            return []
        each, checked = known
        made = Actions(checked, each.uri, each.version, versioned=server.versions_edits)
        return await server.texts.in_worker(made.at, params.range, params.context.only)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        known = await server.texts.known(params.text_document.uri)
        if known is None:
            return None
        return await server.texts.in_worker(_hover, server, known[1], params.position)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        known = await server.texts.known(params.text_document.uri)
        return await server.texts.in_worker(_lenses, *known) if known else []


def _hover(server: Server, checked: CheckedText, place: types.Position) -> types.Hover | None:
    if checked.fault:
        return None
    text, is_source = checked.text, checked.kind in SOURCES
    offset = text.offset_at(place)
    found = kernel_hover(checked, offset, server.traces) if is_source else None
    if found is None:
        _, settings = server.texts.checker.settings(checked.name)
        decisions = settings.decisions(Path(checked.name))
        found = hover(text.data, offset, decisions, is_source=is_source)
    if found is None:
        return None
    span, said = found
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said), text.range(*span))


def _lenses(each: OpenText, checked: CheckedText) -> list[types.CodeLens]:
    found = []
    for lens in lenses(checked):
        shown = checked.text.range(*lens.span)
        line = types.Range(shown.start, shown.start)
        command = types.Command(lens.title, "")
        if lens.part:
            whole = checked.text.range(*lens.part.span)
            command = types.Command(lens.title, CONVERT, arguments=[each.uri, each.version, whole])
        found.append(types.CodeLens(line, command))
    return found


def _run_commands(server: Server) -> None:
    @server.command(CONVERT)
    async def convert(uri: str, version: int | None, place: types.Range) -> None:
        known = await server.texts.known(uri)
        if known is None or known[0].version != version:
            _say(server, "The text has changed since: nothing was converted.")
            return
        _, checked = known
        text = checked.text
        span = Span(text.offset_at(place.start), text.offset_at(place.end))
        part = await server.texts.in_worker(selected, checked, span)
        edits = edit_of(part, text)
        edit = workspace_edit(edits, uri, version, versioned=server.versions_edits)
        applied = types.ApplyWorkspaceEditParams(edit, label="hipport")
        await server.workspace_apply_edit_async(applied)

    @server.command(EXPLAIN)
    async def explain(code: str) -> None:
        await server.explaining.show(code)

    @server.command(AUDIT_WORKSPACE)
    async def audit_workspace() -> None:
        await server.audits.run()

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancelled(_: types.WorkDoneProgressCancelParams) -> None:
        server.audits.cancel()


def _say(server: Server, message: str) -> None:
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))
