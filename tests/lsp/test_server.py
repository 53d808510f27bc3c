"""The language server as an editor sees it: over stdio, with texts that are on no disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

import hipport
from tests.lsp.editor import actions, applied, begin, change, config, findings, lenses, open_text
from tests.support.command import hipport as run
from tests.support.command import make_tree

pytestmark = pytest.mark.asyncio
KERNEL = """\
#include <cstdio>
__global__ void scale(float *x, int n) {
  x[threadIdx.x] *= n;
}
void run(float *h, float *d, int n) {
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  scale<<<1, 256>>>(d, n);
  cudaCtxResetPersistingL2Cache();
}
"""


@pytest_lsp.fixture(config=config())
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await begin(lsp_client, tmp_path)
    yield
    await lsp_client.shutdown_session()


async def test_findings_are_those_of_the_command_line(
    client: LanguageClient, tmp_path: Path
) -> None:
    make_tree(tmp_path, {"a.cu": KERNEL})
    uri = open_text(client, tmp_path / "a.cu", KERNEL)
    (found,) = [each for each in await findings(client, uri) if each.code == "HP-MEM-009"]
    printed = run("audit", "--fail-on", "never", "a.cu", cwd=tmp_path).out
    assert "a.cu:8:3: info HP-MEM-009" in printed
    start, end = types.Position(7, 2), types.Position(7, 31)
    assert (found.range.start, found.range.end) == (start, end)
    assert found.source == "hipport"
    assert found.severity == types.DiagnosticSeverity.Hint
    assert found.message.removesuffix(". Leave it out.") in printed
    assert found.code_description and found.code_description.href.startswith("https://")


async def test_what_is_typed_counts_and_not_the_disk(
    client: LanguageClient, tmp_path: Path
) -> None:
    make_tree(tmp_path, {"a.cu": KERNEL})
    uri = open_text(client, tmp_path / "a.cu", "int x;\n")
    assert await findings(client, uri) == []
    change(client, uri, KERNEL, 2)
    assert "HP-MEM-009" in {each.code for each in await findings(client, uri)}
    for version in range(3, 40):
        change(client, uri, KERNEL.replace("cudaCtxReset", "x" * version), version)
    change(client, uri, "\n\n" + KERNEL, 40)
    found = [each for each in await findings(client, uri) if each.code == "HP-MEM-009"]
    assert [each.range.start.line for each in found] == [9]


async def test_closing_takes_findings_back(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "a.cu", KERNEL)
    assert await findings(client, uri)
    closing = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
    client.text_document_did_close(closing)
    other = open_text(client, tmp_path / "b.cu", KERNEL)
    await findings(client, other)
    assert not client.diagnostics[uri]


async def test_the_whole_file_is_converted_as_by_the_program(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_text(client, tmp_path / "a.cu", KERNEL)
    offered = await actions(client, uri, (0, 0))
    (title,) = [each for each in offered if each.startswith("Convert this file to HIP (")]
    wanted = hipport.convert(KERNEL.encode(), "a.cu").data.decode()
    assert applied(KERNEL, offered[title].edit) == wanted
    assert offered[title].kind == "source.convert.hipport"


async def test_a_call_a_launch_and_a_selection(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "a.cu", KERNEL)
    offered = await actions(client, uri, (5, 24))
    assert list(offered)[:2] == [
        "Convert `cudaMemcpyHostToDevice` to `hipMemcpyHostToDevice`",
        "Convert `cudaMemcpy` to `hipMemcpy`",
    ]
    call = applied(KERNEL, offered["Convert `cudaMemcpy` to `hipMemcpy`"].edit).splitlines()
    assert call[0] == "#include <hip/hip_runtime.h>"
    assert call[6] == "  hipMemcpy(d, h, n, hipMemcpyHostToDevice);"
    assert call[7] == "  scale<<<1, 256>>>(d, n);"
    launch = (await actions(client, uri, (6, 10)))["Convert the launch of `scale`"]
    lines = applied(KERNEL, launch.edit).splitlines()
    assert lines[7] == "  hipLaunchKernelGGL(scale, dim3(1), dim3(256), 0, 0, d, n);"
    assert lines[6] == "  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);"
    chosen = await actions(client, uri, (5, 0), (6, 26))
    (title,) = [each for each in chosen if each.startswith("Convert the selection")]
    text = applied(KERNEL, chosen[title].edit)
    assert "hipMemcpy(" in text and "hipLaunchKernelGGL" in text and "cudaCtxReset" in text


async def test_a_fix_is_written(client: LanguageClient, tmp_path: Path) -> None:
    text = "__global__ void __launch_bounds__(256, 2) k(int *x) { x[threadIdx.x] = 1; }\n"
    found = hipport.convert(text.encode(), "a.cu").findings
    fixed = next(each for each in found if each.fix)
    assert fixed.fix
    uri = open_text(client, tmp_path / "a.cu", text)
    place = (fixed.start.line - 1, fixed.start.column - 1)
    offered = await actions(client, uri, place)
    (title,) = [each for each in offered if fixed.fix.safety in each and fixed.code in each]
    new = applied(text, offered[title].edit)
    assert all(each.text in new for each in fixed.fix.replacements) and new != text


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.cu", KERNEL, "HP-MEM-009"),
        ("a.cu", KERNEL.replace("\n", "\r\n"), "HP-MEM-009"),
        ("a.cu", "#define F() do { \\\n  cudaCtxResetPersistingL2Cache(); \\\n } while (0)\n", ""),
        ("requirements.txt", "torch\ncupy-cuda12x\n", ""),
        ("CMakeLists.txt", 'set(A "-arch=sm_80")\nfind_package(CUDA)\n', ""),
        ("Makefile", "F = -arch=sm_80 \\\n  -O3\na.o: a.cu\n\tnvcc $(F) -c a.cu\n", ""),
    ],
)
async def test_a_suppression_hides_its_finding(
    client: LanguageClient, tmp_path: Path, name: str, text: str, code: str
) -> None:
    uri = open_text(client, tmp_path / name, text, "plaintext")
    found = await findings(client, uri)
    each = next(each for each in found if not code or each.code == code)
    offered = await actions(client, uri, (each.range.start.line, each.range.start.character))
    new = applied(text, offered[f"Ignore {each.code} here, with a reason"].edit)
    added = 0 if name == "a.cu" else 1  # Elsewhere, the comment is on a line of its own.
    assert len(new.splitlines()) == len(text.splitlines()) + added
    assert new.count("\r\n") == text.count("\r\n")
    change(client, uri, new, 2)
    left = [(other.code, other.range.start.line) for other in await findings(client, uri)]
    assert (each.code, each.range.start.line + added) not in left
    assert "HP-SUPPRESS-001" not in {code for code, _ in left}


async def test_the_page_of_a_finding_is_opened(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "a.cu", KERNEL)
    offered = await actions(client, uri, (7, 5))
    assert "Explain HP-MEM-009" in offered
    params = types.ExecuteCommandParams("hipport.explain", ["HP-MEM-009"])
    await client.workspace_execute_command_async(params)
    (shown,) = client.shown_documents
    page = Path(shown.uri.removeprefix("file://"))
    assert page.read_text() == run("audit", "explain", "HP-MEM-009", cwd=tmp_path).out
    await client.shutdown_async(None)
    client.exit(None)
    await client._server.wait()
    assert not page.exists()
    client.capabilities = None  # The session is over.


async def test_positions_are_utf_16_code_units(client: LanguageClient, tmp_path: Path) -> None:
    text = "// \x0c form feed\r\nvoid f() {\r\n/* 🎉é */ cudaCtxResetPersistingL2Cache(); }\r\n"
    uri = open_text(client, tmp_path / "a.cu", text)
    (found,) = [each for each in await findings(client, uri) if each.code == "HP-MEM-009"]
    assert (found.range.start, found.range.end) == (types.Position(2, 10), types.Position(2, 39))
    text = "void f() {\r\n/* 🎉 */ cudaFree(0); /* 🎉 */ cudaFree(0); }\r\n"
    change(client, uri, text, 2)
    offered = await actions(client, uri, (1, 32))
    new = applied(text, offered["Convert `cudaFree` to `hipFree`"].edit)
    assert "/* 🎉 */ cudaFree(0); /* 🎉 */ hipFree(0); }\r\n" in new


@pytest.mark.parametrize(
    ("name", "language", "code"),
    [
        ("untitled:Untitled-1", "cuda-cpp", "HP-MEM-009"),
        ("untitled:Untitled-1", "plaintext", None),
        ("file:///elsewhere/x.inc", "cuda-cpp", "HP-MEM-009"),
    ],
)
async def test_texts_without_a_file(
    client: LanguageClient, name: str, language: str, code: str | None
) -> None:
    uri = open_text(client, name, KERNEL, language)
    found = {each.code for each in await findings(client, uri)}
    assert code in found if code else found == set()


async def test_configuration_counts_and_is_read_again(
    client: LanguageClient, tmp_path: Path
) -> None:
    make_tree(tmp_path, {"hipport.toml": 'ignore = ["HP-MEM-009"]\n'})
    uri = open_text(client, tmp_path / "a.cu", KERNEL)
    assert "HP-MEM-009" not in {each.code for each in await findings(client, uri)}
    (tmp_path / "hipport.toml").write_text('severity = { HP-MEM-009 = "blocker" }\n')
    saved = types.TextDocumentIdentifier((tmp_path / "hipport.toml").as_uri())
    client.text_document_did_save(types.DidSaveTextDocumentParams(saved))
    (found,) = [each for each in await findings(client, uri) if each.code == "HP-MEM-009"]
    assert found.severity == types.DiagnosticSeverity.Error
    (tmp_path / "hipport.toml").write_text("lunch = 1\n")
    client.text_document_did_save(types.DidSaveTextDocumentParams(saved))
    (fault,) = await findings(client, uri)
    assert "hipport.toml: lunch" in fault.message and "hipport help configuration" in fault.message


async def test_what_is_excluded_is_left_alone(client: LanguageClient, tmp_path: Path) -> None:
    make_tree(tmp_path, {"hipport.toml": 'exclude = ["vendor/"]\n', "vendor/x": "", "src/x": ""})
    uri = open_text(client, tmp_path / "vendor/a.cu", KERNEL)
    assert await findings(client, uri) == [] and await actions(client, uri, (5, 4)) == {}
    assert await findings(client, open_text(client, tmp_path / "src/a.cu", KERNEL))
    (tmp_path / "hipport.toml").unlink()
    change(client, uri, KERNEL + "\n", 2)
    assert await findings(client, uri)


async def test_an_audit_of_the_workspace_is_cancelled(
    client: LanguageClient, tmp_path: Path
) -> None:
    make_tree(tmp_path, {f"src/{number}.cu": KERNEL * 500 for number in range(150)})
    audit = asyncio.ensure_future(
        client.workspace_execute_command_async(types.ExecuteCommandParams("hipport.auditWorkspace"))
    )
    while not any(client.progress_reports.values()):
        await asyncio.sleep(0.01)
    (token,) = client.progress_reports
    client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    await audit
    assert client.progress_reports[token][-1] == types.WorkDoneProgressEnd(message="cancelled")
    assert client.diagnostics == {}


async def test_what_cannot_be_read_is_said(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "a.cu", "// x\n" * 300_000)
    (found,) = await findings(client, uri)
    assert found.message == "larger than 1 MiB: use hipport audit"
    change(client, uri, "int x;\0\n", 2)
    (found,) = await findings(client, uri)
    assert found.message.startswith("binary data in a text file")
    broken = open_text(client, tmp_path / "CMakeLists.txt", "find_package(CUDA)\nset(A\n", "cmake")
    said = [each.message for each in await findings(client, broken)]
    assert said[0] == "read in part: broken CMake: `(` in line 2 is never closed"
    assert len(said) > 1


async def test_a_file_that_does_not_parse_has_findings(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_text(client, tmp_path / "a.cu", KERNEL + "void g( { ] cudaFree(0 \n \ud800 #if\n")
    assert "HP-MEM-009" in {each.code for each in await findings(client, uri)}


async def test_hover_says_what_a_name_becomes(client: LanguageClient, tmp_path: Path) -> None:
    text = "#include <cublas_v2.h>\nint x = cudaMemPrefetchAsync(0) + hipMalloc(0);\nfoo();\n"
    uri = open_text(client, tmp_path / "a.cu", text)

    async def hover(line: int, character: int, uri: str = uri) -> str:
        params = types.HoverParams(
            types.TextDocumentIdentifier(uri), types.Position(line, character)
        )
        found = await client.text_document_hover_async(params)
        return found.contents.value if found else ""

    header = await hover(0, 12)
    assert "`cublas_v2.h` → **hipblas/hipblas.h** or **rocblas/rocblas.h**" in header
    name = await hover(1, 10)
    assert name.startswith("`cudaMemPrefetchAsync` → **hipMemPrefetchAsync**")
    assert "CUDA since 8.0; HIP since 3.7" in name
    assert "CUDA 12 form: 3 or 4 arguments; CUDA 13 form: 5" in name
    assert "<https://docs.nvidia.com/cuda/cuda-runtime-api/> <https://rocm.docs.amd.com/" in name
    assert (await hover(1, 40)).startswith("**hipMalloc** is HIP's name for `cudaMalloc`")
    assert await hover(2, 1) == ""
    relax = open_text(client, tmp_path / "b.cu", "__global__ void relax();\n")
    assert await hover(0, 18, relax) == "", "a function of Python's libraries"
    build = open_text(client, tmp_path / "CMakeLists.txt", "find_package(CUDAToolkit)\n", "cmake")
    assert "hip" in await hover(0, 16, build)


async def test_lenses_above_kernels_and_launches(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "a.cu", KERNEL)
    shown = await lenses(client, uri)
    titles = [(each.range.start.line, each.command.title) for each in shown if each.command]
    (whole, kernel, launch) = titles
    assert whole[0] == 0 and whole[1].startswith("Convert this file to HIP (")
    assert kernel == (1, "kernel scale: 1 launch, 1 finding in this file")
    assert launch == (6, "Convert the launch of scale")
    command = shown[2].command
    assert command
    params = types.ExecuteCommandParams(command.command, command.arguments)
    await client.workspace_execute_command_async(params)
    (edit,) = client.edits
    assert "hipLaunchKernelGGL(scale, " in applied(KERNEL, edit)
    change(client, uri, "\n" + KERNEL, 2)
    await client.workspace_execute_command_async(params)
    assert len(client.edits) == 1
    assert client.messages[-1].message.startswith("The text has changed since")


async def test_the_workspace_with_progress(client: LanguageClient, tmp_path: Path) -> None:
    latin = KERNEL.replace("\n", "\r\n").replace("  cudaCtx", "/* é */ cudaCtx").encode("latin-1")
    make_tree(tmp_path, {"src/a.cu": KERNEL, "b.cu": latin, "c.txt": "cudaFree"})
    uri = open_text(client, tmp_path / "src/a.cu", "int x;\n")
    assert await findings(client, uri) == []
    params = types.ExecuteCommandParams("hipport.auditWorkspace")
    await client.workspace_execute_command_async(params)
    (found,) = [
        each
        for each in client.diagnostics[(tmp_path / "b.cu").as_uri()]
        if each.code == "HP-MEM-009"
    ]
    assert found.range.start == types.Position(7, 8)
    assert not client.diagnostics[uri]  # What is open counts, not the disk.
    ((first, *_, last),) = client.progress_reports.values()
    assert isinstance(first, types.WorkDoneProgressBegin)
    assert isinstance(last, types.WorkDoneProgressEnd) and "findings in" in (last.message or "")
    closing = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
    client.text_document_did_close(closing)
    other = open_text(client, "untitled:x", "", "cuda-cpp")
    for _ in range(100):
        await findings(client, other)
        if client.diagnostics[uri]:
            break
        await asyncio.sleep(0.01)
    assert "HP-MEM-009" in {each.code for each in client.diagnostics[uri]}
