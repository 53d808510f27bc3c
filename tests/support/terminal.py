"""Runs a command on a pseudo-terminal, for what a person at one sees."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x1b\x07]*(?:\x1b\\|\x07)")
_END = b"\0"
_OF_THE_TERMINAL = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "COLORTERM")


class Shown(NamedTuple):
    """How a command ended, and everything that it wrote to the terminal."""

    code: int
    written: str

    @property
    def text(self) -> str:
        """What is read: without control sequences, lines ended as in a file."""
        return _ESCAPES.sub("", self.written).replace("\r\n", "\n")


def on_a_terminal(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    columns: int = 80,
) -> Shown:
    """Run a command on a terminal of 24 lines."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {key: value for key, value in os.environ.items() if key not in _OF_THE_TERMINAL}
    with subprocess.Popen(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**clean, "TERM": "xterm-256color", **(environment or {})},
    ) as process:
        written = written_to_terminal(process, ours, theirs)
    return Shown(process.returncode, written.decode())


def written_to_terminal(process: subprocess.Popen[bytes], ours: int, theirs: int) -> bytes:
    """Everything that a process writes to a pseudo-terminal, whose ends are closed here.

    Its own end stays open until the process has ended: a reader may be told that it was closed
    before it has what was written last.
    """

    def end() -> None:
        process.wait()
        os.write(theirs, _END)

    threading.Thread(target=end).start()
    written = b""
    while not written.endswith(_END):
        written += os.read(ours, 1 << 16)
    os.close(ours)
    os.close(theirs)
    return written.removesuffix(_END)
