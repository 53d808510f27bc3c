"""Registers, shared memory and stack of CUDA kernels, against NVIDIA's own cuobjdump."""

from __future__ import annotations

import re
import struct
import subprocess
import zipfile
from pathlib import Path

import lz4.block
import pytest

from hipport.fatbin.formats.nv_fatbin import LZ4, ZSTD, Image
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.cubins import Cubin, cubins, unpacked
from hipport.zstd import zstd
from tests.support.binaries import only
from tests.support.command import hipport
from tests.support.fetch import cache_folder, fetch
from tests.support.folders import FIXTURES
from tests.support.wheels import member

CUOBJDUMP = (
    "nvidia-cuda-cuobjdump",
    "13.5.37",
    "nvidia_cuda_cuobjdump-13.5.37-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
    "38780fee50863252a0b8926357faa91615ca1c8346490563f33a06100cd73f58",
)
FUNCTION = re.compile(
    r"arch = (?P<arch>\w+)|Function (?P<name>\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)"
)
LIBRARIES = {
    # LZ4 and not compressed; zstd
    "bitsandbytes/bitsandbytes/libbitsandbytes_cuda118.so": 1414,
    "bitsandbytes/bitsandbytes/libbitsandbytes_cuda130.so": 1414,
}


def cuobjdump() -> Path:
    program = cache_folder() / "members" / "cuobjdump"
    if not program.is_file():
        with zipfile.ZipFile(fetch(*CUOBJDUMP)) as wheel:
            data = wheel.read("nvidia/cu13/bin/cuobjdump")
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_bytes(data)
        program.chmod(0o755)
    return program


def read(path: Path, limits: Limits | None = None) -> list[Cubin]:
    binary = only(path)
    found = list(cubins(binary, limits or Limits()))
    assert list(map(str, binary.all_faults())) == []
    return found


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
def test_numbers_are_those_of_cuobjdump(library: str) -> None:
    path = member(library)
    printed = subprocess.run(
        [cuobjdump(), "-res-usage", path], capture_output=True, text=True, check=True
    ).stdout
    truth: dict[tuple[str, str], tuple[int, ...]] = {}
    arch = ""
    for match in FUNCTION.finditer(printed):
        if match["arch"]:
            arch = match["arch"]
        else:
            truth[arch, match["name"]] = tuple(map(int, match.groups()[2:]))
    ours = {
        (cubin.target, each.name): (each.registers, each.stack, each.shared)
        for cubin in read(path)
        for each in cubin.kernels
    }
    functions = {key for key in truth if key[1].startswith("__cuda_")}
    assert len(ours) == LIBRARIES[library]
    assert ours == {key: value for key, value in truth.items() if key not in functions}


def record(attribute: int, *values: int) -> bytes:
    return struct.pack(f"<BBH{len(values)}I", 4, attribute, 4 * len(values), *values)


def cubin(info: bytes, own: bytes = record(0x05, 16, 8, 2)) -> bytes:
    """An ELF file with the sections that a kernel `k` has; a function `f` that it calls too."""
    contents = {
        "": (0, b"", 0, 0),
        ".strtab": (3, b"\0k\0f\0", 0, 0),
        ".symtab": (2, struct.pack("<24xIBBHQQIBBHQQ", 1, 18, 16, 5, 0, 8, 3, 2, 0, 7, 0, 8), 1, 0),
        ".nv.info": (1, info, 2, 0),
        ".nv.info.k": (1, own, 2, 0),
        ".text.k": (1, bytes(8), 2, 40 << 24),
        ".nv.constant0.k": (1, bytes(8), 0, 0),
        ".text.f": (1, bytes(8), 2, 0),
        ".nv.shared.k": (8, b"", 0, 0),
        ".shstrtab": (3, b"", 0, 0),
    }
    names = "\0".join(contents).encode() + b"\0"
    contents[".shstrtab"] = (3, names, 0, 0)
    body, headers = bytearray(64), bytearray()
    for name, (kind, data, link, more) in contents.items():
        size = 2048 if kind == 8 else len(data)
        place = names.index(name.encode() + b"\0")
        headers += struct.pack("<IIQQQQIIQQ", place, kind, 0, 0, len(body), size, link, more, 1, 0)
        body += data
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    counts = (64, 0, 0, 64, len(contents), len(contents) - 1)
    body[:64] = struct.pack("<16sHHIQQQIHHHHHH", ident, 2, 190, 1, 0, 0, len(body), 0, *counts)
    return bytes(body + headers)


