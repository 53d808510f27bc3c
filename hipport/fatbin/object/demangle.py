"""C++ names made readable, in a child process.

The C++ runtime's `__cxa_demangle` does it, else llvm-cxxfilt. Names come from the input, and a
name of 100 bytes can demangle to gigabytes: the child has limits on memory and time, and a name
it cannot do stays as it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, cast

from hipport.programs import bounded, find_program

_SECONDS = 60
_MOST, _LONGEST = 1 << 28, 1 << 16
"""Bytes of memory and output of llvm-cxxfilt, and of one name; the child's own are the same."""
_PIPE = 1 << 20
"""Names that wait for the child while this process reads on (on Linux; 64 KiB elsewhere)."""
_CHILD = Path(__file__).with_name("demangle_child.py")


class Demangler:
    """Takes names as they turn up and works on them meanwhile; `results` has the outcome."""

    def __init__(self) -> None:
        self._seen: dict[str, None] = {}
        self._pending: list[bytes] = []
        self._child: subprocess.Popen[bytes] | None = None
        self._output: BinaryIO | None = None
        self._failed = False

    def add(self, names: Iterable[str]) -> None:
        """Names to demangle; those that are no C++ names cost nothing."""
        for name in names:
            if name.startswith("_Z") and name not in self._seen and "\n" not in name:
                self._seen[name] = None
                self._pending.append(name.encode("utf-8", "surrogateescape"))
        if len(self._pending) >= 256:
            self._flush()

    def _flush(self) -> None:
        if self._failed or not self._pending:
            return
        try:
            if self._child is None:
                self._output = _scratch_file()
                self._child = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_CHILD)],
                    stdin=subprocess.PIPE,
                    stdout=self._output,
                    stderr=subprocess.DEVNULL,
                    pipesize=_PIPE,
                )
            assert self._child.stdin is not None
            self._child.stdin.write(b"\n".join(self._pending) + b"\n")
            self._child.stdin.flush()
        except OSError:
            self._failed = True
        self._pending = []

    def results(self) -> dict[str, str]:
        """Name -> readable name, for every name added that could be demangled."""
        self._flush()
        names = list(self._seen)
        lines: list[bytes] = []
        if self._child is not None and self._output is not None:
            try:
                self._child.communicate(timeout=_SECONDS)
            except (subprocess.TimeoutExpired, OSError, ValueError):
                self._child.kill()
                self._child.wait()
            with self._output as output:
                output.seek(0)
                lines = output.read().split(b"\n")[:-1]  # the last may have been cut off
            self._child = self._output = None
        done = {
            name: line.decode("utf-8", "backslashreplace")
            for name, line in zip(names, lines, strict=False)
            if line
        }
        left = [name for name in names if name not in done]
        return done | _filtered(left)


def _scratch_file() -> BinaryIO:
    """A file without a name; in memory where the system offers that."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("demangled"), "w+b")
    from tempfile import TemporaryFile

    return cast(BinaryIO, TemporaryFile())


def _filtered(names: list[str]) -> dict[str, str]:
    """The names from llvm-cxxfilt, if there is one."""
    tool = find_program("llvm-cxxfilt") or _newest_cxxfilt()
    if not names or tool is None:
        return {}
    with _scratch_file() as output:
        try:
            subprocess.run(
                [tool],
                input="\n".join(names).encode("utf-8", "surrogateescape") + b"\n",
                stdout=output,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=True,
                preexec_fn=bounded(memory=_MOST, output=_MOST),
            )
        except (OSError, subprocess.SubprocessError):
            return {}
        output.seek(0)
        lines = output.read().decode("utf-8", "backslashreplace").split("\n")
    return {
        name: line
        for name, line in zip(names, lines, strict=False)
        if line not in ("", name) and len(line) <= _LONGEST
    }


def _newest_cxxfilt() -> str | None:
    from hipport.fatbin.object.llvm_tools import llvm_tools

    found = llvm_tools("llvm-cxxfilt")
    return found[0].path if found else None


def demangle(names: Iterable[str]) -> dict[str, str]:
    """Name -> readable name, for those that could be demangled."""
    demangler = Demangler()
    demangler.add(names)
    return demangler.results()
