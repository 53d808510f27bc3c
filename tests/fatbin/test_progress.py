"""Progress: on a terminal alone, after two seconds, and gone when the command ends."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from hipport.commands.plain.progress import described
from tests.support.binaries import BINARY, only

SLOW = """
import sys, time
from hipport.commands.plain import progress
progress._AFTER, progress._EVERY = 0.05, 0.05
from hipport.fatbin.questions import kernel_tables
whole = kernel_tables.images_of
def slowly(*arguments):
    time.sleep(0.5)
    yield from whole(*arguments)
kernel_tables.images_of = slowly
from hipport.__main__ import main
sys.argv = ["hipport", "fatbin", "kernels", "--mangled", sys.argv[1]]
main()
"""


def test_it_says_which_bundle_is_read() -> None:
    binary = only(BINARY / "bundles/row.hipfb")
    binary.reading = 1
    count = len(binary.bundles)
    assert described(binary).endswith(f"row.hipfb: bundle 2 of {count}")


def test_a_terminal_shows_it_and_keeps_nothing(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    path = BINARY / "elf-plain/libplain.so"
    with (tmp_path / "out").open("wb") as out:
        child = subprocess.Popen(
            [sys.executable, "-c", SLOW, str(path)], stdout=out, stderr=theirs, cwd=Path.cwd()
        )
        os.close(theirs)
        assert child.wait(60) == 0
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert "libplain.so" in shown and shown.endswith("\r\x1b[K")
    assert (tmp_path / "out").read_text().count("\n") == 7


def test_a_pipe_shows_nothing() -> None:
    path = BINARY / "elf-plain/libplain.so"
    done = subprocess.run([sys.executable, "-c", SLOW, str(path)], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