def fatbin(folder: Path, content: bytes, flags: int = 0, unpacked: int = 0) -> Path:
    padded = content + bytes(-len(content) % 8)
    stored = len(content) if flags else 0
    image = struct.pack(
        "<HHIQIIHHI8xQ8xQ", 2, 0, 64, len(padded), stored, 0, 0, 0, 80, flags, unpacked
    )
    whole = struct.pack("<4sHHQ", b"\x50\xed\x55\xba", 1, 16, len(image) + len(padded))
    path = folder / "a.fatbin"
    path.write_bytes(whole + image + padded)
    return path


INFO = record(0x2F, 1, 37) + record(0x11, 1, 96) + record(0x11, 99, 1)


@pytest.mark.parametrize("method", ["", "lz4", "zstd"])
def test_the_kernel_of_a_cubin(method: str, tmp_path: Path) -> None:
    data = cubin(INFO)
    stored, flags = {
        "": (data, 0),
        "lz4": (lz4.block.compress(data, store_size=False), LZ4),
        "zstd": (zstd().compress(data), ZSTD),
    }[method]
    (found,) = read(fatbin(tmp_path, stored, flags, len(data) if flags else 0))
    assert found.target == "sm_80"
    assert found.kernels == [("k", 37, 2048, 96, 256)]


def test_a_bare_cubin(tmp_path: Path) -> None:
    data = bytearray(cubin(INFO))
    data[48] = 80
    path = tmp_path / "k.cubin"
    path.write_bytes(data)
    (found,) = read(path)
    assert found.target == "sm_80"
    assert found.kernels == [("k", 37, 2048, 96, 256)]
    ran = hipport("trace", "--isolated", FIXTURES / "trace" / "solver.hip", path, cwd=tmp_path)
    assert "0 certain, 0 likely" in ran.out and ran.out.endswith("1 kernel\n")


def test_a_bare_cubin_that_is_cut_off_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "k.cubin"
    path.write_bytes(cubin(INFO)[:-64])
    (fault,) = only(path).all_faults()
    assert "reach past the end" in str(fault)


@pytest.mark.real
def test_a_bare_cubin_has_the_kernels_of_its_image(tmp_path: Path) -> None:
    """The architecture is in other bits of the header since CUDA 13."""
    for library in LIBRARIES:
        images: dict[str, Cubin] = {each.target: each for each in read(member(library))}
        assert len(images) >= 7
        for number, (target, image) in enumerate(images.items()):
            assert isinstance(image.entry, Image)
            source = unpacked(image.entry, Limits())
            path = tmp_path / f"{number}.cubin"
            path.write_bytes(source.read(0, source.size))
            (bare,) = read(path)
            assert (bare.target, bare.kernels) == (target, image.kernels)


def test_older_compilers_have_the_registers_in_the_section(tmp_path: Path) -> None:
    (found,) = read(fatbin(tmp_path, cubin(b"", b"")))
    assert found.kernels == [("k", 40, 2048, 0, None)]


@pytest.mark.parametrize(
    ("content", "flags", "unpacked", "fault"),
    [
        (cubin(INFO[:-4]), 0, 0, "an attribute that is cut off"),
        (b"no ELF file at all" + bytes(64), 0, 0, "not an ELF file"),
        (b"\xff" * 64, LZ4, 999, "damaged LZ4 data"),
        (bytes(64), LZ4, 1 << 20, "64 bytes of LZ4 cannot hold 1048576"),
        (bytes(64), ZSTD, 1 << 40, "1099511627776 bytes decompressed; the limit is 268435456"),
        (bytes(64), ZSTD, 999, "damaged zstd data"),
    ],
)
def test_damage_is_a_fault(
    content: bytes, flags: int, unpacked: int, fault: str, tmp_path: Path
) -> None:
    binary = only(fatbin(tmp_path, content, flags, unpacked))
    assert list(cubins(binary, Limits())) == []
    (found,) = binary.all_faults()
    assert fault in str(found)
