"""A real editor: Debian's Neovim, set up as docs/editors.md says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hipport
from tests.project.test_packaging import built
from tests.support.command import make_tree
from tests.support.environments import make_environment

PAGE = Path(__file__).resolve().parents[2] / "docs/editors.md"
KERNEL = """\
// é 🎉
__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
void run(float *d) {
  /* 🎉 */ scale<<<1, 256>>>(d); cudaCtxResetPersistingL2Cache();
}
"""
SCRIPT = """\
local function written(name, value)
  local file = assert(io.open(name, "w"))
  file:write(vim.fn.json_encode(value))
  file:close()
end
local function codes()
  return vim.tbl_map(function(each)
    return { each.code or each.user_data.lsp.code, each.lnum, each.col, each.severity }
  end, vim.diagnostic.get(0))
end
local function apply(kind, title)
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = {}, only = { kind } }
  local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 60000)
  for _, answer in pairs(answers) do
    for _, action in ipairs(answer.result) do
      if action.title:find(title, 1, true) then
        vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
        return
      end
    end
  end
  error("no action " .. title)
end
vim.cmd("edit a.cu")
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end)
written("first.json", codes())
vim.fn.cursor(4, 45)
apply("quickfix", "Ignore HP-MEM-009 here")
vim.cmd("write")
vim.cmd("write! ignored.cu")
vim.wait(60000, function()
  for _, each in ipairs(codes()) do
    if each[1] == "HP-MEM-009" then return false end
  end
  return true
end)
written("second.json", codes())
apply("source.convert.hipport", "Convert this file to HIP")
vim.cmd("write")
vim.cmd("qall!")
"""


@pytest.mark.toolchain
def test_diagnostics_and_actions_in_neovim(tmp_path: Path) -> None:
    drive(tmp_path, Path(sys.executable).with_name("hipport"))


@pytest.mark.toolchain
@pytest.mark.real
@pytest.mark.slow
def test_as_it_is_installed(tmp_path: Path) -> None:
    wheel = built(tmp_path / "wheel", "-t", "wheel")
    programs = make_environment(tmp_path / "venv", f"{wheel}[lsp]")
    drive(make_tree(tmp_path / "tree", {}), programs / "hipport")


def drive(folder: Path, program: Path) -> None:
    """Edit a file in a folder, and check what became of it."""
    (setup,) = re.findall(r"```lua\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    files = {"a.cu": KERNEL, "init.lua": setup, "drive.lua": SCRIPT}
    make_tree(folder, files)
    programs = folder / "bin"
    programs.mkdir()
    (programs / "hipport").symlink_to(program)
    environment = {
        **os.environ,
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "none"),
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    command = ["nvim", "--headless", "-n", "-u", "init.lua", "-S", "drive.lua"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    first = json.loads((folder / "first.json").read_text())
    column = len("  /* 🎉 */ scale<<<1, 256>>>(d); ".encode())  # Neovim counts bytes.
    assert ["HP-MEM-009", 3, column, 4] in first
    second = json.loads((folder / "second.json").read_text())
    assert "HP-MEM-009" not in {code for code, *_ in second}
    ignored = (folder / "ignored.cu").read_text()
    assert "// hipport: ignore[HP-MEM-009]: say why" in ignored
    converted = (folder / "a.cu").read_text()
    assert converted == hipport.convert(ignored.encode(), "a.cu").data.decode()
    assert "hipLaunchKernelGGL(scale" in converted
