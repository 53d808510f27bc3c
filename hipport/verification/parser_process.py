"""A child process that parses with libclang, which may crash or take long."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.programs import bounded

SECONDS = 180
limit = bounded(memory=6 << 30)
_LONGEST_ANSWER = 64 << 20
_CHILD = Path(__file__).with_name("parser_child.py")


def clang_version(library: str) -> str:
    """The version that a libclang reports; raises HipportError if the file is no libclang."""
    child = Child(library, 60)
    try:
        return child.start()
    finally:
        child.end()


class Child:
    """A process that parses one unit after the other; started when it is needed."""

    def __init__(self, library: str, seconds: int, program: Path = _CHILD) -> None:
        self.library, self.seconds, self.program = library, seconds, program
        self.process: subprocess.Popen[bytes] | None = None
        self.buffer = bytearray()

    def start(self) -> str:
        """Start the process; returns its clang's version."""
        command = [sys.executable, "-I", str(self.program), self.library]
        with _STARTING:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                preexec_fn=limit,
            )
        self.buffer.clear()
        answer = self._read()
        if "version" not in answer:
            self.end()
            name = self.library or "the Python package libclang"
            raise HipportError(
                f"{name}: cannot be used ({answer.get('problem', 'no libclang')})",
                remedy="pip install libclang, or name another with --libclang",
            )
        return str(answer["version"])

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """The answer to a job; `problem` is in it where the child died or took too long."""
        if self.process is None:
            self.start()
        assert self.process is not None and self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(job).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.end()
            return {"problem": "the parser ended"}
        answer = self._read()
        if "errors" not in answer:
            self.end()
        return answer

    def _read(self) -> dict[str, Any]:
        """One line of the child as JSON."""
        assert self.process is not None and self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        end = time.monotonic() + self.seconds
        searched = 0
        while (at := self.buffer.find(b"\n", searched)) < 0:
            searched = len(self.buffer)
            ready, _, _ = select.select([descriptor], [], [], max(0, end - time.monotonic()))
            if not ready:
                return {"problem": f"took longer than {self.seconds} s"}
            piece = os.read(descriptor, 1 << 16)
            if not piece:
                return {"problem": self._death()}
            self.buffer += piece
            if len(self.buffer) > _LONGEST_ANSWER:
                return {"problem": "too many errors to read"}
        answer = json.loads(self.buffer[:at])
        del self.buffer[: at + 1]
        return answer if isinstance(answer, dict) else {"problem": "no answer"}

    def _death(self) -> str:
        assert self.process is not None
        code = self.process.wait()
        return f"libclang crashed (signal {-code})" if code < 0 else f"libclang ended ({code})"

    def end(self) -> None:
        if self.process is None:
            return
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        self.process.wait()
        self.process = None


# A child that inherits another's pipe would keep it open: one is started at a time.
_STARTING = threading.Lock()
