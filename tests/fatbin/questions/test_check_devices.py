"""`hipport fatbin check --require`: an entry counts only if its image could be loaded."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.fatbin.processors import (
    features_of,
    gfx_version,
    near_processors,
    processors,
    table,
)
from tests.support.binaries import BINARY, CORRUPT, output_of, run, tool

CODE = BINARY / "code-objects"
GFX942 = CODE / "v5-gfx942_xnack+.co"
ID = "hipv4-amdgcn-amd-amdhsa--"


def built(target: str, output: Path, *options: str) -> Path:
    """A code object of clang 22."""
    output_of(
        *(tool("clang++-22"), "-x", "hip", "-nogpuinc", "-nogpulib", "-O2"),
        *("--cuda-device-only", "--no-gpu-bundle-output", f"--offload-arch={target}"),
        *options,
        *("-c", BINARY / "kernels.hip", "-o", output),
    )
    return output


def bundled(output: Path, **entries: Path) -> Path:
    """A bundle of LLVM's bundler: entry ID and content."""
    host = output.with_suffix(".host")
    host.write_bytes(b"")
    output_of(
        *(tool("clang-offload-bundler-22"), "-type=o", "-bundle-align=4096"),
        f"-targets=host-x86_64-unknown-linux-gnu-,{','.join(entries)}",
        *(f"-input={path}" for path in (host, *entries.values())),
        f"-output={output}",
    )
    return output


@pytest.mark.parametrize("empty", ["", ",", " , "])
@pytest.mark.parametrize("option", ["--require", "--fail-on"])
def test_nothing_asked_for_is_refused(option: str, empty: str) -> None:
    result = run("check", GFX942, option, empty)
    assert isinstance(result.exception, HipportError)
    assert f"{option} names nothing" in str(result.exception)


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"only text\n" * 99, "it holds unknown bytes, no AMDGPU code"),
        (
            (BINARY / "bundles/plain.hipfb").read_bytes(),
            "it holds another offload bundle, no AMDGPU code",
        ),
        (
            (BINARY / "elf-plain/libplain.so").read_bytes(),
            "it holds ELF code for machine 62, no AMDGPU code",
        ),
        (b"BC\xc0\xde" + bytes(99), "it holds LLVM bitcode, which is not linked yet"),
        (GFX942.read_bytes(), "its e_flags say gfx942:xnack+"),
    ],
)
def test_an_entry_that_holds_something_else_is_no_answer(
    tmp_path: Path, content: bytes, what: str
) -> None:
    (tmp_path / "image").write_bytes(content)
    bundle = bundled(tmp_path / "b.hipfb", **{f"{ID}gfx90a": tmp_path / "image"})
    result = run("check", bundle, "--require", "gfx90a")
    assert result.exit_code == 1
    first = result.stdout.splitlines()[0]
    assert first.startswith("fail    gfx90a ") and f"{ID}gfx90a is no answer: {what}" in first


@pytest.mark.toolchain
def test_code_that_is_not_linked_is_no_answer(tmp_path: Path) -> None:
    unlinked = tmp_path / "unlinked.o"
    (tmp_path / "a.c").write_text("__attribute__((amdgpu_kernel)) void k(int *p) { *p = 1; }\n")
    output_of(
        *(tool("clang-22"), "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib"),
        *("-c", tmp_path / "a.c", "-o", unlinked),
    )
    result = run("check", unlinked, "--require", "gfx90a")
    assert result.exit_code == 1 and "its code is not linked" in result.stdout


@pytest.mark.toolchain
def test_both_settings_of_a_feature_serve_a_device_that_names_none(tmp_path: Path) -> None:
    on = built("gfx90a:xnack+", tmp_path / "on")
    off = built("gfx90a:xnack-", tmp_path / "off")
    both = bundled(tmp_path / "both", **{f"{ID}gfx90a:xnack+": on, f"{ID}gfx90a:xnack-": off})
    result = run("check", both, "--require", "gfx90a")
    assert (result.exit_code, result.stdout) == (
        0,
        f"ok      gfx90a           {both}: bundle 0: gfx90a:xnack+ and gfx90a:xnack-\n",
    )
    alone = run("check", on, "--require", "gfx90a,gfx90a:xnack+")
    assert alone.exit_code == 1
    assert alone.stdout == (
        f"fail    gfx90a           {on}: no code for gfx90a:xnack-\n"
        f"ok      gfx90a:xnack+    {on}: gfx90a:xnack+\n"
    )


