"""`hipport fatbin sbom` and `hipport fatbin list --summary`."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.kernel_tables import kernel_tables
from tests.support.binaries import BINARY, only, output_of, run, tool

PLAIN, COMPRESSED = BINARY / "elf-plain/libplain.so", BINARY / "elf-compressed/libcompressed.so"


def properties(component: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in component["properties"]:
        found.setdefault(each["name"].removeprefix("hipport:"), []).append(each["value"])
    return found


def test_a_bill_of_materials_names_compilers_and_hashes() -> None:
    document = json.loads(run("sbom", PLAIN, "--format", "json").stdout)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    (file,) = document["components"]
    assert file["hashes"][0]["content"] == hashlib.sha256(PLAIN.read_bytes()).hexdigest()
    (bundle,) = only(PLAIN).bundles
    for entry, image in zip(bundle.device_entries, file["components"], strict=True):
        source = entry.source()
        data = source.read(0, source.size)
        assert image["hashes"][0]["content"] == hashlib.sha256(data).hexdigest()
        found = properties(image)
        assert found["compiler"] == ["Debian clang version 22.1.8 (1~deb12u1)"]
        assert found["linker"] == ["Debian LLD 22.1.8"]
        assert found["code_object_version"] == ["6"] and found["kernels"] == ["3"]
        wave = {"gfx90a": "64", "gfx1100": "32"}[found["target"][0]]
        assert found["wavefront_size"] == [wave]


def test_references_are_unique_over_many_files() -> None:
    document = json.loads(run("sbom", BINARY, "--format", "json").stdout)
    references = [
        each["bom-ref"] for file in document["components"] for each in (file, *file["components"])
    ]
    assert len(references) == len(set(references)) > 30


def test_text_says_once_what_is_the_same_for_several_targets() -> None:
    text = run("sbom", BINARY / "bundles/row.hipfb", PLAIN).stdout
    assert "  gfx90a\n    Debian clang version 22.1.8" in text
    assert "uses_dynamic_stack 0" in text


@pytest.mark.toolchain
@pytest.mark.parametrize("name", ["v2-gfx906.co", "v4-gfx90a_sramecc+_xnack-.co", "v6-gfx1250.co"])
def test_tools_are_those_that_readelf_prints(name: str) -> None:
    path = BINARY / "code-objects" / name
    printed = output_of(tool("readelf"), "-p", ".comment", path)
    theirs = {text.removeprefix("Linker: ") for text in re.findall(r"\]  (.*)", printed)}
    document = json.loads(run("sbom", path, "--format", "json").stdout)
    found = properties(document["components"][0]["components"][0])
    assert {*found["compiler"], *found.get("linker", [])} == theirs


def test_a_summary_adds_up() -> None:
    document = json.loads(run("list", "--summary", "--format", "json", PLAIN, COMPRESSED).stdout)
    for file in document["files"]:
        binary = only(Path(file["path"]))
        entries_of_all = [entry for bundle in binary.bundles for entry in bundle.entries]
        for row in file["targets"]:
            entries = [e for e in entries_of_all if str(e.target) == row["target"]]
            assert row["size"] == sum(entry.size for entry in entries)
            assert row["kernels"] == sum(
                len(table.records)
                for table in kernel_tables(binary, Limits())
                if table.entry in entries
            )
        assert sum(row["stored"] for row in file["targets"]) <= sum(
            bundle.size for bundle in binary.bundles
        )
    total = {row["target"]: row["kernels"] for row in document["total"]["targets"]}
    assert total == {"gfx90a": 3, "gfx1100": 3, "gfx942": 7}


def test_a_summary_as_text() -> None:
    lines = run("list", "--summary", PLAIN, COMPRESSED).stdout.splitlines()
    assert lines[0] == f"{PLAIN}: 28640 bytes"
    assert lines[1].split() == ["entries", "bytes", "in", "file", "kernels", "target"]
    assert lines[2].split()[-2:] == ["3", "gfx1100"]
    assert any(line.startswith("all 2 files: ") for line in lines)
