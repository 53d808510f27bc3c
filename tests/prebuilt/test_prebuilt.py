"""Binaries in a tree: exact findings, wheels, damage, limits."""

from __future__ import annotations

import gzip
import io
import json
import random
import shutil
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from hipport.prebuilt.binary_facts import examine, looks_binary
from hipport.prebuilt.vendor_libraries import maker
from hipport.rulebook.load import load
from tests.project.test_import_hygiene import NEVER, TERMINAL, loaded
from tests.support.command import hipport, make_tree
from tests.support.folders import FIXTURES

PREBUILT = FIXTURES / "prebuilt"
AMD = FIXTURES / "binary/elf-plain/libplain.so"
MESSAGES = {
    "host.dll": (
        "HP-BIN-002",
        "prebuilt PE image for CUDA, without source to port; needs cudart64_12.dll, nvcuda.dll",
    ),
    "host.o": (
        "HP-BIN-002",
        "prebuilt ELF relocatable for CUDA, without source to port; needs CUDA runtime, cuBLAS",
    ),
    "libcudart-d0da41ae.so.12": (
        "HP-BIN-002",
        "prebuilt ELF shared object for CUDA (libcudart-d0da41ae.so.12), without source to port",
    ),
    "libhost.so": (
        "HP-BIN-002",
        "prebuilt ELF shared object for CUDA, without source to port; needs libcublas.so.12, "
        "libcudart.so.12",
    ),
    "libmoved.so": (
        "HP-BIN-003",
        "prebuilt ELF shared object with code for AMD GPUs; needs libamdhip64.so.7",
    ),
    "libscale.a": (
        "HP-BIN-001",
        "prebuilt archive with NVIDIA device code (sm_80) in scale.o, without source to port; "
        "needs CUDA runtime",
    ),
    "libscale.so": (
        "HP-BIN-001",
        "prebuilt ELF shared object with NVIDIA device code (sm_80, sm_90), without source to "
        "port; needs libcudart.so.13",
    ),
    "relocatable.o": (
        "HP-BIN-001",
        "prebuilt ELF relocatable with NVIDIA device code (sm_90), without source to port; needs "
        "CUDA runtime",
    ),
    "scale.cubin": (
        "HP-RTC-005",
        '"scale.cubin (sm_80)" is a file in a format of NVIDIA\'s, which HIP cannot load',
    ),
    "scale.fatbin": (
        "HP-RTC-005",
        '"scale.fatbin (sm_80, sm_100)" is a file in a format of NVIDIA\'s, which HIP cannot load',
    ),
    "scale.o": (
        "HP-BIN-001",
        "prebuilt ELF relocatable with NVIDIA device code (sm_80), without source to port; needs "
        "CUDA runtime",
    ),
    "scale.ptx": (
        "HP-RTC-005",
        '"scale.ptx (sm_80)" is a file in a format of NVIDIA\'s, which HIP cannot load',
    ),
}


