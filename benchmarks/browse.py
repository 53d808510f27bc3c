"""`python -m benchmarks.browse [LIBRARY]`: what the browser makes its user wait for.

First paint: from the start of the process to the first target on the screen of a pseudo-terminal,
for a file of 513 MB (or the library given). Key strokes: a table of 20,000 kernels in the real
application, each key from its press to the redrawn screen, in processor time, and the filter
alone.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from pathlib import Path

from hipport.fatbin.formats.offload_bundle import layout
from hipport.fatbin.reader import open_path
from hipport.tui.app import BrowserApp
from hipport.tui.content.kernels import kernel_table
from hipport.tui.kernelrows import KernelRow, read_rows
from hipport.tui.opened_files import Library
from hipport.tui.view_settings import Settings
from hipport.tui.widgets.kernels import Kernels

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "binary"
OBJECT = FIXTURES / "code-objects" / "v6-gfx1201.co"
KERNELS = 20_000
SIZE = 513_000_000
BUNDLES = 760
QUERIES = ("gemm 7 float", "kernel_1234", "x", "device 99")
ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z]")


def show(what: str, seconds: float, target: float | None = None) -> None:
    """One measured value, with its target in milliseconds where it has one."""
    verdict = "" if target is None else "met" if seconds * 1000 <= target else "MISSED"
    aim = "" if target is None else f"at most {target:g} ms"
    print(f"{what:<62} {seconds * 1000:>9.1f} ms  {aim:<16} {verdict}", flush=True)


def large_file(folder: Path) -> Path:
    """As many bundles as a large published library has, one after the other, of that size."""
    image = OBJECT.read_bytes()
    header, (offset,) = layout([("hipv4-amdgcn-amd-amdhsa--gfx1201", SIZE // BUNDLES)], 4096)
    bundle = header.ljust(offset, b"\0") + image.ljust(SIZE // BUNDLES, b"\1")
    path = folder / "large.hipfb"
    with path.open("wb") as file:
        for _ in range(BUNDLES):
            file.write(bundle.ljust(-(-len(bundle) // 4096) * 4096, b"\0"))
    return path


def first_paint(path: Path, wanted: bytes) -> float:
    """Seconds until the text is on the screen."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "hipport", "browse", str(path)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    output = b""
    while wanted not in ESCAPES.sub(b"", output):
        if not select.select([master], [], [], 60)[0]:
            raise SystemExit(f"{wanted!r} did not appear within a minute")
        output += os.read(master, 1 << 16)
    taken = time.perf_counter() - start
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.close(slave)
    os.close(master)
    return taken


def many_rows(library: Library) -> list[KernelRow]:
    """Rows as a large library has them: long names, and readable ones."""
    (binary,) = open_path(str(FIXTURES / "elf-plain" / "libplain.so"))
    like = read_rows(binary, binary.bundles[0], library.limits)
    types = ("float", "double", "_Float16", "std::complex<float>")
    rows = []
    for number in range(KERNELS):
        name = f"_ZN5thing6detail11kernel_{number}IfLi{number % 97}EEEvPT_PKS1_ii"
        kind = types[number % len(types)]
        library.readable[name] = (
            f"void thing::detail::gemm::kernel_{number}<thing::config<256, {number % 97}, 4, 1>, "
            f"{kind}, {number % 13}>({kind}*, {kind} const*, unsigned int, thing::view<{kind}>)"
        )
        row = like[number % len(like)]
        rows.append(row._replace(name=name, vgpr=number % 512, code=number * 4))
    return rows


def measure_filter(library: Library, rows: list[KernelRow]) -> None:
    start = time.perf_counter()
    table = kernel_table(library, rows, Settings())
    show(f"making the table of {KERNELS} kernels", time.perf_counter() - start)
    times = []
    for query in QUERIES:
        for end in range(len(query) + 1):
            start = time.process_time()
            table.filter(query[:end])
            times.append(time.process_time() - start)
        table.filter("")
    show("filter alone, slowest key", max(times), 50)
    for index, column in enumerate(table.columns[:4]):
        start = time.perf_counter()
        table.sort(index)
        show(f"sorting by {column.title}", time.perf_counter() - start)


async def measure_keys(library: Library, rows: list[KernelRow]) -> None:
    """Keys in the running application, with a screen of 160x48."""
    app = BrowserApp((str(FIXTURES / "elf-plain" / "libplain.so"),))
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.pause(1)
        await pilot.press("2", "tab")
        await pilot.pause(0.5)
        view = app.screen.query_one(Kernels)
        screen_library = app.screen.library  # type: ignore[attr-defined]
        screen_library.readable |= library.readable
        view.present(kernel_table(screen_library, rows, Settings()))
        await pilot.pause(0.5)
        typed = []
        app.screen.action_filter()  # type: ignore[attr-defined]
        await pilot.pause(0.2)
        for query in QUERIES:
            for end in range(1, len(query) + 1):
                typed.append(redrawn(app, lambda text=query[:end]: view.search(text)))
            view.search("")
        moved = [redrawn(app, lambda: view.action_page(1)) for _ in range(50)]
    for name, times in (("filter key", typed), ("page down", moved)):
        show(f"{name} with redrawing, median", statistics.median(times), 50)
        show(f"{name} with redrawing, slowest", max(times), 50)


def redrawn(app: BrowserApp, act: Callable[[], None]) -> float:
    """Seconds of processor time for an action and for composing the whole screen afterwards."""
    start = time.process_time()
    act()
    app.screen._compositor.render_strips()
    return time.process_time() - start


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.browse", description=__doc__)
    arguments.add_argument("library", nargs="?", type=Path, help="a large library with gfx targets")
    arguments.add_argument("--runs", type=int, default=5, help="runs of which the median counts")
    options = arguments.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    library = Library((), BrowserApp(())._limits)
    rows = many_rows(library)
    measure_filter(library, rows)
    asyncio.run(measure_keys(library, rows))
    with tempfile.TemporaryDirectory() as work:
        path = options.library or large_file(Path(work))
        wanted = path.name.encode()[:12]
        times = [first_paint(path, wanted) for _ in range(options.runs)]
        show(
            f"first paint with {path.stat().st_size / 1e6:.0f} MB, median",
            statistics.median(times),
            1000,
        )
        show("first paint, slowest", max(times), 1000)


if __name__ == "__main__":
    main()
