"""What each subcommand prints of each fixture, and how it exits: `fixtures/binary-outputs`.

`python -m tests.fatbin.test_command_outputs` writes the outputs again. JSON is there by its hash.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.binaries import BINARY, run
from tests.support.folders import FIXTURES

OUTPUTS = FIXTURES / "binary-outputs"
DEVICES = "gfx90a,gfx942:xnack+,gfx1100,gfx1201"
COMMANDS = [
    ("list", "--targets"),
    ("list", "--summary"),
    ("list", "--format", "json"),
    ("kernels", "--mangled", "--sort", "sgpr"),
    ("kernels", "--mangled", "--registered", "--target", "gfx90a"),
    ("kernels", "--mangled", "--format", "json"),
    ("check", "--all"),
    ("check", "--require", DEVICES),
    ("check", "--fail-on", "spills,mismatch,absent", "--format", "json"),
    ("dedupe",),
    ("sbom",),
    ("extract", "-o", "OUT"),
    ("slim", "-o", "OUT/new", "--targets", "gfx90a,gfx942:xnack+"),
]
FILES = [
    *("archive/libkernels.a", "bundles/plain.hipfb", "bundles/text.ll", "bundles/v3.hipfb"),
    *("caches/kernels.aks2", "caches/miopen.kdb", "caches/rocfft_kernel_cache.db"),
    *("caches/iree/zip.vmfb", "caches/spirv.hipfb", "code-objects/v2-gfx906.co"),
    *("code-objects/v6-gfx9-4-generic.co", "elf-compressed/libcompressed.so"),
    *("elf-plain/libplain.so", "elf-rdc/librdc.so", "handmade/nvidia.fatbin"),
    *("handmade/plain.kpack", "hipcc/libprogram.so", "object-rdc/kernels-22.o"),
    *("object-offloading/kernels.o", "other-hosts/libaarch64.so", "windows/kernels.dll"),
    *("../corrupt/damaged-then-sound", "../corrupt/ccob-hash", "../corrupt/elf-unknown-mach"),
    *("../prebuilt/libscale.so", "../corrupt/id-twice", "../corrupt/kpack-zeroed-section"),
    *("../corrupt/elf-note-damaged", "../corrupt/elf-note-size", "../corrupt/kpack-offset"),
    *("../corrupt/zip-damaged-member.zip", "../corrupt/tar-checksum.tar"),
    *("../corrupt/archive-size", "../corrupt/text-no-end", "../corrupt/entries-overlap"),
    *("../corrupt/elf-sections-past-end", "../corrupt/elf-segments-past-end"),
    *("../corrupt/ccob-stream-damaged", "../corrupt/offload-binary-strings"),
]
# What the run and the machine decide.
_OF_THE_RUN = re.compile(r'"(?:serialNumber|timestamp)": "[^"]*"')


def output(command: tuple[str, ...], file: str) -> str:
    """The command, how it exits, what it prints, and what it writes."""
    with tempfile.TemporaryDirectory() as folder:
        words = [each.replace("OUT", folder) for each in command]
        done = run(*words, file)
        text = done.output.replace(folder, "OUT")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            text += f"{done.exception!s}\n".replace(folder, "OUT")
        if text.startswith("{"):
            text = f"{_digest(_OF_THE_RUN.sub('', text).encode())}\n"
        written = [
            f"{path.relative_to(folder)} {path.stat().st_size} {_digest(path.read_bytes())}\n"
            for path in sorted(Path(folder).rglob("*"))
        ]
    return f"$ {' '.join(command)} {file}: {done.exit_code}\n{text}{''.join(written)}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def path_of(file: str) -> Path:
    return OUTPUTS / (file.replace("../", "").replace("/", "-") + ".txt")


def outputs(file: str) -> Iterator[str]:
    return (output(command, file) for command in COMMANDS)


@pytest.mark.parametrize("file", FILES)
def test_what_the_commands_print(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BINARY)
    assert "".join(outputs(file)) == path_of(file).read_text("utf-8")


def test_there_is_no_other_file() -> None:
    assert {path.name for path in OUTPUTS.iterdir()} == {path_of(file).name for file in FILES}


if __name__ == "__main__":
    OUTPUTS.mkdir(exist_ok=True)
    os.chdir(BINARY)
    for each in FILES:
        path_of(each).write_text("".join(outputs(each)), "utf-8")
