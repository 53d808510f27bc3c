"""What a machine has: headers, libraries, and which of them are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.verification import hip_headers, libclang
from hipport.verification.compiler_facts import clang_for
from hipport.verification.hip_headers import Headers, find_headers
from hipport.verification.libclang import Library, Resources, choose, find_resources
from hipport.verification.model import Unit
from hipport.verification.toolchain import Toolchain
from tests.support.command import make_tree

VERSION = "#define HIP_VERSION_MAJOR 7\n#define HIP_VERSION_MINOR 2\n"


def test_headers_of_an_installation_and_of_a_bare_folder(tmp_path: Path) -> None:
    make_tree(tmp_path, {"rocm/include/hip/hip_version.h": VERSION, "hip/hip_version.h": "\n"})
    found = find_headers(tmp_path / "rocm")
    assert found == Headers(tmp_path / "rocm/include", (7, 2), "--rocm-path")
    assert find_headers(tmp_path) == Headers(tmp_path, (0, 0), "--rocm-path")
    with pytest.raises(HipportError, match=r"no include/hip/hip_version\.h there"):
        find_headers(tmp_path / "nowhere")


def test_the_order_in_which_headers_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(tmp_path, {f"{each}/include/hip/hip_version.h": VERSION for each in "ab"})
    monkeypatch.setattr(hip_headers, "find_program", lambda _: "hipconfig")
    monkeypatch.setattr(hip_headers, "_hipconfig", lambda _: str(tmp_path / "b"))
    assert find_headers(None, {"ROCM_PATH": str(tmp_path / "a")}).origin == "ROCM_PATH"
    assert find_headers(None, {"ROCM_PATH": str(tmp_path)}).origin == "hipconfig"
    assert find_headers(None, {}).folder == tmp_path / "b/include"


def test_no_headers_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hip_headers, "_candidates", lambda _: iter(()))
    with pytest.raises(HipportError) as caught:
        find_headers(None)
    assert caught.value.remedy == hip_headers.REMEDY


@pytest.mark.parametrize(
    ("hip", "clang"), [((4, 5), 0), ((5, 2), 14), ((6, 3), 18), ((7, 1), 20), ((9, 0), 22)]
)
def test_the_clang_of_a_hip(hip: tuple[int, ...], clang: int) -> None:
    assert clang_for(hip) == clang


OURS, OLD, NEW = Library("", 18), Library("/l19", 19), Library("/l22", 22)


@pytest.mark.parametrize(
    ("wanted", "ours", "others", "chosen"),
    [
        (14, OURS, [OLD, NEW], OURS),
        (19, OURS, [OLD, NEW], OLD),
        (20, OURS, [OLD, NEW], NEW),
        (23, OURS, [OLD, NEW], NEW),
        (23, OURS, [], OURS),
        (14, None, [OLD, NEW], OLD),
    ],
)
def test_the_library_that_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
    wanted: int,
    ours: Library | None,
    others: list[Library],
    chosen: Library,
) -> None:
    monkeypatch.setattr(libclang, "packaged", lambda: ours)
    monkeypatch.setattr(libclang, "installed", lambda _: others)
    assert choose(wanted, None) == chosen


def test_no_library_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libclang, "packaged", lambda: None)
    monkeypatch.setattr(libclang, "installed", lambda _: [])
    with pytest.raises(HipportError, match="no libclang was found"):
        choose(14, None)


def test_the_nearest_resources_and_the_newer_of_two_as_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("15.0.6", "17", "19", "21")
    make_tree(tmp_path, {f"{each}/include/{libclang.WRAPPER}": "" for each in names})
    make_tree(tmp_path, {"18/include/stddef.h": ""})
    monkeypatch.setattr(libclang, "_RESOURCES", (str(tmp_path),))
    monkeypatch.setattr(libclang, "in_packages", lambda _: iter(()))
    found = {at: find_resources(None, Library("", at), None).major for at in (14, 18, 19, 30)}
    assert found == {14: 15, 18: 19, 19: 19, 30: 21}
    named = find_resources(tmp_path / "17", Library("", 22), None)
    assert named == Resources(tmp_path / "17", 17)
    with pytest.raises(HipportError, match="check --resource-dir"):
        find_resources(tmp_path / "18", Library("", 18), None)
    monkeypatch.setattr(libclang, "_RESOURCES", ())
    with pytest.raises(HipportError) as caught:
        find_resources(None, Library("", 18), None)
    assert caught.value.remedy == libclang.NO_RESOURCES


def test_the_arguments_of_each_pass() -> None:
    made = Toolchain(OURS, "", Resources(Path("/r"), 18), Headers(Path("/h"), (7, 2), ""))
    unit = Unit(Path("/a.cu"), "a.cu", "hip", ("-DX",), Path("/"))
    wrapped = ["-isystem", "/r/include/cuda_wrappers", "-include", libclang.WRAPPER]
    common = ["-resource-dir", "/r", "-ferror-limit=0", "-w"]
    after = ["-std=gnu++17", "-D__HIP_PLATFORM_AMD__=1", "-DX", "-isystem", "/h"]
    no_search = ["-x", "hip", "-nogpulib", "-nogpuinc"]
    host = [*common, *no_search, *wrapped, "--cuda-host-only", *after]
    assert made.arguments(unit, "") == host
    device = [*common, *no_search, *wrapped, "--cuda-device-only", "--offload-arch=gfx90a", *after]
    assert made.arguments(unit, "gfx90a") == device
    c = Unit(Path("/a.c"), "a.c", "c", (), Path("/"))
    assert made.arguments(c, "") == [
        *common, "-x", "c", "-D__HIP_PLATFORM_AMD__=1", "-isystem", "/h",
    ]  # fmt: skip


def test_told_that_clang_is_too_old() -> None:
    made = Toolchain(OURS, "clang 18", Resources(Path("/r"), 19), Headers(Path("/h"), (7, 2), "x"))
    assert list(made.lines()) == [
        "libclang: clang 18 (Python package libclang)",
        "clang's own headers: /r",
        "HIP headers: 7.2, /h (by x)",
        "this HIP was built with clang 22: an older one may reject parts of its headers",
    ]