def found(folder: Path, *arguments: str | Path) -> dict[str, tuple[str, str]]:
    """Path -> code and message of the findings in a folder's binaries, as JSON has them."""
    options = ("--format", "json", "--fail-on", "never", "--all-places")
    ran = hipport("audit", *options, *arguments, cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    return {
        each["path"]: (each["code"], each["message"])
        for each in json.loads(ran.out)["findings"]
        if each["code"].startswith("HP-BIN") or each["code"] == "HP-RTC-005"
    }


def wheel(folder: Path, *names: str, method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "program-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name in names:
            archive.write(PREBUILT / name, f"program/{name}")
        archive.writestr("program/__init__.py", "import ctypes\n")
    return path


BESIDE = {"libscale.a", "libscale.so", "scale.o"}
"""Whose source, scale.cu, is beside them."""


def test_every_kind_of_file() -> None:
    told = {
        name: (code, message.replace(", without source to port", "; its source may be scale.cu"))
        if name in BESIDE
        else (code, message)
        for name, (code, message) in MESSAGES.items()
    }
    assert found(PREBUILT) == told
    assert found(AMD.parent) == {
        "libplain.so": (
            "HP-BIN-003",
            "prebuilt ELF shared object with code for AMD GPUs (gfx90a, gfx1100)",
        )
    }


def test_modules_of_a_folder_are_one_finding(tmp_path: Path) -> None:
    for name in ("one/a.ptx", "one/b.ptx", "two/a.ptx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(PREBUILT / "scale.ptx", tmp_path / name)
    ran = hipport("audit", "--format", "json", "--fail-on", "never", ".", cwd=tmp_path)
    assert [
        (each["path"], [(place["path"], place["line"]) for place in each.get("places", ())])
        for each in json.loads(ran.out)["findings"]
    ] == [("one/a.ptx", [("one/b.ptx", None)]), ("two/a.ptx", [])]


def test_a_file_that_is_named_is_read_as_what_it_is() -> None:
    ran = hipport("audit", "libscale.so", "--format", "text", cwd=PREBUILT)
    assert ran.code == 1
    assert ran.out.splitlines()[1].endswith(f": blocker HP-BIN-001 {MESSAGES['libscale.so'][1]}")


@pytest.mark.parametrize("source", ["src/scale.cu", "scale/kernels.cu"])
def test_the_source_of_a_binary_may_be_in_the_tree(tmp_path: Path, source: str) -> None:
    shutil.copy(PREBUILT / "libscale.so", tmp_path)
    (tmp_path / source).parent.mkdir()
    (tmp_path / source).write_text("__global__ void scale(float* x) { x[0] *= 2; }\n")
    ran = hipport("audit", "--format", "json", "--fail-on", "never", ".", cwd=tmp_path)
    (finding,) = (each for each in json.loads(ran.out)["findings"] if each["code"] == "HP-BIN-001")
    assert finding["severity"] == "manual"
    assert finding["message"] == (
        "prebuilt ELF shared object with NVIDIA device code (sm_80, sm_90); its source may be "
        f"{source}; needs libcudart.so.13"
    )


def test_the_only_source_of_its_folder_may_be_that_of_a_binary(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        shutil.copy(PREBUILT / "libscale.so", tmp_path / folder)
    for source in ("one/sums.cu", "two/sums.cu", "two/products.cu"):
        (tmp_path / source).write_text("__global__ void sum(float* x) { x[0] += 2; }\n")
    ran = hipport("audit", "--format", "json", "--fail-on", "never", ".", cwd=tmp_path)
    told = {each["path"]: each for each in json.loads(ran.out)["findings"]}
    assert told["one/libscale.so"]["severity"] == "manual"
    assert "; its source may be one/sums.cu; " in told["one/libscale.so"]["message"]
    assert told["two/libscale.so"]["severity"] == "blocker"
    assert "without source to port" in told["two/libscale.so"]["message"]


def test_a_wheel_is_one_finding(tmp_path: Path) -> None:
    wheel(tmp_path, "libscale.so", "relocatable.o", "libhost.so", "scale.cubin", "host.dll")
    assert found(tmp_path) == {
        "program-1.0-py3-none-any.whl": (
            "HP-BIN-001",
            "prebuilt zip with NVIDIA device code (sm_80, sm_90) in program/libscale.so, "
            "program/relocatable.o, program/libhost.so and 2 more, without source to port; needs "
            "CUDA runtime, cudart64_12.dll, libcublas.so.12, libcudart.so.12, libcudart.so.13, "
            "nvcuda.dll",
        )
    }


def test_a_static_library_in_a_compressed_tar_file(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "libs.tar.gz", "w:gz") as archive:
        archive.add(PREBUILT / "libscale.a", "lib/libscale.a")
    (code, message) = found(tmp_path)["libs.tar.gz"]
    assert code == "HP-BIN-001"
    assert " in lib/libscale.a!scale.o, without source to port; needs CUDA runtime" in message


def test_a_package_in_a_package_stays_shut(tmp_path: Path) -> None:
    inner = wheel(tmp_path, "libscale.so")
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(inner, "inner.whl")
    inner.unlink()
    assert found(tmp_path) == {}


def test_what_is_no_binary_is_left_alone(tmp_path: Path) -> None:
    make_tree(
        tmp_path,
        {
            "notes.gz": gzip.compress(b"no tar file"),
            "MZ.txt": "MZ is what DOS programs start with.\n" * 5,
            "empty": "",
            "data.npz": b"PK\x05\x06" + bytes(18),
            "x.ptx": "// nothing of PTX\n",
        },
    )
    ran = hipport("audit", "--format", "text", "--strict", cwd=tmp_path)
    assert ran == (0, "0 findings in 5 files\n", "")


@pytest.mark.parametrize("cut", [6, 40, 64, 700, 5000, 9000, 18000])
def test_a_file_that_is_cut_off_never_fails(tmp_path: Path, cut: int) -> None:
    for name in ("libscale.so", "host.dll", "libscale.a", "scale.cubin", "scale.fatbin"):
        (tmp_path / name).write_bytes((PREBUILT / name).read_bytes()[:cut])
    ran = hipport("audit", "--format", "text", "--fail-on", "never", cwd=tmp_path)
    assert ran.code == 0
    assert "internal error" not in ran.err and "Traceback" not in ran.err


def test_bytes_that_changed_never_raise(tmp_path: Path) -> None:
    chance, path = random.Random(3), tmp_path / "changed"
    rules = load(is_audit=True)
    for name in ("libscale.so", "host.dll", "libscale.a", "scale.o", "scale.fatbin"):
        original = (PREBUILT / name).read_bytes()
        for _ in range(150):
            data = bytearray(original)
            for _ in range(chance.choice((1, 4, 30))):
                data[chance.randrange(min(len(data), 6000))] = chance.randrange(256)
            path.write_bytes(data)
            assert examine(path, "changed", rules).fault.count("\n") == 0


def test_a_bomb_is_left_when_it_grows_too_large(tmp_path: Path) -> None:
    elf = (PREBUILT / "libscale.so").read_bytes()
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.so", elf[:64] + bytes(30 << 20))
    ran = hipport("audit", "--format", "text", "--strict", cwd=tmp_path)
    assert ran.code == 2
    assert "more than 16777216 bytes when unpacked; not looked at further" in ran.err


def test_a_directory_that_names_one_member_often(tmp_path: Path) -> None:
    """A zip file whose entries overlap: 2,000 times the same megabyte."""
    name, content = b"x.so", (PREBUILT / "libscale.so").read_bytes()[:64] + bytes(1 << 20)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name.decode(), content)
    data = buffer.getvalue()
    at = data.rindex(b"PK\x01\x02")
    entry = data[at : data.rindex(b"PK\x05\x06")]
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 2000, 2000, 2000 * len(entry), at, 0)
    (tmp_path / "overlap.whl").write_bytes(data[:at] + entry * 2000 + end)
    ran = hipport("audit", "--format", "text", cwd=tmp_path)
    assert ran.code == 0
    assert "bytes when unpacked" in ran.err


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("libcudart.so.12", "nvidia"),
        ("libcudart-d0da41ae.so.11.0", "nvidia"),
        ("cudart64_12.dll", "nvidia"),
        ("nvrtc64_120_0.dll", "nvidia"),
        ("libcudart_static.a", "nvidia"),
        ("libcuda.so.1", "nvidia"),
        ("libnvrtc-builtins.so.12.4", "nvidia"),
        ("libtorch_cuda.so", "nvidia"),
        ("libamdhip64.so.7", "amd"),
        ("amdhip64_6.dll", "amd"),
        ("libhsa-runtime64.so.1", "amd"),
        ("libc.so.6", ""),
        ("libcudartist.so", ""),
        ("cuda.py", ""),
    ],
)
def test_whose_a_library_is(name: str, whose: str) -> None:
    assert maker(name) == whose


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "libscale.so").symlink_to(PREBUILT / "libscale.so")
    assert found(tmp_path) == {}


def test_text_is_told_by_its_first_byte(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a": "#!/bin/sh\n", "b": "", "c": b"\x7fELF"})
    assert [looks_binary(tmp_path / name) for name in "abcd"] == [False, False, True, False]


def test_a_binary_loads_no_heavy_library(tmp_path: Path) -> None:
    files = {name: (PREBUILT / name).read_bytes() for name in MESSAGES}
    windows = {name: data for name, data in files.items() if data.startswith(b"MZ")}
    make_tree(tmp_path / "linux", {name: files[name] for name in files.keys() - windows.keys()})
    make_tree(tmp_path / "windows", windows)
    # LIEF reads Windows files, and no others.
    for folder, wanted in {"linux": set(), "windows": {"lief"}}.items():
        asked = "audit", "--fail-on", "never", folder
        assert loaded(tmp_path, *asked, of=NEVER | TERMINAL) == wanted
