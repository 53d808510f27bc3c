"""How a session begins and ends: options, other editors, what is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.editor import SERVER, actions, begin, config, findings, open_text
from tests.support.command import hipport as run
from tests.support.command import make_tree
from tests.support.sessions import wait_for_session

CUDA = "void f(void *p) {\n  cudaFree(p);\n}\n"


@pytest_lsp.fixture(config=config("--check", "--workspace", "--isolated"))
async def strict(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    make_tree(tmp_path, {"b.cpp": CUDA, "hipport.toml": 'ignore = ["HP-PORT"]\n'})
    await begin(lsp_client, tmp_path, "neovim")
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_a_ported_tree_from_the_start(strict: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(strict, tmp_path / "a.cpp", CUDA, "cpp")
    (found,) = [each for each in await findings(strict, uri) if each.code == "HP-PORT-001"]
    assert found.severity == types.DiagnosticSeverity.Error
    other = (tmp_path / "b.cpp").as_uri()
    while other not in strict.diagnostics:
        await strict.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert "HP-PORT-001" in {each.code for each in strict.diagnostics[other]}


@pytest_lsp.fixture(config=config())
async def plain(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """An editor that can do nothing in particular."""
    params = types.InitializeParams(types.ClientCapabilities(), root_uri=tmp_path.as_uri())
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_an_editor_that_can_do_little(plain: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(plain, tmp_path / "a.cu", CUDA)
    offered = await actions(plain, uri, (1, 4))
    edit = offered["Convert `cudaFree` to `hipFree`"].edit
    assert edit and edit.changes and not edit.document_changes
    await plain.workspace_execute_command_async(
        types.ExecuteCommandParams("hipport.explain", ["HP-MEM-009"])
    )
    page = run("audit", "explain", "HP-MEM-009", cwd=tmp_path).out
    assert [each.message for each in plain.messages] == [page]
    make_tree(tmp_path, {"b.cu": CUDA})
    await plain.workspace_execute_command_async(
        types.ExecuteCommandParams("hipport.auditWorkspace")
    )
    assert not plain.progress_reports


def start(folder: Path) -> subprocess.Popen[bytes]:
    """A server in a session of its own, at work on a workspace."""
    server = subprocess.Popen(
        [*SERVER, "--workspace"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    for number, method, params in (
        (1, "initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}),
        (None, "initialized", {}),
    ):
        identity = {} if number is None else {"id": number}
        body = json.dumps({"jsonrpc": "2.0", **identity, "method": method, "params": params})
        assert server.stdin
        server.stdin.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        server.stdin.flush()
    return server


def children(process: int) -> list[int]:
    """The processes that a process started."""
    path = Path(f"/proc/{process}/task/{process}/children")
    return [int(each) for each in path.read_text().split()]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["closed", "killed"])
def test_no_process_is_left_behind(tmp_path: Path, way: str) -> None:
    make_tree(tmp_path, {f"src/{number}.cu": CUDA * 2000 for number in range(150)})
    server = start(tmp_path)
    while not (found := children(server.pid)):
        assert server.poll() is None
        time.sleep(0.01)
    if way == "killed":
        os.kill(server.pid, signal.SIGKILL)
    assert server.stdin and server.stdout
    server.stdin.close()
    server.stdout.close()
    server.wait(timeout=60)
    for each in found:  # The audit has a session of its own.
        wait_for_session(each)


def test_a_named_configuration_that_is_not_there(tmp_path: Path) -> None:
    ran = run("lsp", "--config", "none.toml", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "") and ran.err.startswith("hipport: ")
    assert "none.toml: " in ran.err


def test_without_pygls(tmp_path: Path) -> None:
    make_tree(tmp_path, {"pygls.py": "raise ModuleNotFoundError(name='pygls')\n"})
    done = subprocess.run(
        [sys.executable, "-c", "from hipport.__main__ import main; main()", "lsp"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = "hipport: the language server needs pygls (pip install 'hipport[lsp]')\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