@pytest.mark.toolchain
def test_files_of_one_stem_are_one_group_and_others_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    folder.mkdir()
    for target, name in (
        ("gfx90a:xnack+", "Kernels.so-000-gfx90a-xnack+.hsaco"),
        ("gfx90a:xnack-", "Kernels.so-000-gfx90a-xnack-.hsaco"),
        ("gfx1100", "Kernels.so-000-gfx1100.hsaco"),
    ):
        built(target, folder / name)
    code = built("gfx1100", tmp_path / "code")
    bundled(folder / "Tensile_gfx1100.co", **{f"{ID}gfx1100": code})
    result = run("check", folder, "--require", "gfx90a,gfx1100")
    assert result.exit_code == 1
    assert result.stdout == (
        f"fail    gfx90a           {folder}/Tensile_gfx1100.co: no code for gfx90a\n"
        f"ok      gfx90a           {folder}/Kernels.so-000-*.hsaco: 3 files: "
        "gfx90a:xnack+ and gfx90a:xnack-\n"
        f"ok      gfx1100          {folder}/Kernels.so-000-*.hsaco: 3 files: gfx1100\n"
        f"ok      gfx1100          {folder}/Tensile_gfx1100.co: gfx1100\n"
    )
    # Tensile writes bundles of a single target, too.
    code = built("gfx90a", tmp_path / "other")
    bundled(folder / "Tensile_gfx90a.co", **{f"{ID}gfx90a": code})
    result = run("check", folder, "--require", "gfx90a,gfx1100")
    assert result.exit_code == 0
    assert f"{folder}/Tensile_*.co: 2 files: gfx90a\n" in result.stdout
    built("gfx1100", folder / "unrelated.co")
    assert (
        f"{folder}/unrelated.co: no code for gfx90a"
        in run("check", folder, "--require", "gfx90a").stdout
    )


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("gfx1030:xnack+", "gfx1030 has no xnack"),
        ("gfx1100:sramecc-", "gfx1100 has no sramecc"),
        ("gfx1010:sramecc+:xnack+", "gfx1010 has no sramecc"),
    ],
)
def test_features_that_a_processor_does_not_have(device: str, message: str) -> None:
    result = run("check", GFX942, "--require", device)
    assert isinstance(result.exception, HipportError) and message in str(result.exception)


@pytest.mark.parametrize("prefix", ["amdgcn-amd-amdhsa--", ID, "hip-amdgcn-amd-amdhsa--"])
def test_a_device_may_carry_its_triple(prefix: str) -> None:
    result = run("check", GFX942, "--require", f"{prefix}gfx942:xnack+")
    assert result.exit_code == 0
    assert result.stdout == f"ok      gfx942:xnack+    {GFX942}: gfx942:xnack+\n"


def test_the_version_of_generic_code_counts(tmp_path: Path) -> None:
    path = tmp_path / "generic.co"
    data = bytearray((CODE / "v6-gfx9-4-generic.co").read_bytes())
    data[51] = 0  # the last byte of e_flags
    path.write_bytes(data)
    result = run("check", path, "--require", "gfx942")
    assert result.exit_code == 1
    assert "its generic version is 0, the devices need 1" in result.stdout


@pytest.mark.toolchain
def test_a_near_processor_is_a_hint_and_no_answer(tmp_path: Path) -> None:
    code = built("gfx1030", tmp_path / "code.co")
    result = run("check", code, "--require", "gfx1032")
    assert result.exit_code == 1
    assert result.stdout == (
        f"fail    gfx1032          {code}: no code for gfx1032\n"
        f"hint    gfx1032          {code}: with HSA_OVERRIDE_GFX_VERSION=10.3.0 gfx1032 takes "
        "the code for gfx1030, which AMD does not support\n"
    )


def test_versions_for_the_override() -> None:
    assert [gfx_version(name) for name in ("gfx90c", "gfx1030", "gfx1100", "gfx906")] == [
        "9.0.12",
        "10.3.0",
        "11.0.0",
        "9.0.6",
    ]
    for near, devices in table()["near"].items():
        assert near in processors() and set(devices) <= processors().keys()
        assert all(near in near_processors(device) for device in devices)


def test_many_bundles_are_one_line_for_each_device(tmp_path: Path) -> None:
    many = tmp_path / "many.hipfb"
    plain = (BINARY / "bundles/plain.hipfb").read_bytes()
    many.write_bytes(b"".join(plain + bytes(-len(plain) % 4096) for _ in range(9)))
    result = run("check", many, "--require", "gfx1201,gfx90a")
    assert result.stdout == (
        f"fail    gfx90a           {many}: bundle 0, bundle 1, bundle 2, bundle 3 and 5 more: "
        "no code for gfx90a\n"
        f"ok      gfx1201          {many}: all 9 bundles: gfx1201\n"
    )


@pytest.mark.toolchain
def test_the_features_of_processors_are_clangs(tmp_path: Path) -> None:
    """Every processor that clang 22 knows; those it dropped are as gfx942."""
    source = tmp_path / "empty.c"
    source.write_text("")
    for name in ("gfx906", "gfx90a", "gfx942", "gfx1012", "gfx1030", "gfx1201", "gfx11-generic"):
        for feature in ("xnack", "sramecc"):
            done = subprocess.run(
                [
                    *(tool("clang-22"), "-target", "amdgcn-amd-amdhsa", "-nogpulib"),
                    *(f"-mcpu={name}:{feature}+", "-c", str(source), "-o", str(tmp_path / "o")),
                ],
                capture_output=True,
            )
            assert (done.returncode == 0) == (feature in features_of(name)), (name, feature)


@pytest.mark.toolchain
def test_a_file_of_hipcc_passes(tmp_path: Path) -> None:
    shutil.copy(BINARY / "hipcc/libprogram.so", tmp_path / "a.so")
    targets = run("list", "--targets", tmp_path / "a.so").stdout.split(": ")[1].split()
    assert run("check", tmp_path / "a.so", "--require", ",".join(targets)).exit_code == 0


def test_code_that_moved_to_an_archive_is_no_answer() -> None:
    moved = CORRUPT / "kpack-zeroed-section"
    result = run("check", moved, GFX942, "--require", "gfx942:xnack+")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == (
        f"fail    gfx942:xnack+    {moved}: moved to a kpack archive: no code for gfx942:xnack+"
    )
