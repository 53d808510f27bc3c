"""No command opens a network socket, nor does any process that it starts.

A filter of system calls (seccomp(2)), which child processes inherit, ends whoever asks the kernel
for a socket of another family than AF_UNIX. Socket pairs, which event loops use, are another call.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.binaries import BINARY
from tests.support.command import hipport, make_tree
from tests.support.folders import CHECKOUT
from tests.support.no_sockets import forbid_sockets
from tests.tui.test_terminal import Terminal

PLAIN = BINARY / "elf-plain" / "libplain.so"
SOURCE = "__global__ void k(int *x) { *x = __popc(__ballot_sync(0xffffffff, 1)); }\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {"src/a.cu": SOURCE, "src/CMakeLists.txt": "find_package(CUDA)\n"}
    files["src/setup.py"] = "from torch.utils.cpp_extension import CUDAExtension\n"
    return make_tree(tmp_path, files)


COMMANDS = [
    ("--version",),
    ("convert", "src"),
    ("convert", "src", "-o", "out", "--jobs", "2", "--verify", "--semantic"),
    ("audit", "report", "src", "--format", "html", "--jobs", "2"),
    ("audit", "explain", "HP-WARP-001"),
    ("check", "src"),
    ("compat", "src", "-o", "c.h"),
    ("verify", "src"),
    ("rules", "show", "cudaMalloc"),
    ("rules", "stats"),
    ("rules", "check"),
    ("config", "src"),
    ("fatbin", "list", PLAIN),
    ("fatbin", "kernels", PLAIN, "--registered"),
    ("fatbin", "show", "scale", PLAIN, "--target", "gfx90a"),
    ("fatbin", "check", PLAIN, "--require", "gfx90a"),
    ("fatbin", "dedupe", PLAIN),
    ("fatbin", "diff", PLAIN, PLAIN),
    ("fatbin", "extract", PLAIN, "-o", "out"),
    ("completion", "bash"),
    ("man",),
]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda each: " ".join(map(str, each[:3])))
def test_no_command_opens_a_socket(tree: Path, arguments: tuple[str | Path, ...]) -> None:
    done = hipport(*arguments, cwd=tree, first=forbid_sockets)
    assert done.code in (0, 1, 2), done
    assert "internal error" not in done.err and "crash" not in done.out + done.err


def test_loading_opens_no_socket() -> None:
    """Commands above run in forks of a process that has loaded the modules already."""
    command = [sys.executable, "-c", "from tests.support import forked; forked.load_all()"]
    done = subprocess.run(command, cwd=CHECKOUT, preexec_fn=forbid_sockets, check=False)
    assert done.returncode == 0


def test_the_browser_opens_no_socket(tmp_path: Path) -> None:
    with Terminal(PLAIN, folder=tmp_path, before=forbid_sockets) as terminal:
        terminal.read_until("gfx90a")
        terminal.press("2")
        terminal.read_until("add<int>")
        assert terminal.leave() == 0


def test_the_filter_works() -> None:
    def ended(code: str) -> int:
        command = [sys.executable, "-c", f"import socket, subprocess, sys; {code}"]
        return subprocess.run(command, preexec_fn=forbid_sockets, check=False).returncode

    assert ended("socket.socketpair()") == 0
    assert ended("socket.socket()") == -signal.SIGSYS
    assert ended("socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)") == -signal.SIGSYS
    child = "[sys.executable, '-I', '-c', 'import socket; socket.socket()']"
    assert ended(f"sys.exit(-subprocess.run({child}).returncode)") == signal.SIGSYS
