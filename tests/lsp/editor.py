"""An editor, as the language server sees one: a client over standard input and output."""

from __future__ import annotations

import sys
from pathlib import Path

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

SERVER = [sys.executable, "-m", "hipport", "lsp", "--stdio"]


def make_client() -> LanguageClient:
    """A client that takes edits, and remembers them."""
    client = make_test_lsp_client()
    client.edits = []

    @client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        client.edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    return client


def config(*options: str) -> ClientServerConfig:
    """The server with options, and the client for it."""
    return ClientServerConfig([*SERVER, *options], client_factory=make_client)


async def begin(client: LanguageClient, folder: Path, name: str = "visual-studio-code") -> None:
    """Begin a session in a folder, with what an editor of that name can do."""
    uri = folder.as_uri()
    await client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(name),
            root_uri=uri,
            workspace_folders=[types.WorkspaceFolder(uri, folder.name)],
        )
    )


def open_text(
    client: LanguageClient, path: Path | str, text: str, language: str = "cuda-cpp"
) -> str:
    """Open a text; returns its URI."""
    uri = path if isinstance(path, str) else path.as_uri()
    item = types.TextDocumentItem(uri, language, 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return uri


def change(client: LanguageClient, uri: str, text: str, version: int) -> None:
    """Replace the content of a text."""
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, uri),
            [types.TextDocumentContentChangeWholeDocument(text)],
        )
    )


async def lenses(client: LanguageClient, uri: str) -> list[types.CodeLens]:
    """The code lenses of a text."""
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    return list(await client.text_document_code_lens_async(params) or [])


async def findings(client: LanguageClient, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of the newest version: its lenses come when it has been checked."""
    await lenses(client, uri)
    return list(client.diagnostics[uri])


async def actions(
    client: LanguageClient, uri: str, start: tuple[int, int], end: tuple[int, int] | None = None
) -> dict[str, types.CodeAction]:
    """The code actions at a place or for a selection, by title.

    lsprotocol reads those with a command alone as commands, of which the title is right.
    """
    place = types.Range(types.Position(*start), types.Position(*(end or start)))
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(uri), place, types.CodeActionContext([])
    )
    found = await client.text_document_code_action_async(params)
    return {each.title: each for each in found or []}


def applied(text: str, edits: types.WorkspaceEdit | None) -> str:
    """The text after an edit of it: what an editor makes of it, counting UTF-16 code units."""
    assert edits
    if edits.document_changes:
        (change,) = edits.document_changes
        made = list(change.edits)
    else:
        (made,) = edits.changes.values()
    units = text.encode("utf-16-le")
    starts = [0]
    for at in range(0, len(units), 2):
        if units[at : at + 2] == b"\n\0":
            starts.append(at + 2)

    def offset(place: types.Position) -> int:
        return starts[place.line] + 2 * place.character

    pieces, done = [], 0
    for each in sorted(made, key=lambda each: offset(each.range.start)):
        start, end = offset(each.range.start), offset(each.range.end)
        assert start >= done, "edits overlap"
        pieces += [units[done:start], each.new_text.encode("utf-16-le")]
        done = end
    return b"".join([*pieces, units[done:]]).decode("utf-16-le")
