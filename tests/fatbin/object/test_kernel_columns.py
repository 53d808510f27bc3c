"""The short way to a few values of each kernel says what the whole metadata says."""

from __future__ import annotations

from pathlib import Path

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hipport.fatbin.byte_source import FileSource, MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.object import kernel_columns as kernelrecords
from hipport.fatbin.object import metadata
from hipport.fatbin.object.code_object import CodeObject
from tests.support.binaries import BINARY

KEYS = (".name", ".vgpr_count", ".agpr_count")
CODE_OBJECTS = sorted((BINARY / "code-objects").glob("*.co"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
NAMES = st.sampled_from([*KEYS, ".args", ".symbol", ".args.args", ""])


def chosen(records: list[metadata.Raw]) -> list[metadata.Raw]:
    return [{key: value for key, value in raw.items() if key in KEYS} for raw in records]


@pytest.mark.parametrize("path", CODE_OBJECTS, ids=lambda path: path.name)
def test_code_objects_of_every_version(path: Path) -> None:
    code_object = CodeObject(FileSource(path))
    records = chosen(code_object.kernel_records(KEYS))
    assert len(records) == 3
    assert records == chosen(code_object.metadata.kernels)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(NAMES, VALUES)), st.dictionaries(st.text(max_size=5), VALUES))
def test_any_metadata(kernels: list[dict[str, object]], others: dict[str, object]) -> None:
    source = MemorySource(msgpack.packb({**others, "amdhsa.kernels": kernels}), "note")
    records = kernelrecords.decode(source, KEYS)
    assert records is not None
    assert records == chosen(metadata.decode(source).kernels) == chosen(kernels)


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"\x81\xaeamdhsa.kernels\x91\x80 ",
        b"\x81\xaeamdhsa.kernels\x80",
        b"\x81\xaeamdhsa.kernels\x91\xc0",
        b"\x81\xaeamdhsa.kernels\x91\x81\xa5.name\xa1\xff",
        b"\x81\xaeamdhsa.kernels\xdd\xff\xff\xff\xff",
        b"\x81\xa1a" + b"\x91" * 100_000,
    ],
)
def test_what_is_damaged_or_unusual_is_left_to_the_whole_decoder(note: bytes) -> None:
    source = MemorySource(note, "note")
    assert kernelrecords.decode(source, KEYS) is None
    try:
        metadata.decode(source)
    except FormatError as error:
        assert "damaged metadata" in str(error)
