"""`python -m benchmarks.lsp [FILE...]`: how soon an editor has diagnostics, and in how much memory.

A client over stdio opens each file, then types in the middle of it, one change at a time. Times
are from the message to the diagnostics, of keystrokes medians: on the clock, and in processor time
of the server, which is what the clock shows on a machine with nothing else to do. `all` includes
what the conversion finds. `loop` is the time of a loop of ten million additions in this process,
just before and after: it tells how fast the machine was. Without FILE, the first 2,000 lines of
files of pinned trees are used.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.real_trees import trees, unpacked

_LINES = 2_000
_KEYSTROKES = 15
_UNTIL_LOADED = 5
_PINNED = {
    "llama-cpp-python": (
        "vendor/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu",
        "vendor/llama.cpp/ggml/src/ggml-cuda/mmq.cuh",
        "vendor/llama.cpp/ggml/src/ggml-cuda/mmvq.cu",
        "vendor/llama.cpp/ggml/src/ggml-cuda/common.cuh",
        "vendor/llama.cpp/ggml/src/ggml-cuda/fattn-mma-f16.cuh",
    ),
    "xgboost": ("cpp_src/src/tree/updater_gpu_hist.cu",),
    "deepspeed": (
        "csrc/transformer/inference/csrc/pt_binding.cpp",
        "csrc/transformer/normalize_kernels.cu",
    ),
    "flash-attn": (
        "csrc/cutlass/include/cutlass/numeric_conversion.h",
        "csrc/cutlass/examples/41_fused_multi_head_attention/kernel_backward.h",
    ),
}


class Moment(NamedTuple):
    """Seconds on the clock, and of processor time of the server."""

    clock: float
    processor: float


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

    def request(self, method: str, params: Any) -> Moment | None:
        """Send a request; when diagnostics came first before its answer."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        first = None
        while (message := self.receive()).get("id") != self._number:
            if message.get("method") == "textDocument/publishDiagnostics" and first is None:
                first = self.now()
        return first

    def now(self) -> Moment:
        return Moment(time.perf_counter(), self.processor_time())

    def processor_time(self) -> float:
        """Seconds that the server's threads have computed for."""
        threads = Path(f"/proc/{self._server.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e9

    def memory(self) -> float:
        """The most memory that the server has had, in MB."""
        status = Path(f"/proc/{self._server.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1000

    def close(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self._server.wait()


def loop() -> float:
    """Seconds that ten million additions take, by those of a tenth."""
    start, count = time.process_time(), 0
    for number in range(1_000_000):
        count += number
    return (time.process_time() - start) * 10


def measure(path: Path, folder: Path) -> list[str]:
    """A row: after opening, after a keystroke (first diagnostics, all), memory, the machine."""
    before = loop()
    lines = path.read_text("utf-8", "replace").splitlines(keepends=True)[:_LINES]
    uri = (folder / path.name).as_uri()
    client = Client(folder)
    first = {"uri": (folder / "first.cu").as_uri(), "languageId": "cuda", "version": 1, "text": ""}
    client.notify("textDocument/didOpen", {"textDocument": first})
    time.sleep(_UNTIL_LOADED)
    client.request("textDocument/codeLens", {"textDocument": {"uri": first["uri"]}})
    opened = {"uri": uri, "languageId": "cuda", "version": 1, "text": "".join(lines)}
    after_opening, _ = timed(client, uri, "textDocument/didOpen", {"textDocument": opened})
    typed: list[tuple[Moment, Moment]] = []
    for number in range(_KEYSTROKES):
        lines[len(lines) // 2] = f"  int typed_{'x' * number} = {number};\n"
        change = {
            "textDocument": {"uri": uri, "version": number + 2},
            "contentChanges": [{"text": "".join(lines)}],
        }
        typed.append(timed(client, uri, "textDocument/didChange", change))
    memory = client.memory()
    client.close()
    firsts, everything = zip(*typed, strict=True)
    cells = [shown([each]) for each in (after_opening,)] + [shown(firsts), shown(everything)]
    machine = (before + loop()) / 2
    return [f"`{path.name}`", f"{len(lines):,}", *cells, f"{memory:.0f}", f"{machine:.2f}"]


def shown(moments: Sequence[Moment]) -> str:
    """Medians in milliseconds: on the clock, then in processor time."""
    clock, processor = (statistics.median(each) * 1000 for each in zip(*moments, strict=True))
    return f"{clock:.0f} ({processor:.0f})"


def timed(client: Client, uri: str, method: str, params: Any) -> tuple[Moment, Moment]:
    """From a change until its first diagnostics came, and until all was known."""
    start = client.now()
    client.notify(method, params)
    first = client.request("textDocument/hover", {**_PLACE, "textDocument": {"uri": uri}})
    last = client.now()
    if first is None:
        raise SystemExit(f"{uri}: no diagnostics came")
    return (
        Moment(first.clock - start.clock, first.processor - start.processor),
        Moment(last.clock - start.clock, last.processor - start.processor),
    )


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
    print("| file | lines | opened | keystroke | keystroke, all | memory, MB | loop, s |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for path in [Path(each) for each in sys.argv[1:]] or files():
            print(f"| {' | '.join(measure(path, Path(folder)))} |", flush=True)


if __name__ == "__main__":
    main()
