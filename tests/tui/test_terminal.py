"""The browser as a process on a terminal of its own: first paint, editor, colours, leaving."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.browser_driving import PLAIN
from tests.support.wheels import WHEELS, wheel

_PATIENCE = 60
_ESCAPES = re.compile(
    rb"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b\][^\x07]*\x07|\x1bP[^\\]*\\"
)
_COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


class Terminal:
    """`hipport browse` with a pseudo-terminal for input and output."""

    def __init__(
        self,
        *arguments: str | Path,
        folder: Path,
        program: Sequence[str] = ("-m", "hipport"),
        before: Callable[[], None] | None = None,
        **environment: str,
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "EDITOR", "VISUAL")}
        self.process = subprocess.Popen(
            [sys.executable, *program, "browse", *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**clean, "TERM": "xterm-256color", **environment},
            start_new_session=True,
            preexec_fn=before,
        )
        os.close(slave)
        self.output = b""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def read_until(self, text: str) -> None:
        """Take output until the text has been drawn since the last call."""
        start, end = len(self.output), time.monotonic() + _PATIENCE
        while text.encode() not in _ESCAPES.sub(b"", self.output[start:]):
            left = end - time.monotonic()
            assert left > 0, f"{text!r} did not appear: {self.output[-2000:]!r}"
            if select.select([self._master], [], [], left)[0]:
                try:
                    self.output += os.read(self._master, 1 << 16)
                except OSError:
                    raise AssertionError(f"ended: {self.output[-2000:]!r}") from None

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def leave(self, patience: float = _PATIENCE) -> int:
        """The exit code after `q`."""
        self.press("q")
        end = time.monotonic() + patience
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            if select.select([self._master], [], [], 0.1)[0]:
                try:
                    self.output += os.read(self._master, 1 << 16)
                except OSError:
                    break
        return self.process.wait()


def test_it_paints_answers_and_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    with Terminal(PLAIN, folder=tmp_path) as terminal:
        terminal.read_until("gfx90a")
        terminal.press("2")
        terminal.read_until("add<int>")
        assert terminal.leave() == 0
        assert b"\x1b[?1049h" in terminal.output and b"\x1b[?1049l" in terminal.output


def test_no_color_on_a_terminal(tmp_path: Path) -> None:
    with Terminal(PLAIN, folder=tmp_path, NO_COLOR="1") as terminal:
        terminal.read_until("gfx90a")
        terminal.press("3")
        terminal.read_until("add<int>")
        assert terminal.leave() == 0
        codes = {
            code
            for match in _COLOUR.findall(terminal.output)
            for code in match[2:-1].split(b";")
            if code
        }
        assert codes <= {b"0", b"1", b"2", b"3", b"4", b"7", b"39", b"49"}


@pytest.mark.toolchain
def test_e_gives_the_disassembly_to_the_editor(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\ncp "$2" "{tmp_path}/seen"\nbasename "$2" > "{tmp_path}/name"\n')
    editor.chmod(0o755)
    with Terminal(PLAIN, folder=tmp_path, EDITOR=f"{editor} --wait") as terminal:
        terminal.read_until("gfx90a")
        terminal.press("2")
        terminal.read_until("add<int>")
        terminal.press("\r")
        terminal.read_until("Occupancy")
        terminal.press("4")
        terminal.read_until("instructions, read by")
        terminal.press("e")
        end = time.monotonic() + _PATIENCE
        while not (tmp_path / "name").exists() and time.monotonic() < end:
            time.sleep(0.05)
        terminal.press("1")
        terminal.read_until("mangled")
        assert terminal.leave() == 0
    assert (tmp_path / "name").read_text() == "scale.gfx1100.s\n"
    assert "s_endpgm" in (tmp_path / "seen").read_text()


def test_a_missing_path_is_an_error_before_anything_is_drawn(tmp_path: Path) -> None:
    with Terminal("nowhere.so", folder=tmp_path) as terminal:
        terminal.read_until("no such file or folder (check the path)")
        assert terminal.process.wait(_PATIENCE) == 2
        assert b"\x1b[?1049h" not in terminal.output


_STUCK = """
import sys, threading
from hipport.tui import opened_files
def never(self, scope, progress):
    progress.report(0, 0, "reading for ever")
    yield
    threading.Event().wait()
opened_files.Library.load = never
from hipport.__main__ import main
main()
"""


@pytest.mark.parametrize("keys", ["", "2"])
def test_q_leaves_while_a_thread_reads_that_never_ends(tmp_path: Path, keys: str) -> None:
    with Terminal(PLAIN, folder=tmp_path, program=["-c", _STUCK]) as terminal:
        terminal.read_until("reading for ever")
        if keys:
            terminal.press(keys)
        assert terminal.leave() == 0
        assert b"\x1b[?1049l" in terminal.output


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("keys", ["2", "3"])
def test_q_leaves_the_largest_wheel_while_it_is_read(tmp_path: Path, keys: str) -> None:
    """It takes a third of a second; the patience is for a machine with other work."""
    largest = max((wheel(package) for package in WHEELS), key=lambda path: path.stat().st_size)
    with Terminal(largest, folder=tmp_path) as terminal:
        terminal.read_until("Strings")
        terminal.press(keys)
        assert terminal.leave(patience=5) == 0
        assert b"\x1b[?1049l" in terminal.output


def test_escape_gives_up_at_once_what_cannot_be_stopped(tmp_path: Path) -> None:
    with Terminal(PLAIN, folder=tmp_path, program=["-c", _STUCK]) as terminal:
        terminal.read_until("reading for ever")
        terminal.press("\x1b")
        terminal.read_until("cancelled; press r to read again")
        assert terminal.leave() == 0
