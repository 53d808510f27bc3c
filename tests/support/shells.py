"""Interactive shells on a terminal of their own: what a user gets who presses Tab."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.folders import CHECKOUT

_PATIENCE = 60.0
_COMMANDS = {
    "bash": ["--noprofile", "--norc", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
}
_START = {
    "bash": "PS1='> '; source <(hipport completion bash)",
    "zsh": "PS1='> '; autoload -Uz compinit; compinit -u -D; source <(hipport completion zsh)",
    "fish": "hipport completion fish | source",
}
SHELLS = tuple(_COMMANDS)
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-9;?>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|.)"
)


class Terminal:
    """A shell that reads keys. What it wrote so far is `seen`, escape sequences left out."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.seen = ""

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def wait_for(self, text: str) -> str:
        """What was written up to a text; fails if it does not come."""
        end = time.monotonic() + _PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self._descriptor], [], [], 1.0)
            if ready:
                data = os.read(self._descriptor, 65536).decode("utf-8", "replace")
                self.seen = _ESCAPES.sub("", self.seen + data)
            assert time.monotonic() < end, f"{text!r} did not come:\n{self.seen}"
        found, self.seen = self.seen.split(text, 1)
        return found


@contextmanager
def shell(name: str, folder: Path) -> Iterator[Terminal]:
    """A shell in a folder that has loaded our completion."""
    program = shutil.which(name)
    assert program, f"{name} is not installed"
    programs = folder / ".programs"
    programs.mkdir()
    (programs / "hipport").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hipport "$@"\n')
    (programs / "hipport").chmod(0o755)
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(folder / ".home"),
        "TERM": "xterm",
        "COLUMNS": "200",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(CHECKOUT),
    }
    child, descriptor = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(program, [name, *_COMMANDS[name]], environment)
    try:
        terminal = Terminal(descriptor)
        # The marks are written in two parts so that the echo of the line is no answer.
        terminal.type(f"{_START[name]}; echo rea''dy\r")
        terminal.wait_for("ready")
        yield terminal
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(descriptor)
