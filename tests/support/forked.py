"""Runs `hipport` in forks of a process that has loaded all of it: loading it takes most of a run.

`python -m tests.support.forked FD` is that process. For each message on the socket it forks, and
the fork becomes the command: with its own arguments, folder, environment, input and output.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import IO, NoReturn

from tests.support.folders import CHECKOUT

_LARGEST = 1 << 20
# What most commands need; a fork loads the rest, as the program does.
_PARTS = ("commands", "fatbin", "prebuilt", "report", "runs", "source")
# What Python itself reads when it starts.
_AT_START = ("PYTHON", "LC_", "LANG")


def can_run(environment: dict[str, str]) -> bool:
    """Whether a fork can have this environment: Python would not start otherwise in it."""
    now = {key: value for key, value in environment.items() if key.startswith(_AT_START)}
    return now == _start().at_start


def run(
    arguments: list[str],
    cwd: Path,
    environment: dict[str, str],
    stdin: bytes,
    timeout: float,
    first: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """What `hipport` with these arguments does, after the fork has called a function."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin)
        given.seek(0)
        request = {"arguments": arguments, "cwd": os.fspath(cwd), "environment": environment}
        request["first"] = [first.__module__, first.__name__] if first else []
        code = _start().run(json.dumps(request).encode(), (given, out, err), timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), err.read())


class _Process:
    """The process that forks."""

    def __init__(self) -> None:
        self.at_start = {
            key: value for key, value in os.environ.items() if key.startswith(_AT_START)
        }
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            subprocess.Popen(
                [sys.executable, "-m", "tests.support.forked", str(theirs.fileno())],
                cwd=CHECKOUT,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def run(self, request: bytes, files: tuple[IO[bytes], ...], timeout: float) -> int:
        """The exit code of one command, which has these files as its first descriptors."""
        with self._lock:
            self._socket.settimeout(timeout)
            socket.send_fds(self._socket, [request], [each.fileno() for each in files])
            process = int(self._socket.recv(_LARGEST))
            try:
                return int(self._socket.recv(_LARGEST))
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                self._socket.recv(_LARGEST)
                raise subprocess.TimeoutExpired(request.decode(), timeout) from None


@cache
def _start() -> _Process:
    return _Process()


def _serve(channel: socket.socket) -> None:
    """Fork for each request, and send the process's number and then its exit code."""
    while True:
        request, files, _, _ = socket.recv_fds(channel, _LARGEST, 3)
        if not request:
            return
        process = os.fork()
        if not process:
            channel.close()
            _become(request, files)
        for each in files:
            os.close(each)
        channel.send(str(process).encode())
        _, status = os.waitpid(process, 0)
        channel.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(request: bytes, files: list[int]) -> NoReturn:
    """Run the command, and end as Python does."""
    from hipport import __main__ as program

    for number, each in enumerate(files):
        os.dup2(each, number)
        os.close(each)
    asked = json.loads(request)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = [str(program.__file__), *asked["arguments"]]
    if asked["first"]:
        module, name = asked["first"]
        getattr(importlib.import_module(module), name)()
    code = 1
    try:
        program.main()
    except SystemExit as error:
        code = int(error.code or 0)
    except BaseException:
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)


def _load() -> None:
    from hipport.rulebook.load import load

    for part in _PARTS:
        package = importlib.import_module(f"hipport.{part}")
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not each.name.endswith("_child"):  # They bound the process that they are.
                importlib.import_module(each.name)
    for is_audit in (False, True):
        load(is_audit=is_audit).read_all()
    importlib.import_module("lief")
    tempfile.tempdir = None
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    del sys.path[0]
    _load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
