"""`python -m benchmarks.lsp [FILE...]`: how soon an editor has diagnostics, and in how much memory.

A client over stdio opens each file, then types in the middle of it, one change at a time. Times
are medians, on the clock, from the message to the diagnostics; `all` includes what the conversion
finds. Without FILE, the first 2,000 lines of CUDA files of the pinned trees are used.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.real_trees import trees, unpacked

_LINES = 2_000
_KEYSTROKES = 15
_PINNED = {
    "llama-cpp-python": (
        "vendor/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu",
        "vendor/llama.cpp/ggml/src/ggml-cuda/mmq.cuh",
        "vendor/llama.cpp/ggml/src/ggml-cuda/mmvq.cu",
    ),
    "xgboost": ("cpp_src/src/tree/updater_gpu_hist.cu",),
    "deepspeed": ("csrc/transformer/inference/csrc/pt_binding.cpp",),
}


class Client:
    """Just enough of an editor: messages out, messages in."""

    def __init__(self, folder: Path) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "hipport", "lsp"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._number = 0
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._server.stdin
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._server.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def receive(self) -> dict[str, Any]:
        assert self._server.stdout
        length = 0
        while line := self._server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message

    def request(self, method: str, params: Any) -> float:
        """Send a request; the time, on the clock, at which diagnostics came first before it."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        first = 0.0
        while (message := self.receive()).get("id") != self._number:
            if message.get("method") == "textDocument/publishDiagnostics":
                first = first or time.perf_counter()
        return first

    def memory(self) -> float:
        """The most memory that the server has had, in MB."""
        status = Path(f"/proc/{self._server.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1000

    def close(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self._server.wait()


def measure(path: Path, folder: Path) -> list[str]:
    """A row: after opening, after a keystroke (first diagnostics, all), memory."""
    lines = path.read_text("utf-8", "replace").splitlines(keepends=True)[:_LINES]
    uri = (folder / path.name).as_uri()
    client = Client(folder)
    # Its rules are loaded when the first text is checked.
    first = {"uri": (folder / "first.cu").as_uri(), "languageId": "cuda", "version": 1, "text": ""}
    client.notify("textDocument/didOpen", {"textDocument": first})
    client.request("textDocument/codeLens", {"textDocument": {"uri": first["uri"]}})
    opened = {"uri": uri, "languageId": "cuda", "version": 1, "text": "".join(lines)}
    after_opening = timed(client, uri, "textDocument/didOpen", {"textDocument": opened})
    typed: list[tuple[float, float]] = []
    for number in range(_KEYSTROKES):
        lines[len(lines) // 2] = f"  int typed_{'x' * number} = {number};\n"
        change = {
            "textDocument": {"uri": uri, "version": number + 2},
            "contentChanges": [{"text": "".join(lines)}],
        }
        typed.append(timed(client, uri, "textDocument/didChange", change))
    memory = client.memory()
    client.close()
    firsts, everything = (statistics.median(each) * 1000 for each in zip(*typed, strict=True))
    values = (after_opening[0] * 1000, firsts, everything, memory)
    return [f"`{path.name}`", f"{len(lines):,}", *(f"{value:.0f}" for value in values)]


def timed(client: Client, uri: str, method: str, params: Any) -> tuple[float, float]:
    """Seconds until the first diagnostics of a change came, and until all was known."""
    start = time.perf_counter()
    client.notify(method, params)
    first = client.request("textDocument/hover", {**_PLACE, "textDocument": {"uri": uri}})
    return first - start, time.perf_counter() - start


_PLACE = {"position": {"line": 0, "character": 0}}


def files() -> list[Path]:
    """The pinned files."""
    known = trees()
    found = []
    for name, names in _PINNED.items():
        folder = unpacked(known[name])
        found += [path for each in names if (path := folder / each).is_file()]
    return found


def main() -> None:
    """Print the table of docs/editors.md."""
    print("| file | lines | opened, ms | keystroke, ms | … all, ms | memory, MB |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for path in [Path(each) for each in sys.argv[1:]] or files():
            print(f"| {' | '.join(measure(path, Path(folder)))} |", flush=True)


if __name__ == "__main__":
    main()
