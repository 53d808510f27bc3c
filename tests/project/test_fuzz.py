"""The fuzz targets without a fuzzer: each takes its seeds, and each format has one."""

from __future__ import annotations

import random

import pytest

from fuzz.formats import compressed, with_note
from fuzz.rulefiles import exercise_rules
from fuzz.targets import TARGETS
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.formats import compressed_bundle
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.code_object import CodeObject
from tests.support.folders import CHECKOUT

_MOST = 40


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_its_seeds(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    assert seeds and any(len(seed) <= target.largest for seed in seeds)
    for seed in random.Random(name).sample(seeds, min(_MOST, len(seeds))):
        target.exercise(seed[: target.largest])
    target.exercise(b"")


def test_every_format_has_a_target() -> None:
    folder = CHECKOUT / "hipport" / "fatbin" / "formats"
    assert {path.stem for path in folder.glob("[a-z]*.py")} <= TARGETS.keys()


def test_what_is_wrapped_is_read() -> None:
    for version in (1, 2, 3):
        for method in ("zlib", "zstd"):
            data = compressed(b"x" * 100, version, method)
            bundle = compressed_bundle.read(MemorySource(data, "x"), Limits())
            assert b"".join(bundle.pieces()) == b"x" * 100
    metadata = CodeObject(MemorySource(with_note(b"\x81\xa1k\x01"), "x")).metadata
    assert metadata.top == {"k": 1}


def test_a_fault_in_rules_ends_no_exercise() -> None:
    exercise_rules(b"=== headers.tsv\naction\tcuda\nmap\n=== hipport.toml\nrocm = 1\n")
