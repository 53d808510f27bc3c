"""Hover over a kernel, with a binary of the build."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.editor import begin, change, config, open_text
from tests.support.folders import FIXTURES

TRACE = FIXTURES / "trace"
SOURCE = (TRACE / "solver.hip").read_text()
LINES = SOURCE.splitlines()


@pytest_lsp.fixture(config=config("--binary", str(TRACE / "libsolver.so")))
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await begin(lsp_client, tmp_path)
    yield
    await lsp_client.shutdown_session()


async def hovered(client: LanguageClient, uri: str, line: str, word: str) -> str:
    """What is said of a word in the line that begins like that."""
    number = next(at for at, each in enumerate(LINES) if each.lstrip().startswith(line))
    place = types.Position(number, LINES[number].index(word) + 1)
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
    found = await client.text_document_hover_async(params)
    return found.contents.value if found else ""


ROW = "gfx942  3     0     8     40960  0        0       0       1024   yes"
HEAD = "target  vgpr  agpr  sgpr  lds    scratch  vspill  sspill  group  reg  waves"


@pytest.mark.asyncio
async def test_what_a_kernel_needs_and_how_its_launch_fits(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_text(client, tmp_path / "solver.hip", SOURCE, "hip")
    assert await hovered(client, uri, "relax<<<", "relax") == (
        "launch of `relax`; grid 1024, block 64, stream stream, in a loop\n\ncertain\n\n"
        f"```text\nrelax(float*)\n{HEAD}\n{ROW}  1/8 lds\n```"
    )
    definition = await hovered(client, uri, "__global__ void relax", "relax")
    assert definition == f"```text\nrelax(float*)\n{HEAD}\n{ROW}  -\n```"
    assert await hovered(client, uri, "relax<<<", "stream") == ""


@pytest.mark.asyncio
async def test_what_is_typed_counts(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "solver.hip", SOURCE, "hip")
    change(client, uri, SOURCE.replace("1024, 64,", "1024, 512,").replace("shift", "later"), 2)
    said = await hovered(client, uri, "relax<<<", "relax")
    assert "block 512" in said and f"{ROW}  2/8 lds\n" in said
    number = next(at for at, each in enumerate(LINES) if "shift<<<" in each)
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(number, 9))
    found = await client.text_document_hover_async(params)
    assert found and "none: no code object has" in found.contents.value
    assert "```" not in found.contents.value


@pytest_lsp.fixture(config=config("--binary", "lib.so"))
async def other(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await begin(lsp_client, tmp_path)
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_a_binary_that_is_not_there(other: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(other, tmp_path / "solver.hip", SOURCE, "hip")
    said = await hovered(other, uri, "relax<<<", "relax")
    assert said.startswith("lib.so: ")
