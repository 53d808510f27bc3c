"""Every container format, read from its fixture."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from hipport.fatbin.reader import open_path
from hipport.fatbin.target_id import TargetId, parse_entry_id
from tests.support.binaries import BINARY, only

HOST_22 = "host-x86_64-unknown-linux-gnu-"
GFX1201 = "hipv4-amdgcn-amd-amdhsa--gfx1201"
GFX942 = "hipv4-amdgcn-amd-amdhsa--gfx942:xnack+"
IN_BUNDLE = [(HOST_22, 4096, 0), (GFX1201, 4096, 6520), (GFX942, 12288, 6360)]

# File -> kind, then for each bundle: format, version, compression, offset, size, entries.
EXPECTED = {
    "bundles/plain.hipfb": (
        "bare offload bundle",
        [("offload bundle", 0, "", 0, 18648, IN_BUNDLE)],
    ),
    "bundles/v1-zlib.hipfb": (
        "bare compressed bundle",
        [("compressed bundle", 1, "zlib", 0, 2311, IN_BUNDLE)],
    ),
    "bundles/v1-zstd.hipfb": (
        "bare compressed bundle",
        [("compressed bundle", 1, "zstd", 0, 2263, IN_BUNDLE)],
    ),
    "bundles/v2-zlib.hipfb": (
        "bare compressed bundle",
        [("compressed bundle", 2, "zlib", 0, 2315, IN_BUNDLE)],
    ),
    "bundles/v2.hipfb": (
        "bare compressed bundle",
        [("compressed bundle", 2, "zstd", 0, 2267, IN_BUNDLE)],
    ),
    "bundles/v3.hipfb": (
        "bare compressed bundle",
        [("compressed bundle", 3, "zstd", 0, 2275, IN_BUNDLE)],
    ),
    "bundles/row.hipfb": (
        "bare compressed bundle",
        [
            ("compressed bundle", 1, "zlib", 0, 2311, IN_BUNDLE),
            ("compressed bundle", 1, "zstd", 4096, 2263, IN_BUNDLE),
            ("offload bundle", 0, "", 8192, 18648, IN_BUNDLE),
            ("compressed bundle", 3, "zstd", 28672, 2275, IN_BUNDLE),
        ],
    ),
    "bundles/text.ll": (
        "bare text bundle",
        [
            (
                "text bundle",
                0,
                "",
                0,
                315,
                [(HOST_22, 68, 12), ("hip-amdgcn-amd-amdhsa--gfx90a", 213, 37)],
            )
        ],
    ),
    "object-rdc/kernels-15.o": (
        "ELF relocatable",
        [
            (
                "object sections",
                0,
                "",
                0,
                8129,
                [
                    ("hip-amdgcn-amd-amdhsa-gfx1100", 3592, 4008),
                    ("hip-amdgcn-amd-amdhsa-gfx90a", 7600, 4120),
                    ("host-x86_64-pc-linux-gnu", 11720, 1),
                ],
            )
        ],
    ),
    "object-offloading/kernels.o": (
        "ELF relocatable",
        [
            (
                "offload binary",
                1,
                "",
                760,
                6416,
                [("hip-amdgcn-amd-amdhsa-gfx1100", 144, 6272)],
            ),
            (
                "offload binary",
                1,
                "",
                7176,
                6736,
                [("hip-amdgcn-amd-amdhsa-gfx90a:xnack+", 152, 6580)],
            ),
        ],
    ),
    "handmade/offload-binary-2.bin": (
        "bare offload binary",
        [
            (
                "offload binary",
                2,
                "",
                0,
                13176,
                [
                    ("hip-amdgcn-amd-amdhsa-gfx942:xnack+", 296, 6360),
                    ("hip-amdgcn-amd-amdhsa-gfx1201", 6656, 6520),
                ],
            )
        ],
    ),
    "handmade/nvidia.fatbin": (
        "bare NVIDIA fatbin",
        [
            (
                "NVIDIA fatbin",
                1,
                "",
                0,
                256,
                [
                    ("cuda-nvptx64-nvidia-cuda--sm_80", 80, 64),
                    ("cuda-nvptx64-nvidia-cuda--sm_90", 208, 48),
                ],
            )
        ],
    ),
    "handmade/spirv.hipfb": (
        "bare offload bundle",
        [
            (
                "offload bundle",
                0,
                "",
                0,
                220,
                [
                    (HOST_22, 200, 0),
                    ("hip-spirv64-amd-amdhsa--amdgcnspirv", 200, 20),
                    ("hipv4-amdgcn-amd-amdhsa--gfx906", 220, 0),
                ],
            )
        ],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_bundles_and_entries(name: str) -> None:
    binary = only(BINARY / name)
    kind, bundles = EXPECTED[name]
    assert binary.kind == kind
    assert [
        (
            b.format,
            b.version,
            b.compression,
            b.place.offset,
            b.size,
            [(e.id, e.offset, e.size) for e in b.entries],
        )
        for b in binary.bundles
    ] == bundles
    assert list(binary.all_faults()) == []


@pytest.mark.parametrize(
    "name",
    [
        "bundles/v1-zlib.hipfb",
        "bundles/v1-zstd.hipfb",
        "bundles/v2-zlib.hipfb",
        "bundles/v2.hipfb",
        "bundles/v3.hipfb",
    ],
)
def test_a_compressed_bundle_holds_the_plain_one(name: str) -> None:
    binary = only(BINARY / name)
    plain = (BINARY / "bundles/plain.hipfb").read_bytes()
    assert b"".join(binary.bundles[0].pieces()) == plain
    assert bytes(binary.bundles[0].payload().view(0, len(plain))) == plain
    assert list(binary.all_faults()) == []


def test_entries_are_the_bytes_that_went_in() -> None:
    for entry in only(BINARY / "bundles/v3.hipfb").bundles[0].device_entries:
        name = "v6-gfx1201.co" if entry.id == GFX1201 else "v5-gfx942_xnack+.co"
        content = (BINARY / "code-objects" / name).read_bytes()
        assert entry.source().read(0, entry.size) == content


def test_kpack_archives_give_the_code_objects() -> None:
    for name in ("plain.kpack", "zstd.kpack"):
        (bundle,) = only(BINARY / "handmade" / name).bundles
        found = {e.id: hashlib.sha256(e.source().read(0, e.size)).digest() for e in bundle.entries}
        assert found == {
            f"hip-amdgcn-amd-amdhsa--{arch}": hashlib.sha256(
                (BINARY / "code-objects" / file).read_bytes()
            ).digest()
            for arch, file in (("gfx942", "v5-gfx942_xnack+.co"), ("gfx1201", "v6-gfx1201.co"))
        }


def test_text_parts_are_the_text_between_the_marks() -> None:
    host, device = only(BINARY / "bundles/text.ll").bundles[0].entries
    assert host.source().read(0, host.size) == b"; host part\n"
    assert device.source().read(0, device.size) == b"define void @device() {\n  ret void\n}\n"


def test_without_section_headers_the_same_bundles_are_found() -> None:
    found = [
        [
            (b.format, b.place.offset, b.size, [e.id for e in b.entries])
            for b in only(BINARY / "elf-compressed" / name).bundles
        ]
        for name in ("libcompressed.so", "libnosections.so")
    ]
    assert found[0] == found[1]
    assert [bundle[:3] for bundle in found[0]] == [
        ("compressed bundle", 4096, 1763),
        ("offload bundle", 8192, 13040),
    ]


def test_a_bundle_of_the_new_driver_is_not_aligned_to_a_page() -> None:
    (bundle,) = only(BINARY / "elf-rdc/librdc.so").bundles
    assert (bundle.place.offset, bundle.entries[1].id) == (0xAA0, "hip-amdgcn-amd-amdhsa--gfx90a")


def test_members_of_an_archive_are_named() -> None:
    (binary,) = open_path(str(BINARY / "archive/libkernels.a"))
    assert binary.path.endswith("libkernels.a!an_object_with_a_long_name.o")
    assert [b.compression for b in binary.bundles] == ["zstd"]


@pytest.mark.parametrize(
    ("name", "kind", "offset"),
    [("kernels.obj", "COFF object", 0x7D1), ("kernels.dll", "PE image", 0x1000)],
)
def test_windows_files(name: str, kind: str, offset: int) -> None:
    binary = only(BINARY / "windows" / name)
    (bundle,) = binary.bundles
    assert (binary.kind, bundle.place.offset) == (kind, offset)
    assert [e.id for e in bundle.entries][1:] == ["hipv4-amdgcn-amd-amdhsa--gfx1100"]


def test_a_folder_is_walked_by_name(tmp_path: Path) -> None:
    plain = (BINARY / "bundles/plain.hipfb").read_bytes()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.hipfb").write_bytes(plain)
    (tmp_path / "a.hipfb").write_bytes(plain)
    (tmp_path / "readme.txt").write_text("no device code")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = [Path(b.path).relative_to(tmp_path).as_posix() for b in open_path(str(tmp_path))]
    assert found == ["a.hipfb", "b/x.hipfb"]


@pytest.mark.parametrize(
    ("text", "kind", "triple", "target"),
    [
        (HOST_22, "host", "x86_64-unknown-linux-gnu", None),
        ("host-x86_64-unknown-linux", "host", "x86_64-unknown-linux", None),
        (
            "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
            "hipv4",
            "amdgcn-amd-amdhsa",
            TargetId("gfx90a", xnack=False, sramecc=True),
        ),
        ("hip-amdgcn-amd-amdhsa-gfx90a", "hip", "amdgcn-amd-amdhsa", TargetId("gfx90a")),
        (
            "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack+",
            "hipv4",
            "amdgcn-amd-amdhsa",
            TargetId("gfx9-4-generic", xnack=True),
        ),
        (
            "hip-amdgcn-amd-amdhsa--gfx12-generic",
            "hip",
            "amdgcn-amd-amdhsa",
            TargetId("gfx12-generic"),
        ),
        (
            "hip-spirv64-amd-amdhsa--amdgcnspirv",
            "hip",
            "spirv64-amd-amdhsa",
            TargetId("amdgcnspirv"),
        ),
        (
            "hip-spirv64-amd-amdhsa-unknown-amdgcnspirv",
            "hip",
            "spirv64-amd-amdhsa-unknown",
            TargetId("amdgcnspirv"),
        ),
        ("openmp-amdgcn-amd-amdhsa--gfx90a", "openmp", "amdgcn-amd-amdhsa", TargetId("gfx90a")),
        ("sycl-spir64_gen", "sycl", "spir64_gen", None),
        ("", "", "", None),
    ],
)
def test_entry_ids(text: str, kind: str, triple: str, target: TargetId | None) -> None:
    assert parse_entry_id(text) == (kind, triple, target)
