"""Damaged input: an error that names file, offset and fault, and the rest is still read."""

from __future__ import annotations

import os
import resource
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.exercise import exercise
from fuzz.formats import with_note
from hipport.errors import HipportError
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.kernel_tables import kernels
from hipport.fatbin.reader import open_path
from tests.support.binaries import BINARY, CORRUPT, run

FILES = sorted(p.name for p in CORRUPT.iterdir() if p.suffix != ".py")
THREE = ["scale", "_Z3addIiEvPT_PKS0_S3_", "_Z3addIdEvPT_PKS0_S3_"]

# File -> (offset, part of the message) of its first fault, kernels that are still read.
EXPECTED: dict[str, tuple[int, str, int]] = {
    "entry-offset-past-end": (0x56, "0x40 bytes at 0x10000000000 reach past the end", 3),
    "entry-size-overflow": (0x56, "0x40 bytes at 0xfffffffffffffff8 reach past the end", 3),
    "payload-truncated": (0x8D, "0x1348 bytes at 0x108 reach past the end", 0),
    "count-2-60": (0x18, "1152921504606846976 entries; the limit is 4096", 0),
    "count-0": (0x18, "a bundle with no entries", 0),
    "id-length-2-40": (0x66, "an entry ID of 1099511627776 bytes", 0),
    "entries-overlap": (0xC8, "overlap", 6),
    "entry-over-header": (0x8, "gfx90a' and the header", 3),
    "id-twice": (0x20, "occurs twice", 3),
    "header-truncated": (0x5A, "the header is cut off: it needs 110 bytes", 0),
    "magic-only": (0x18, "the header is cut off", 0),
    "ccob-size-2-45": (0x8, "declares 35184372088832 bytes, its zstd frame 5080", 0),
    "ccob-size-small": (0x8, "declares 200 bytes, its zstd frame 5080", 0),
    "ccob-hash": (0x18, "hash 0101010101010101 does not match", 3),
    "ccob-total-0": (0x8, "total size 0x0 is wrong", 3),
    "ccob-total-tiny": (0x21, "unknown bytes b5 2f fd 60", 0),
    "ccob-total-past-end": (0x8, "total size 0x10000000000 is wrong", 3),
    "ccob-v2-total-past-end": (0x8, "total size 0x40000000 is wrong", 3),
    "ccob-version-9": (0x4, "unknown version 9", 0),
    "ccob-method-7": (0x6, "unknown compression method 7", 0),
    "ccob-header-truncated": (0x14, "the header is cut off", 0),
    "ccob-stream-truncated": (0x8, "total size 0x563 is wrong", 0),
    "ccob-stream-damaged": (0x1D8, "the zstd data is cut off", 0),
    "ccob-v1-not-zstd": (0x14, "damaged zstd data", 0),
    "ccob-no-bundle-inside": (0x0, "not a bundle", 0),
    "bomb-zstd-1-gib": (0x8, "says it decompresses to 1073741965 bytes; the limit is", 0),
    "bomb-zstd-undeclared": (0x8, "declares 5080 bytes, its zstd frame 1073741824", 0),
    "garbage-between": (0x13D8, "unknown bytes 67 61 72 62 61 67 65 21", 6),
    "damaged-then-sound": (0x56, "0x8 bytes at 0x10000000000 reach past the end", 3),
    "text-no-end": (0x42, "'hip-amdgcn-amd-amdhsa--gfx90a' has no end mark", 0),
    "offload-binary-size": (0x8, "size 0x4000000000000 is wrong", 0),
    "offload-binary-version-9": (0x4, "unknown version 9", 0),
    "offload-binary-strings": (0x28, "a string table with 1099511627776 entries", 0),
    "nvidia-size": (0x8, "size 0x10000000000 is wrong", 0),
    "kpack-table": (0x10, "the table is not as described", 0),
    "kpack-offset": (0x8, "lies outside the archive", 0),
    "elf-sections-past-end": (0x1348, "896 bytes at 0x1000000000000000 reach past the end", 3),
    "elf-sections-65535": (0xFC8, "4194240 bytes at 0xfc8 reach past the end", 3),
    "elf-segments-past-end": (0x1348, "504 bytes at 0x4000000000000000 reach past the end", 0),
    "elf-truncated": (0xBB8, "reach past the end", 3),
    "elf-header-only": (0x40, "504 bytes at 0x40 reach past the end", 0),
    "elf-note-size": (0x238, "a note of 7 + 2147483647 bytes does not fit", 0),
    "elf-note-damaged": (0x275, "damaged metadata after 0 kernels", 0),
    "elf-host-section-past-end": (0x1FA0, "1536 bytes at 0x69e0 reach past the end", 0),
    "archive-truncated": (0x4BE, "a member of 10552 bytes reaches past the end", 0),
    "archive-size": (0x4BE, "a member of 9999999999 bytes reaches past the end", 0),
    "nested-12.zip": (0x0, "packages nested deeper than 8", 0),
    "zip-truncated.zip": (0x0, "without its directory's end record", 0),
    "zip-damaged-member.zip": (0x222, "damaged deflate data", 0),
    "zip-size-lies.zip": (0x22, "decompresses to another size than the 4941 bytes declared", 0),
    "zip-size-huge.zip": (0x4E7, "decompresses to less than the 4294967280 bytes declared", 0),
    "tar-checksum.tar": (0x200, "no tar file inside", 0),
}
# Nothing can be read at all: the command ends with this error.
REFUSED = dict.fromkeys(("magic-wrong", "zeros", "empty"), "not a file that can hold device code")
# Odd but sound: no fault, and so many kernels.
SOUND = {
    "elf-unknown-mach": 3,
    "elf-unknown-abi": 3,
    "kpack-zeroed-section": 0,
    "names-outside.zip": 6,
    "names-outside.tar": 6,
    "entry-names-outside": 3,
    "control-characters": 0,
}
# Finds of the fuzzer: what is expected is only that they are survived.
FOUND = {name for name in FILES if name.startswith("fuzz-")}


