"""Extraction and bundling: our own round trip, LLVM's, and names that would leave the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.fatbin.writing.extraction import Extractor
from tests.support.binaries import BINARY, CORRUPT, only, output_of, run, tool

GFX1201 = BINARY / "code-objects/v6-gfx1201.co"
GFX942 = BINARY / "code-objects/v5-gfx942_xnack+.co"
IDS = [
    "host-x86_64-unknown-linux-gnu-",
    "hipv4-amdgcn-amd-amdhsa--gfx1201",
    "hipv4-amdgcn-amd-amdhsa--gfx942:xnack+",
]


def test_an_uncompressed_bundle_equals_llvms_byte_for_byte(tmp_path: Path) -> None:
    out = tmp_path / "ours"
    assert run("bundle", GFX1201, GFX942, "-o", out).exit_code == 0
    assert out.read_bytes() == (BINARY / "bundles/plain.hipfb").read_bytes()


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_compressed_bundle_reads_back(version: str, tmp_path: Path) -> None:
    out = tmp_path / "ours"
    result = run("bundle", "--compress", "--ccob", version, GFX1201, GFX942, "-o", out)
    assert result.exit_code == 0
    (bundle,) = only(out).bundles
    assert (bundle.version, bundle.compression) == (int(version), "zstd")
    assert [entry.id for entry in bundle.entries] == IDS
    assert b"".join(bundle.pieces()) == (BINARY / "bundles/plain.hipfb").read_bytes()
    assert bundle.faults == []


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "options", [[], ["--compress"], ["--compress", "--ccob", "2"], ["--align", "1"]]
)
def test_llvm_unbundles_what_we_bundle(options: list[str], tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    assert run("bundle", *options, GFX1201, GFX942, "-o", bundle).exit_code == 0
    output_of(
        tool("clang-offload-bundler-22"),
        "-type=o",
        "-unbundle",
        f"-input={bundle}",
        f"-targets={IDS[1]},{IDS[2]}",
        f"-output={tmp_path / '1'}",
        f"-output={tmp_path / '2'}",
    )
    assert (tmp_path / "1").read_bytes() == GFX1201.read_bytes()
    assert (tmp_path / "2").read_bytes() == GFX942.read_bytes()


@pytest.mark.toolchain
@pytest.mark.parametrize("options", [[], ["-compress"], ["-bundle-align=4096"]])
def test_we_extract_what_llvm_bundles(options: list[str], tmp_path: Path) -> None:
    bundle = tmp_path / "theirs"
    output_of(
        tool("clang-offload-bundler-22"),
        "-type=o",
        *options,
        f"-targets={','.join(IDS)}",
        "-input=/dev/null",
        f"-input={GFX1201}",
        f"-input={GFX942}",
        f"-output={bundle}",
    )
    result = run("extract", bundle, "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == {
        "theirs.0.gfx1201.co": GFX1201.read_bytes(),
        "theirs.0.gfx942_xnack+.co": GFX942.read_bytes(),
    }


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], ["row.hipfb.0.gfx1201.co", "row.hipfb.0.gfx942_xnack+.co"]),
        (["--target", "gfx1201"], ["row.hipfb.0.gfx1201.co"]),
        (["--target", "gfx942"], ["row.hipfb.0.gfx942_xnack+.co"]),
        (["--target", "gfx942:xnack-"], []),
        (["--bundle", "7"], []),
    ],
)
def test_choices(options: list[str], names: list[str], tmp_path: Path) -> None:
    bundle = ["--bundle", "0"] if "--bundle" not in options else []
    result = run("extract", BINARY / "bundles/row.hipfb", "-o", tmp_path / "o", *bundle, *options)
    assert result.exit_code == 0
    assert sorted(p.name for p in (tmp_path / "o").iterdir()) == names
    expected = [f"{(tmp_path / 'o' / n).stat().st_size:>12}  {tmp_path / 'o' / n}" for n in names]
    assert result.stdout.splitlines() == expected


def test_the_content_decides_the_ending(tmp_path: Path) -> None:
    for name in ("handmade/spirv.hipfb", "object-rdc/kernels-22.o"):
        assert run("extract", BINARY / name, "-o", tmp_path).exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "kernels-22.o.0.gfx1100.bc",
        "kernels-22.o.0.gfx90a.bc",
        "spirv.hipfb.0.amdgcnspirv.spv",
    ]


@pytest.mark.parametrize(
    "name", ["entry-names-outside", "names-outside.zip", "names-outside.tar", "id-twice"]
)
def test_nothing_is_written_outside_the_folder(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    run("extract", CORRUPT / name, "-o", folder)
    written = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(written) == 2
    assert all(p.parent == folder for p in written)


def test_a_link_in_the_folder_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("keep")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "plain.hipfb.0.gfx1201.co").symlink_to(victim)
    assert run("extract", BINARY / "bundles/plain.hipfb", "-o", folder).exit_code == 0
    assert victim.read_text() == "keep"
    assert (folder / "plain.hipfb.0.gfx1201.co").read_bytes() == GFX1201.read_bytes()
    assert sorted(p.name for p in folder.iterdir()) == [
        "plain.hipfb.0.gfx1201.co",
        "plain.hipfb.0.gfx942_xnack+.co",
    ]


def test_overlapping_entries_do_not_write_more_than_there_is(tmp_path: Path) -> None:
    result = run("extract", CORRUPT / "entries-overlap", "-o", tmp_path)
    assert result.exit_code == 2
    assert "is not extracted: entries overlap" in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["entries-overlap.0.gfx90a.co"]


def test_bundling_says_what_it_needs(tmp_path: Path) -> None:
    twice = run("bundle", GFX1201, GFX1201, "-o", tmp_path / "x")
    assert "two images have the same entry ID" in str(twice.exception)
    other = run("bundle", BINARY / "kernels.hip", "-o", tmp_path / "x")
    assert f"write ID={BINARY / 'kernels.hip'}" in str(other.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    folder = tmp_path / "file" / "folder"
    with pytest.raises(HipportError) as error:
        Extractor(folder)
    why = "cannot make the folder: Not a directory (check the path and the disk)"
    assert str(error.value) == f"{folder}: {why}"
