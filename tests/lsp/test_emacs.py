"""Debian's Emacs with eglot, set up as docs/editors.md says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hipport
from tests.support.command import make_tree
from tests.support.folders import CHECKOUT

KERNEL = """\
// é 🎉
__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
void run(float *d) {
  /* 🎉 */ scale<<<1, 256>>>(d); cudaCtxResetPersistingL2Cache();
}
"""
SCRIPT = """\
(defun await (test)
  (let ((end (+ (float-time) 200)))
    (while (not (funcall test))
      (when (> (float-time) end) (error "never: %s" test))
      (accept-process-output nil 0.05))))
(setq eglot-confirm-server-initiated-edits nil)
(find-file "a.cu")
(run-hooks 'post-command-hook)
(await #'eglot-managed-p)
(flymake-start)
(await #'flymake-diagnostics)
(dolist (each (flymake-diagnostics))
  (goto-char (flymake-diagnostic-beg each))
  (princ (format "%d:%d: %s\\n" (line-number-at-pos) (- (point) (line-beginning-position))
                 (flymake-diagnostic-text each))))
(eglot-code-actions (point-min) (point-max) "source.convert.hipport" t)
(save-buffer)
(eglot-shutdown (eglot-current-server))
"""


@pytest.mark.toolchain
def test_diagnostics_and_a_conversion_in_emacs(tmp_path: Path) -> None:
    page = (CHECKOUT / "docs/editors.md").read_text("utf-8")
    (setup,) = re.findall(r"```elisp\n(.*?)```", page, re.DOTALL)
    make_tree(tmp_path, {"a.cu": KERNEL, "init.el": setup, "drive.el": SCRIPT})
    programs = make_tree(tmp_path / "bin", {})
    (programs / "hipport").symlink_to(Path(sys.executable).with_name("hipport"))
    done = subprocess.run(
        ["emacs", "--batch", "-l", "init.el", "-l", "drive.el"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    column = len("  /* 🎉 */ scale<<<1, 256>>>(d); ")
    assert (
        f"4:{column}: hipport [HP-MEM-009]: `cudaCtxResetPersistingL2Cache`: AMD GPUs"
        in done.stdout
    )
    converted = (tmp_path / "a.cu").read_text("utf-8")
    assert converted == hipport.convert(KERNEL.encode(), "a.cu").data.decode()