def test_every_file_has_its_expectation() -> None:
    assert set(FILES) == EXPECTED.keys() | REFUSED.keys() | SOUND.keys() | FOUND


@pytest.mark.parametrize("name", EXPECTED)
def test_fault_and_what_is_left(name: str) -> None:
    offset, message, count = EXPECTED[name]
    faults, names = [], []
    for binary in open_path(str(CORRUPT / name)):
        names += [kernel.name for _, kernel in kernels(binary, Limits())]
        for bundle in binary.bundles:
            try:
                for _ in bundle.pieces():
                    pass
            except HipportError:
                pass
        faults += list(binary.all_faults())
    assert faults, "damage was not noticed"
    assert (faults[0].offset, message in faults[0].problem) == (offset, True), str(faults[0])
    assert str(CORRUPT / name) in str(faults[0])
    assert names == THREE * (count // 3)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_files(name: str) -> None:
    result = run("list", CORRUPT / name)
    assert isinstance(result.exception, HipportError)
    assert str(result.exception).startswith(f"{CORRUPT / name}: offset 0x0: {REFUSED[name]}")


@pytest.mark.parametrize("name", SOUND)
def test_odd_files_are_read(name: str) -> None:
    names = []
    for binary in open_path(str(CORRUPT / name)):
        names += [kernel.name for _, kernel in kernels(binary, Limits())]
        assert list(binary.all_faults()) == []
    assert names == THREE * (SOUND[name] // 3)


def test_a_split_library_says_where_its_code_went() -> None:
    (binary,) = open_path(str(CORRUPT / "kpack-zeroed-section"))
    assert binary.bundles == []
    assert binary.remarks == ["device code moved to a kpack archive: 1 bundles of ?"]


def test_a_raised_limit_is_obeyed() -> None:
    result = run("kernels", CORRUPT / "ccob-hash", "--max-size", "1K")
    assert "the limit is 1024 (if the file is trusted, raise the limit" in result.stderr
    assert run("kernels", BINARY / "bundles/v3.hipfb", "--max-size", "1M").exit_code == 0


@pytest.mark.parametrize("name", sorted(FOUND))
def test_finds_of_the_fuzzer_are_read(name: str) -> None:
    assert exercise((CORRUPT / name).read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_no_command_fails_in_another_way(name: str, tmp_path: Path) -> None:
    for command in ("list", "kernels", "check", "dedupe"):
        for form in ("text", "json"):
            result = run(command, CORRUPT / name, "--format", form)
            assert result.exit_code in (0, 1, 2)
            assert isinstance(result.exception, SystemExit | HipportError | None)
    result = run("extract", CORRUPT / name, "-o", tmp_path / "out")
    assert isinstance(result.exception, SystemExit | HipportError | None)
    result = run("diff", CORRUPT / name, CORRUPT / name)
    assert isinstance(result.exception, SystemExit | HipportError | None)


def peak_memory(*paths: Path) -> int:
    """KiB that a process needs at most to read these files."""
    program = (
        "import sys; from fuzz.exercise import exercise\n"
        "for path in sys.argv[1:]: exercise(open(path, 'rb').read())\n"
        "import re; status = open('/proc/self/status').read()\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', status).group(1))"
    )
    root = CORRUPT.parents[1]
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, paths)],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_memory_stays_below_512_mb() -> None:
    assert peak_memory(*(CORRUPT / name for name in FILES)) < 512 << 10


def _kernels(count: int, each: bytes) -> bytes:
    return b"\x81\xaeamdhsa.kernels\xdd" + struct.pack(">I", count) + each * count


ENTRY = struct.pack("<QQQ", 0, 0, 1) + b"h"
ABSURD = {
    "kernels that are empty maps": lambda: with_note(_kernels(3 << 20, b"\x80")),
    "ten times as many": lambda: with_note(_kernels(30 << 20, b"\x80")),
    "a note above 1 MiB that is nested": lambda: with_note(b"\x91" * (2 << 20)),
    "a note above the limit": lambda: with_note(_kernels(1, b"\x80") + bytes(33 << 20)),
    "end marks": lambda: (
        b"; __CLANG_OFFLOAD_BUNDLE____START__ x\n"
        + b"; __CLANG_OFFLOAD_BUNDLE____END__ y\n" * (1 << 18)
    ),
    "entries": lambda: (b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 4096) + ENTRY * 4096) * 50,
    "empty bundles": lambda: (
        (b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 1) + ENTRY) * (1 << 19)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", ABSURD)
def test_absurd_counts_do_not_fill_the_memory(what: str, tmp_path: Path) -> None:
    path = tmp_path / "absurd"
    path.write_bytes(ABSURD[what]())
    assert peak_memory(path) < 512 << 10


@pytest.mark.parametrize("name", ["spirv.hipfb", "nvidia.fatbin"])
def test_truncation_at_every_byte(name: str) -> None:
    data = (BINARY / "handmade" / name).read_bytes()
    for length in range(len(data)):
        found = exercise(data[:length])
        complete = [b for b in found if b.bundles and not list(b.all_faults())]
        assert complete == [], f"cut at {length} and nothing said"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "name", "step"),
    [
        ("bundles", "v3.hipfb", 1),
        ("bundles", "v1-zlib.hipfb", 7),
        ("code-objects", "v3-gfx906.co", 7),
    ],
)
def test_truncation_of_larger_files(folder: str, name: str, step: int) -> None:
    data = (BINARY / folder / name).read_bytes()
    for length in range(0, len(data), step):
        exercise(data[:length])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spirv.hipfb", "nvidia.fatbin", "zstd.kpack"])
def test_every_bit_flipped_once(name: str) -> None:
    data = bytearray((BINARY / "handmade" / name).read_bytes())
    for position in range(min(len(data), 400)):
        for bit in range(8):
            data[position] ^= 1 << bit
            exercise(bytes(data))
            data[position] ^= 1 << bit


@pytest.mark.slow
@pytest.mark.parametrize("name", ["v3-gfx906.co", "v2-gfx906.co", "v6-gfx1250.co"])
def test_a_bit_of_every_byte_of_a_code_object_flipped(name: str) -> None:
    data = bytearray((BINARY / "code-objects" / name).read_bytes())
    for position in range(len(data)):
        data[position] ^= 1 << position % 8
        exercise(bytes(data))
        data[position] ^= 1 << position % 8
