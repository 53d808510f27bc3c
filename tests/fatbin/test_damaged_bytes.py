"""Each byte of the headers changed, and files cut there: what is said, and what is still read.

`fixtures/damaged` has a table for each file: what was changed, what of the sound file's content is
another then (by its hash), and what is said. `python -m tests.fatbin.test_damaged_bytes` writes
the tables again; read the lines that change, since they are what people get to see.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.fatbin.binary import Binary, Bundle
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.elf_file import EM_AMDGPU, MAGIC, PT_DYNAMIC, PT_NOTE, Elf
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.binary_survey import survey
from hipport.fatbin.questions.kernel_tables import RESOURCES, kernels
from hipport.fatbin.questions.served_devices import Groups, answers
from hipport.fatbin.reader import open_source
from hipport.fatbin.target_id import TargetId
from tests.support.binaries import BINARY
from tests.support.folders import FIXTURES

TABLES = FIXTURES / "damaged"
LIMITS = Limits(max_size=1 << 20)
DEVICES = [TargetId("gfx90a"), TargetId("gfx1100")]
_SHOWN = 100
NAMES = [
    *("bundles/v1-zlib.hipfb", "bundles/v2.hipfb", "bundles/v3.hipfb", "bundles/plain.hipfb"),
    *("bundles/text.ll", "caches/spirv.hipfb", "handmade/spirv.hipfb", "handmade/nvidia.fatbin"),
    *("handmade/zstd.kpack", "handmade/plain.kpack", "handmade/offload-binary-2.bin"),
    *("caches/kernels.aks2", "caches/rocfft_kernel_cache.db", "caches/miopen.kdb"),
    *("caches/iree/flat.vmfb", "archive/libkernels.a", "windows/kernels.obj"),
    *("code-objects/v2-gfx906.co", "code-objects/v6-gfx1250.co", "windows/kernels.dll"),
    *("elf-rdc/librdc.so", "object-offloading/kernels.o", "object-rdc/kernels-22.o"),
    *("other-hosts/aarch64.o", "other-hosts/liblarge.so", "kernels.zip", "kernels.tar"),
    *("other-hosts/libaarch64.so", "caches/iree/zip.vmfb"),
]


def content(name: str) -> bytes:
    if name in ("kernels.zip", "kernels.tar"):
        return packed(name, (BINARY / "bundles/v3.hipfb").read_bytes())
    return (BINARY / name).read_bytes()


def packed(name: str, member: bytes) -> bytes:
    """One member that is deflated, and one in a tar file with a long name."""
    file = io.BytesIO()
    if name == "kernels.zip":
        with zipfile.ZipFile(file, "w") as package:
            one = zipfile.ZipInfo("lib/kernels.hipfb")
            package.writestr(one, member, zipfile.ZIP_DEFLATED)
        return file.getvalue()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        entry = tarfile.TarInfo("lib/" + "long/" * 30 + "kernels.hipfb")
        entry.size = len(member)
        tar.addfile(entry, io.BytesIO(member))
    return file.getvalue()


def tables(data: bytes) -> Iterator[range]:
    """Where the headers and tables are that say where the rest is."""
    if not data.startswith(MAGIC):
        head = 128 if len(data) > 512 else len(data)
        yield from (range(head), range(max(head, len(data) - 64), len(data)))
        return
    elf = Elf(MemorySource(data, "sound"))
    yield range(64)
    yield range(elf.program_headers_at, elf.program_headers_at + 56 * len(elf.segments))
    yield range(elf.section_headers_at, elf.section_headers_at + 64 * len(elf.sections))
    wanted = (PT_DYNAMIC, PT_NOTE) if elf.machine == EM_AMDGPU else (PT_DYNAMIC,)
    for segment in elf.segments:
        if segment.type in wanted:
            yield range(segment.offset, segment.offset + min(segment.file_size, 256))


def damaged(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    """How and where something was changed, and the file with it: one more in each number's
    lowest byte, all bits of its highest, and a cut before it. Short tables also get each byte
    as a zero."""
    for table in tables(data):
        dense = table.stop <= 160 or len(data) <= 512
        for at in table:
            if dense or at % 8 == 0:
                yield "+1", at, data[:at] + bytes([data[at] + 1 & 255]) + data[at + 1 :]
            if dense and data[at]:
                yield "=0", at, data[:at] + b"\0" + data[at + 1 :]
            if at % 8 == 7:
                yield "=ff", at, data[:at] + b"\xff" + data[at + 1 :]
            if at % 16 == 0:
                yield "cut", at, data[:at]


def outcome(data: bytes, limits: Limits = LIMITS) -> dict[str, str]:
    """What the commands get to know of a file."""
    binaries: list[Binary] = []
    said: list[str] = []
    try:
        for binary in open_source(MemorySource(data, "input"), "input", limits):
            binaries.append(binary)
    except HipportError as error:
        said.append(f"refused: {error}")
    groups = Groups()
    found: dict[str, list[str]] = {"files": [], "kernels": [], "registered": []}
    for binary in binaries:
        found["files"].append(f"{binary.path} {binary.kind}".strip())
        found["files"] += map(_bundle, binary.bundles)
        for table, kernel in kernels(binary, limits):
            numbers = [kernel.raw.get(key) for key in RESOURCES.values() if key != ".name"]
            found["kernels"].append(f"{table.target} {kernel.name} {numbers}")
        result = survey(binary, limits)
        groups.add(result)
        for each in result.images:
            found["kernels"] += [f"{each.target} {each.version}", *each.disagreements]
        registered = result.registered
        found["registered"] += [f"{call.kind} {call.name}" for call in registered.calls()]
        found["registered"] += registered.problems
        said += [str(fault) for fault in binary.all_faults()] + binary.remarks
    told = [f"{a.device}: {a.reason or [e.id for e in a.by]}" for a in answers(groups.all, DEVICES)]
    lists = {**found, "devices": told, "said": said}
    return {key: "; ".join(each) for key, each in lists.items()}


def _bundle(bundle: Bundle) -> str:
    entries = " ".join(f"{e.id}@{e.offset:#x}+{e.size}" for e in bundle.entries)
    head = f"{bundle.format} {bundle.compression}@{bundle.place.offset:#x}+{bundle.size}"
    return f"{head} {{{entries}}}"


def table(data: bytes) -> str:
    sound = outcome(data)
    lines = [f"sound {key}: {sound[key]}" for key in sound]
    rows: dict[str, list[tuple[int, str]]] = {}
    for how, at, changed in damaged(data):
        now = outcome(changed)
        other = [f"{key} {_digest(now[key])}" for key in now if now[key] != sound[key]]
        said = now["said"] if len(now["said"]) < _SHOWN else now["said"][:_SHOWN] + "..."
        rows.setdefault(how, []).append((at, ", ".join(other) + f": {said}" if other else ""))
    for how, each in rows.items():
        for text, group in itertools.groupby(each, lambda row: row[1]):
            offsets = [at for at, _ in group]
            if text:
                lines.append(f"{how} {offsets[0]:#x}-{offsets[-1]:#x} {text}")
    return "\n".join(lines) + "\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6] if text else "nothing"


def path_of(name: str) -> Path:
    return TABLES / (name.replace("/", "-") + ".txt")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_and_read_of_damaged_headers(name: str) -> None:
    assert table(content(name)) == path_of(name).read_text("utf-8")


def test_there_is_no_other_table() -> None:
    assert {path.name for path in TABLES.glob("*.txt")} == {path_of(name).name for name in NAMES}


if __name__ == "__main__":
    TABLES.mkdir(exist_ok=True)
    for each in sys.argv[1:] or NAMES:
        path_of(each).write_text(table(content(each)), "utf-8")
