"""Listing reads headers only: what it imports and how much memory it takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.binaries import BINARY
from tests.support.folders import CHECKOUT

# VmHWM, because ru_maxrss of a child starts with its parent's.
REPORT = (
    "import sys\n"
    "modules = sorted(sys.modules)\n"
    "import re\n"
    "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read()).group(1)\n"
    "print(peak, *modules, file=sys.stderr)\n"
)


def child(*arguments: str | Path) -> tuple[int, set[str]]:
    """Peak memory in KiB and modules of `hipport ARGUMENTS` in a process of its own."""
    program = (
        "import sys\nfrom hipport.__main__ import main\n"
        f"sys.argv = {['hipport', *map(str, arguments)]!r}\n"
        f"try:\n    main()\nexcept SystemExit:\n    pass\n{REPORT}"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=CHECKOUT, timeout=60
    )
    assert done.returncode == 0, done.stderr
    memory, *modules = done.stderr.split()
    return int(memory), set(modules)


def bare() -> int:
    done = subprocess.run(
        [sys.executable, "-c", REPORT], capture_output=True, text=True, timeout=60
    )
    return int(done.stderr.split()[0])


def test_list_imports_neither_lief_nor_rich_nor_msgpack() -> None:
    for name in ("elf-plain/libplain.so", "bundles/v3.hipfb", "archive"):
        _, modules = child("fatbin", "list", BINARY / name)
        assert not modules & {"lief", "rich", "msgpack", "textual", "tree_sitter", "tomllib"}, name
        assert "hipport.fatbin.reader" in modules


def test_names_of_files_alone_need_neither_click_nor_typing() -> None:
    slow = {"click", "typing", "re", "inspect", "dataclasses", "pathlib", "mmap"}
    _, modules = child("fatbin", "list", BINARY / "elf-plain/libplain.so")
    assert not modules & slow
    _, modules = child("fatbin", "kernels", BINARY / "elf-plain/libplain.so")
    assert "click" not in modules


def test_kernels_imports_neither_lief_nor_rich() -> None:
    _, modules = child("fatbin", "kernels", BINARY / "elf-plain/libplain.so")
    assert not modules & {"lief", "rich", "textual"} and "msgpack" in modules


def test_memory_of_list_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A file of 600 MB, most of it a hole: at most 40 MB above the interpreter."""
    library = (BINARY / "elf-plain/libplain.so").read_bytes()
    large = tmp_path / "large.so"
    with large.open("wb") as file:
        file.write(library)
        file.truncate(600 << 20)
    memory, _ = child("fatbin", "list", large)
    assert memory - bare() < 40 << 10


@pytest.mark.slow
def test_lief_gets_the_headers_of_a_windows_file_alone(tmp_path: Path) -> None:
    """An image of 600 MB takes no more memory than one of 15 KB, give or take the 8 MB it gets."""
    small = BINARY / "windows/kernels.dll"
    large = tmp_path / "large.dll"
    with large.open("wb") as file:
        file.write(small.read_bytes())
        file.truncate(600 << 20)
    before, modules = child("fatbin", "list", small)
    after, _ = child("fatbin", "list", large)
    assert "lief" in modules
    assert after - before < 40 << 10


@pytest.mark.slow
def test_a_large_bundle_is_streamed_when_extracted(tmp_path: Path) -> None:
    """Code objects of 200 MB in a compressed bundle: the process stays below 100 MB."""
    code = (BINARY / "code-objects/v6-gfx1201.co").read_bytes()
    image = tmp_path / "large.co"
    with image.open("wb") as file:
        file.write(code)
        file.truncate(200 << 20)
    bundle = tmp_path / "bundle"
    memory, _ = child("fatbin", "bundle", "--compress", image, "-o", bundle)
    assert memory < 100 << 10
    memory, _ = child("fatbin", "extract", bundle, "-o", tmp_path / "out")
    assert memory < 100 << 10
    assert (tmp_path / "out" / "bundle.0.gfx1201.co").stat().st_size == 200 << 20


@pytest.mark.slow
def test_lief_says_nothing_at_the_end() -> None:
    command = [sys.executable, "-m", "hipport", "fatbin", "list", BINARY / "windows/kernels.dll"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, timeout=60)
    assert done.stdout.count("hipv4-amdgcn-amd-amdhsa--gfx1100") == 1
    assert (done.returncode, done.stderr) == (0, "")
