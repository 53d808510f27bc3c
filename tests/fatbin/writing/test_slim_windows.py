"""`hipport fatbin slim` on DLLs as clang and lld-link make them, with targets to drop."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from hipport.fatbin.host.pe_file import read as read_pe
from hipport.fatbin.host.registration import registrations
from hipport.fatbin.limits import Limits
from tests.fatbin.host.test_build_variants import link_for_windows
from tests.support.binaries import BINARY, only, output_of, run, tool

pytestmark = pytest.mark.toolchain
WINDOWS = "--target=x86_64-pc-windows-msvc"
TARGETS = ("gfx90a", "gfx1100", "gfx1201")
FORMS = {
    "plain": ["-O2"],
    "not optimized": ["-O0"],
    "compressed": ["-O2", "--offload-compress"],
    "new driver": ["-O2", "--offload-new-driver"],
}


def library(version: int, options: list[str], folder: Path) -> Path:
    made = folder / "kernels.o"
    output_of(
        *(tool(f"clang++-{version}"), WINDOWS, "-x", "hip", "-nogpuinc", "-nogpulib", *options),
        *(f"--offload-arch={target}" for target in TARGETS),
        *("-c", BINARY / "kernels.hip", "-o", made),
    )
    # The linker of 19 wants a runtime of Microsoft's for what clang 19 makes.
    link_for_windows("lld-link-22", 22, folder, made, folder / "kernels.dll")
    return folder / "kernels.dll"


def code(path: Path) -> dict[str, bytes]:
    """Target -> code object."""
    return {
        str(entry.target): entry.source().read(0, entry.size)
        for bundle in only(path).bundles
        for entry in bundle.entries
        if entry.size and entry.target is not None
    }


@pytest.mark.parametrize("version", [19, 22])
@pytest.mark.parametrize("form", FORMS)
def test_code_for_other_devices_goes(form: str, version: int, tmp_path: Path) -> None:
    old, new = library(version, FORMS[form], tmp_path), tmp_path / "slim" / "kernels.dll"
    new.parent.mkdir()
    result = run("slim", old, "-o", new, "--targets", "gfx1100", "--format", "json")
    assert result.exit_code == 0, result.output
    (file,) = json.loads(result.stdout)["files"]
    before, after = code(old), code(new)
    assert set(before) == set(TARGETS) and after == {"gfx1100": before["gfx1100"]}
    assert set(file["dropped"]) == {"gfx90a", "gfx1201"}
    same_but_for_device_code(old, new, tmp_path)
    # Nothing of what was dropped is left behind, not even where the bundle was longer.
    data = new.read_bytes()
    assert b"gfx90a" not in data and b"gfx1201" not in data
    if form != "compressed":
        for target in ("gfx90a", "gfx1201"):
            assert before[target] in old.read_bytes() and before[target][64:256] not in data
    bundle_is_sound(new, tmp_path)


def same_but_for_device_code(old: Path, new: Path, folder: Path) -> None:
    was, now = old.read_bytes(), new.read_bytes()
    assert len(was) == len(now)
    (section,) = [each for each in read_pe(only(old).source).sections if each.name == ".hip_fat"]
    start, end = section.offset, section.offset + section.size
    assert (was[:start], was[end:]) == (now[:start], now[end:])
    assert was[start:end] != now[start:end]
    for tool_name, options in (
        ("llvm-readobj-22", ("--file-headers", "--sections", "--coff-imports", "--coff-exports")),
        ("llvm-objdump-22", ("-d", "-p")),
    ):
        shown = [
            output_of(tool(tool_name), *options, path).replace(str(path), "") for path in (old, new)
        ]
        assert shown[0] == shown[1]
    found = [registrations(only(path), Limits()) for path in (old, new)]
    assert found[0].names() == found[1].names() != set()
    assert found[0].unread == found[1].unread == []
    assert [group.bundle is not None for group in found[1].groups] == [True]
    assert run("check", new, "--require", "gfx1100", "--fail-on", "mismatch").exit_code == 0
    assert run("check", new, "--require", "gfx90a").exit_code == 1


def bundle_is_sound(path: Path, folder: Path) -> None:
    (bundle,) = only(path).bundles
    (folder / "one.hipfb").write_bytes(bundle.stored.read(0, bundle.size))
    listed = output_of(
        *(tool("clang-offload-bundler-22"), "--list", "--type=o"),
        f"--input={folder / 'one.hipfb'}",
    )
    assert [line for line in listed.split() if "gfx" in line] == [
        entry.id for entry in bundle.entries if "gfx" in entry.id
    ]


def test_the_checksum_of_a_release_is_renewed(tmp_path: Path) -> None:
    library(22, FORMS["plain"], tmp_path)
    old, new, again = (tmp_path / f"{name}.dll" for name in ("old", "new", "again"))
    link = ("/dll", "/noentry", "/nodefaultlib", "/force:unresolved", "/release")
    inputs = (tmp_path / "kernels.o", tmp_path / "amdhip64.lib")
    output_of(tool("lld-link-22"), *link, f"/out:{old}", *inputs)
    assert run("slim", old, "-o", new, "--targets", "gfx90a").exit_code == 0
    assert checksum(old) != checksum(new) != 0
    assert checksum_of(old.read_bytes()) == checksum(old)
    assert checksum_of(new.read_bytes()) == checksum(new)
    assert run("slim", new, "-o", again, "--targets", "gfx90a").exit_code == 0
    assert again.read_bytes() == new.read_bytes()


def checksum(path: Path) -> int:
    shown = output_of(tool("llvm-readobj-22"), "--file-headers", path)
    return int(shown.split("CheckSum: ")[1].split()[0], 16)


def checksum_of(data: bytes) -> int:
    """As CheckSumMappedFile of Windows does it, word by word."""
    at = int.from_bytes(data[60:64], "little") + 88
    data, total = data[:at] + bytes(4) + data[at + 4 :], 0
    for (word,) in struct.iter_unpack("<H", data + bytes(len(data) & 1)):
        total += word
        total = (total & 0xFFFF) + (total >> 16)
    return total + len(data)


def test_two_bundles_of_one_library(tmp_path: Path) -> None:
    """Both lose what is to go; their places, which the wrappers point at, stay."""
    objects = []
    for name in ("one", "two"):
        made = tmp_path / f"{name}.o"
        output_of(
            *(tool("clang++-22"), WINDOWS, "-x", "hip", "-nogpuinc", "-nogpulib", "-O2"),
            *(f"--offload-arch={target}" for target in TARGETS),
            *(f"-Dscale=scale_{name}", f"-Dcounter=counter_{name}", "-Dadd=add_" + name),
            *("-c", BINARY / "kernels.hip", "-o", made),
        )
        objects.append(made)
    joined = tmp_path / "both.lib"
    output_of(tool("llvm-lib-22"), f"/out:{joined}", *objects)
    old, new = tmp_path / "kernels.dll", tmp_path / "slim.dll"
    link_for_windows("lld-link-22", 22, tmp_path, Path(f"/wholearchive:{joined}"), old)
    assert run("slim", old, "-o", new, "--targets", "gfx90a").exit_code == 0
    bundles = only(new).bundles
    places = [[bundle.place.offset for bundle in only(path).bundles] for path in (old, new)]
    assert len(places[0]) == 2 and places[0] == places[1]
    assert [[str(e.target) for e in bundle.device_entries if e.size] for bundle in bundles] == [
        ["gfx90a"],
        ["gfx90a"],
    ]
    (one, two) = registrations(only(new), Limits()).groups
    assert one.bundle is not None and two.bundle is not None
    assert {one.bundle.index, two.bundle.index} == {0, 1}
    assert {"scale_one", "scale_two"} <= {*one.names(), *two.names()}
