"""The client for Visual Studio Code: built, installed and used as docs/editors.md says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hipport
from tests.lsp.code_server import Code
from tests.support.chromium import browser
from tests.support.command import make_tree
from tests.support.folders import CHECKOUT

KERNEL = """\
__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
void run(float *d) {
  scale<<<1, 256>>>(d); cudaCtxResetPersistingL2Cache();
}
"""
# An extension that uses the editor, and writes down what it finds.
DRIVER = {
    "package.json": json.dumps(
        {
            "name": "driver",
            "publisher": "test",
            "version": "0.0.1",
            "engines": {"vscode": "^1.82.0"},
            "main": "./main.js",
            "activationEvents": ["onStartupFinished"],
            "capabilities": {"untrustedWorkspaces": {"supported": True}},
        }
    ),
    "main.js": """\
const { commands, languages, window, workspace, Range, Uri } = require("vscode");
const { rename, writeFile } = require("fs/promises");
const folder = workspace.workspaceFolders[0].uri;
const open = async (name) => workspace.openTextDocument(Uri.joinPath(folder, name));
const codes = (uri) => languages.getDiagnostics(uri).map((each) => [
  each.code.value, each.code.target?.toString(), each.range.start.line, each.range.start.character,
  each.severity, each.source]);
async function until(test) {
  while (!test()) await new Promise((done) => setTimeout(done, 50));
}
async function written(name, value) {
  const path = Uri.joinPath(folder, name).fsPath;
  await writeFile(path + ".part", JSON.stringify(value));
  await rename(path + ".part", path);
}
async function drive() {
  const text = await open("a.cu");
  await window.showTextDocument(text);
  await until(() => codes(text.uri).length > 0);
  await written("untrusted.json", [text.languageId, ...codes(text.uri)]);
  const shown = () => codes(text.uri).map(([code]) => code);
  await until(() => workspace.isTrusted && shown().length && !shown().includes("HP-MEM-009"));
  const place = text.positionAt(text.getText().indexOf("cudaCtx") + 3);
  const hovers = await commands.executeCommand("vscode.executeHoverProvider", text.uri, place);
  const said = hovers.flatMap((each) => each.contents.map((content) => content.value)).join();
  const lenses = await commands.executeCommand("vscode.executeCodeLensProvider", text.uri);
  const titles = lenses.map((each) => each.command.title);
  await commands.executeCommand("hipport.audit");
  await until(() => codes(Uri.joinPath(folder, "b.cu")).length > 0);
  const other = codes(Uri.joinPath(folder, "b.cu"));
  const all = new Range(0, 0, text.lineCount, 0);
  const offered = await commands.executeCommand(
    "vscode.executeCodeActionProvider", text.uri, all, "source.convert.hipport");
  await workspace.applyEdit(offered[0].edit);
  const { title } = offered[0];
  await written("trusted.json", { said, titles, other, title, converted: text.getText() });
}
exports.activate = () => drive().catch((error) => written("trusted.json", { error: error.stack }));
""",
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("client")
    ignored = shutil.ignore_patterns("node_modules", "out")
    shutil.copytree(CHECKOUT / "editors", folder / "editors", ignore=ignored)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(CHECKOUT / name, folder / name)
    subprocess.run(["make", "vscode"], cwd=folder, check=True, capture_output=True, timeout=590)
    return folder / "build/hipport-vscode.vsix"


@pytest.mark.real
@pytest.mark.slow
def test_the_package_is_built(package: Path) -> None:
    with zipfile.ZipFile(package) as opened:
        names = set(opened.namelist())
        described = json.loads(opened.read("extension/package.json"))
        program = opened.read("extension/out/extension.js").decode()
    assert {name for name in names if name.startswith("extension/")} == {
        "extension/package.json",
        "extension/README.md",
        "extension/out/extension.js",
    }
    assert described["main"] == "./out/extension.js"
    assert "hipport.auditWorkspace" in program and "--isolated" in program


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.toolchain
def test_the_package_in_visual_studio_code(package: Path, tmp_path: Path) -> None:
    """In a folder that is not trusted, whose configuration must not count, and then is."""
    configured = 'ignore = ["HP-MEM-009"]\n'
    tree = {"a.cu": KERNEL, "b.cu": KERNEL, "hipport.toml": configured}
    workspace = make_tree(tmp_path / "workspace", tree)
    program = str(Path(sys.executable).with_name("hipport"))
    code = Code(tmp_path, {"hipport.command": program})
    make_tree(code.extensions / "driver", DRIVER)
    assert "successfully installed" in code.install(package)
    buttons = "[...document.querySelectorAll('.monaco-dialog-box a')]"
    trust = f"{buttons}.find(each => each.text.startsWith('Yes'))"
    first, second = workspace / "untrusted.json", workspace / "trusted.json"
    with code.serving(workspace) as address, browser() as page:
        page.open(address, 1000, 700)
        page.wait_until(lambda: page.value(f"!!{trust}"), "the question of trust", 180)
        page.wait_until(first.is_file, "diagnostics", 180)
        page.value(f"{trust}.click()")
        page.wait_until(second.is_file, "a converted file", 180)

    language, *found = json.loads(first.read_text())
    assert language == "cuda-cpp"
    (finding,) = [each for each in found if each[0] == "HP-MEM-009"]
    assert finding[1].startswith("https://")
    assert finding[2:] == [2, KERNEL.splitlines()[2].index("cudaCtx"), 3, "hipport"]
    made = json.loads(second.read_text())
    assert "error" not in made, made["error"]
    assert "`cudaCtxResetPersistingL2Cache` has no counterpart in HIP" in made["said"]
    assert "kernel scale: 1 launch, 1 finding in this file" in made["titles"]
    assert made["title"].startswith("Convert this file to HIP (")
    assert made["other"] and "HP-MEM-009" not in {each[0] for each in made["other"]}
    assert made["converted"] == hipport.convert(KERNEL.encode(), "a.cu").data.decode()


def test_what_the_lock_file_names_is_in_no_particular_registry() -> None:
    locked = (CHECKOUT / "editors/vscode/package-lock.json").read_text("utf-8")
    assert '"resolved"' not in locked
    assert json.loads(locked)["packages"][""]["dependencies"].keys() == {"vscode-languageclient"}
