"""Helix and Zed, of which there is no package: their configuration, read as they read it."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig

from tests.lsp.editor import actions, findings, make_client, open_text
from tests.support.folders import CHECKOUT

PAGE = (CHECKOUT / "docs/editors.md").read_text("utf-8")
KERNEL = "void f() {\n  /* é🎉 */ cudaCtxResetPersistingL2Cache();\n}\n"
BEFORE = "  /* é🎉 */ "
# What each of them says that a column counts, the first that the server knows is taken.
ENCODINGS = {"Helix": ["utf-8", "utf-32", "utf-16"], "Zed": ["utf-16"]}


def blocks(editor: str, language: str) -> list[str]:
    """The code of a language in the part of the page about an editor."""
    (part,) = re.findall(rf"^## {editor}\n(.*?)^## ", PAGE, re.DOTALL | re.MULTILINE)
    return re.findall(rf"```{language}\n(.*?)```", part, re.DOTALL)


def helix() -> tuple[dict[str, Any], list[str]]:
    (text,) = blocks("Helix", "toml")
    configured = tomllib.loads(text)
    server = configured["language-server"]["hipport"]
    return configured, [server["command"], *server["args"]]


def zed() -> tuple[dict[str, Any], list[str]]:
    extension, _ = map(tomllib.loads, blocks("Zed", "toml"))
    (code,) = blocks("Zed", "rust")
    (command,) = re.findall(r'which\("(\w+)"\)', code)
    (arguments,) = re.findall(r"args: vec!\[(.*?)\]", code)
    return extension, [command, *re.findall(r'"(\w+)"', arguments)]


def test_the_configuration_of_helix() -> None:
    configured, _ = helix()
    (language,) = configured["language"]
    assert language["name"] == "cpp", "the language that Helix has for .cu"
    assert "hipport" in language["language-servers"]


def test_the_extension_for_zed() -> None:
    extension, package = map(tomllib.loads, blocks("Zed", "toml"))
    assert {"id", "name", "version", "schema_version", "authors"} <= extension.keys()
    assert "C++" in extension["language_servers"]["hipport"]["languages"]
    assert package["package"]["name"] == extension["id"]
    assert package["lib"]["crate-type"] == ["cdylib"]
    assert "zed_extension_api" in package["dependencies"]


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize("editor", sorted(ENCODINGS))
async def test_the_command_answers_as_the_editor_asks(
    editor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, command = {"Helix": helix, "Zed": zed}[editor]()
    programs = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    client = await ClientServerConfig(command, client_factory=make_client).start()
    try:
        encodings = [types.PositionEncodingKind(each) for each in ENCODINGS[editor]]
        begun = await client.initialize_session(
            types.InitializeParams(
                types.ClientCapabilities(
                    general=types.GeneralClientCapabilities(position_encodings=encodings)
                ),
                root_uri=tmp_path.as_uri(),
            )
        )
        assert begun.capabilities.position_encoding == encodings[0]
        uri = open_text(client, tmp_path / "a.cu", KERNEL, "cpp")
        (found,) = [each for each in await findings(client, uri) if each.code == "HP-MEM-009"]
        units = BEFORE.encode("utf-8") if editor == "Helix" else BEFORE.encode("utf-16-le")[::2]
        assert found.range.start == types.Position(1, len(units))
        offered = await actions(client, uri, (1, len(units)))
        assert any(title.startswith("Convert this file to HIP") for title in offered)
    finally:
        await client.shutdown_session()
        await client.stop()
