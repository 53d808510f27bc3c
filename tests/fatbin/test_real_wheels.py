"""Every entry of three published wheels against the ground truth and against LLVM's tools."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from hipport.fatbin.host.registration import registrations
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.kernel_tables import kernel_tables
from hipport.fatbin.reader import open_path
from tests.support.binaries import TRUTH, only, output_of, run, tool
from tests.support.wheels import WHEELS, member, wheel

pytestmark = pytest.mark.real
LIMITS = Limits()
# LLVM 22 no longer knows these two and hands out one for the other (the bytes of gfx941 for
# gfx940); the ground truth has the right ones.
DROPPED = ("gfx940", "gfx941")


@pytest.mark.parametrize("key", TRUTH)
def test_bundles_and_entries_are_those_of_the_ground_truth(key: str) -> None:
    truth, binary = TRUTH[key], only(member(key))
    found = [
        {
            "offset": bundle.place.offset,
            "version": bundle.version,
            "method": bundle.compression,
            "entries": [(e.id, e.offset, e.size) for e in bundle.entries],
        }
        for bundle in binary.bundles
    ]
    assert found == [
        bundle | {"entries": [(e["id"], e["offset"], e["size"]) for e in bundle["entries"]]}
        for bundle in truth["bundles"]
    ]
    assert list(binary.all_faults()) == []


@pytest.mark.parametrize("key", TRUTH)
def test_code_objects_and_kernels_are_those_of_the_ground_truth(key: str) -> None:
    binary = only(member(key))
    tables = {(t.entry.bundle.index, t.entry.index): t for t in kernel_tables(binary, LIMITS)}
    compared = 0
    for bundle, truth in zip(binary.bundles, TRUTH[key]["bundles"], strict=True):
        for entry, expected in zip(bundle.entries, truth["entries"], strict=True):
            if not entry.size:
                continue
            source = entry.source()
            assert hashlib.sha256(source.read(0, source.size)).hexdigest() == expected["sha256"]
            code_object = entry.code_object()
            assert code_object.elf.flags == expected["e_flags"]
            assert code_object.target.processor == expected["mach"]
            assert code_object.elf.abi_version == expected["abiver"]
            assert code_object.metadata_target == expected["target"]
            records = tables[bundle.index, entry.index].records
            assert len(records) == expected["n_kernels"]
            if "kernels_sha256" in expected:
                names = "\n".join(sorted(record[".name"] for record in records))
                assert hashlib.sha256(names.encode()).hexdigest() == expected["kernels_sha256"]
            compared += 1
    assert compared


@pytest.mark.parametrize("key", TRUTH)
def test_registered_names_are_those_of_the_ground_truth(key: str) -> None:
    binary, truth = only(member(key)), TRUTH[key]["registered"]
    found = registrations(binary, LIMITS)
    present = {r[".name"] for table in kernel_tables(binary, LIMITS) for r in table.records}
    kernels = [call for call in found.calls() if call.kind == "kernel"]
    assert {
        "n_co_not_reg": len(present - found.names()),
        "n_reg_not_in_co": len(found.names() - present),
        "nvars": len(found.calls()) - len(kernels),
        "registered_calls": len(kernels),
        "registered_unique": len(found.names()),
        "unique_kernels_in_co": len(present),
    } == truth
    assert found.problems == [] and found.unassigned == []
    assert [group.bundle for group in found.groups] == binary.bundles


@pytest.mark.parametrize("package", WHEELS)
def test_a_wheel_holds_the_members_of_the_ground_truth(package: str) -> None:
    path = wheel(package)
    found = {
        b.path.partition("!")[2]: [len(bundle.entries) for bundle in b.bundles]
        for b in open_path(str(path))
        if any("amdgcn" in e.id for bundle in b.bundles for e in bundle.entries)
    }
    assert found == {
        truth["member"]: [len(bundle["entries"]) for bundle in truth["bundles"]]
        for key, truth in TRUTH.items()
        if key.startswith(f"{package}/")
    }


@pytest.mark.toolchain
@pytest.mark.parametrize("key", TRUTH)
def test_extracted_files_equal_what_llvm_unbundles(key: str, tmp_path: Path) -> None:
    path, binary = member(key), only(member(key))
    assert run("extract", path, "-o", tmp_path / "ours").exit_code == 0
    ours = {file.name: file for file in (tmp_path / "ours").iterdir()}
    data = path.read_bytes()
    for bundle in binary.bundles:
        (tmp_path / "bundle").write_bytes(data[bundle.place.offset :][: bundle.size])
        for entry in (entry for entry in bundle.device_entries if entry.size):
            extracted = ours.pop(f"{path.name}.{bundle.index}.{entry.target}.co")
            if entry.target is not None and entry.target.processor in DROPPED:
                continue
            output_of(
                tool("clang-offload-bundler-22"),
                "-type=o",
                "-unbundle",
                f"-input={tmp_path / 'bundle'}",
                f"-targets={entry.id}",
                f"-output={tmp_path / 'theirs'}",
            )
            assert extracted.read_bytes() == (tmp_path / "theirs").read_bytes(), entry.id
    assert ours == {}


@pytest.mark.toolchain
@pytest.mark.parametrize("key", TRUTH)
def test_kernel_names_equal_those_of_llvm_readelf(key: str, tmp_path: Path) -> None:
    binary = only(member(key))
    for table in kernel_tables(binary, LIMITS):
        if table.entry.index > 3:
            continue
        source = table.entry.source()
        (tmp_path / "object").write_bytes(source.read(0, source.size))
        notes = output_of(tool("llvm-readelf-22"), "--notes", tmp_path / "object")
        # Arguments have names too, indented deeper than the kernels'.
        theirs = re.findall(r"^    \.name: +(\S+)$", notes, re.M)
        assert [record[".name"] for record in table.records] == theirs
