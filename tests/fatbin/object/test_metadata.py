"""Metadata notes written by hand: MessagePack both ways of reading it, and YAML of version 2."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from hipport.fatbin.byte_source import MemorySource, Window
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.object import metadata, metadata_v2
from hipport.fatbin.object.metadata import Metadata

ARGUMENTS = [{".size": 8, ".offset": 0}, {".size": 4, ".offset": 8}]
KERNELS: list[dict[str, Any]] = [
    {".name": "first", ".args": ARGUMENTS, ".vgpr_count": 3},
    {".name": "second", ".args": [], ".sgpr_count": 5},
    {".name": "third", ".lds": 1},
]
TOP = {"amdhsa.version": [1, 2], "amdhsa.target": "amdgcn-amd-amdhsa--gfx90a"}
NOTE = msgpack.packb({"amdhsa.version": [1, 2], "amdhsa.kernels": KERNELS, **TOP})


@pytest.fixture(params=["at once", "step by step", "measured"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways to decode: a short note, a damaged one, a long one."""
    if request.param == "measured":
        monkeypatch.setattr(metadata, "PLAIN_NOTE", 0)
    elif request.param == "step by step":
        fail = ValueError("not at once")
        monkeypatch.setattr(metadata, "_decode_at_once", lambda *_: (_ for _ in ()).throw(fail))
    return str(request.param)


def decoded(note: bytes, before: bytes = b"") -> Metadata:
    whole = MemorySource(before + note, "input")
    return metadata.decode(Window(whole, len(before), len(note)))


def test_top_keys_kernels_and_arguments(way: str) -> None:
    found = decoded(NOTE)
    assert found.top == TOP
    plain = [{key: kernel[key] for key in kernel if key != ".args"} for kernel in found.kernels]
    assert plain == [{key: each[key] for key in each if key != ".args"} for each in KERNELS]
    assert [found.arguments(each) for each in found.kernels] == [ARGUMENTS, [], []]


def test_keys_that_are_no_texts_are_left_out(way: str) -> None:
    note = msgpack.packb({1: "one", "kept": 2, b"raw": 3, None: [4], "last": 5})
    found = decoded(note)
    assert {key: value for key, value in found.top.items() if isinstance(key, str)} == {
        "kept": 2,
        "last": 5,
    }
    assert found.kernels == []


@pytest.mark.parametrize(
    ("note", "kernels", "message"),
    [
        (msgpack.packb([1]), 0, "Unexpected type header on stream"),
        (NOTE[:-1], 3, "No more data to unpack"),
        (NOTE[: NOTE.index(b"second")], 1, "No more data to unpack"),
        (b"", 0, "No more data to unpack"),
        (msgpack.packb({"amdhsa.kernels": 7}), 0, "Unexpected type header on stream"),
        (msgpack.packb({"amdhsa.kernels": [{}, 7]}), 1, "Unexpected type header on stream"),
    ],
)
def test_damage_says_how_many_kernels_come_before(
    way: str, note: bytes, kernels: int, message: str
) -> None:
    with pytest.raises(FormatError) as error:
        decoded(note, b"12345")
    assert f"damaged metadata after {kernels} kernels: {message}" in str(error.value)
    assert 5 <= error.value.offset <= 5 + len(note)


def test_a_bound_of_kernels(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "MAX_KERNELS", 3)
    assert len(decoded(NOTE).kernels) == 3
    monkeypatch.setattr(metadata, "MAX_KERNELS", 2)
    with pytest.raises(FormatError, match="after 3 kernels: more than 2 kernels"):
        decoded(NOTE)


def test_long_values_of_long_notes_are_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "PLAIN_NOTE", 0)
    for most, value in ((3, "ab"), (2, None)):
        monkeypatch.setattr(metadata, "_MAX_VALUE", most)
        # The key is measured, too: a text of one byte takes two.
        assert decoded(msgpack.packb({"a": "ab"})).top == {"a": value}


def test_arguments_are_bounded_and_their_damage_has_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = decoded(NOTE, b"12345")
    first = found.kernels[0]
    start, end = first[".args"]
    monkeypatch.setattr(metadata, "_MAX_VALUE", end - start)
    assert found.arguments(first) == ARGUMENTS
    monkeypatch.setattr(metadata, "_MAX_VALUE", end - start - 1)
    with pytest.raises(FormatError) as error:
        found.arguments(first)
    assert str(error.value) == f"input: offset {start + 5:#x}: arguments of {end - start} bytes"
    cut = first | {".args": (start, end - 1)}
    monkeypatch.undo()
    with pytest.raises(FormatError) as error:
        found.arguments(cut)
    assert error.value.problem.startswith("damaged arguments: Unpack failed: incomplete input")
    assert error.value.offset == start + 5


def test_arguments_that_are_no_maps_are_left_out() -> None:
    note = msgpack.packb({"amdhsa.kernels": [{".args": [1, {".size": 4}]}, {".args": 7}]})
    found = decoded(note)
    assert [found.arguments(each) for each in found.kernels] == [[{".size": 4}], []]


def test_names_that_are_no_text_are_shown(way: str) -> None:
    note = msgpack.packb({"amdhsa.kernels": [{".name": "x"}]}).replace(b"\xa1x", b"\xa1\xff")
    assert decoded(note).kernels == [{".name": "\\xff"}]


def test_tables_are_maps_within_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    data = msgpack.packb({"a": 1})
    source = MemorySource(data, "input")
    assert metadata.decode_map(source, Limits(max_note=len(data))) == {"a": 1}
    with pytest.raises(FormatError, match=f"a table of {len(data)} bytes; the limit is 3"):
        metadata.decode_map(source, Limits(max_note=3))
    for note, message in ((b"\x91\1", "the table is not a map"), (data[:-1], "damaged table: ")):
        with pytest.raises(FormatError, match=message):
            metadata.decode_map(MemorySource(note, "input"), Limits())
    monkeypatch.setattr(metadata, "PLAIN_NOTE", len(data))
    assert metadata.decode_map(source, Limits()) == {"a": 1}
    monkeypatch.setattr(metadata, "PLAIN_NOTE", len(data) - 1)
    with pytest.raises(FormatError, match=f"damaged table: more than {len(data) - 1} bytes"):
        metadata.decode_map(source, Limits())


YAML = """\
---
Version: [ 1, 0 ]
Printf:
  - '1:1:4:%d''s\\n'
Kernels:
  - Name:       one
    SymbolName: 'one@kd'
    Language:   OpenCL C
    Args:
      - Name:          out
        TypeName:      "float*"
        Size:          8
        ValueKind:     GlobalBuffer
        AddrSpaceQual: Global
        AccQual:       Default
        ActualAccQual: ReadOnly
      - Size:      8
        ValueKind: HiddenGlobalOffsetX
    Attrs:
      ReqdWorkGroupSize: [ 8, 4, 1 ]
    CodeProps:
      KernargSegmentSize:      24
      KernargSegmentAlign:     8
      GroupSegmentFixedSize:   16
      PrivateSegmentFixedSize: 32
      WavefrontSize:           64
      NumSGPRs:                10
      NumVGPRs:                11
      NumSpilledSGPRs:         1
      NumSpilledVGPRs:         2
      MaxFlatWorkGroupSize:    256
      IsDynamicCallStack:      true
  - Name: two
    CodeProps:
      IsDynamicCallStack: false
      NumSGPRs: -1
      NumVGPRs: 1234567890123456789
...
"""


def test_version_2_has_the_keys_of_version_3() -> None:
    found = metadata_v2.decode(MemorySource(YAML.encode() + b"\0", "input"))
    assert found.top == {"amdhsa.version": [1, 0], "amdhsa.printf": ["1:1:4:%d's\\n"]}
    assert found.kernels == [
        {
            ".name": "one",
            ".symbol": "one.kd",
            ".kernarg_segment_size": 24,
            ".kernarg_segment_align": 8,
            ".group_segment_fixed_size": 16,
            ".private_segment_fixed_size": 32,
            ".wavefront_size": 64,
            ".sgpr_count": 10,
            ".vgpr_count": 11,
            ".sgpr_spill_count": 1,
            ".vgpr_spill_count": 2,
            ".max_flat_workgroup_size": 256,
            ".uses_dynamic_stack": True,
            ".reqd_workgroup_size": [8, 4, 1],
            ".args": [
                {
                    ".name": "out",
                    ".type_name": "float*",
                    ".size": 8,
                    ".value_kind": "global_buffer",
                    ".address_space": "Global",
                    ".access": "Default",
                    ".actual_access": "ReadOnly",
                },
                {".size": 8, ".value_kind": "hidden_global_offset_x"},
            ],
        },
        {
            ".name": "two",
            ".symbol": "",
            ".uses_dynamic_stack": False,
            ".sgpr_count": -1,
            ".vgpr_count": "1234567890123456789",
            ".args": [],
        },
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n- b\n", "version 2 metadata that is not a map"),
        ("Version: 1\n- a\n", "version 2 metadata: cannot read '- a'"),
        ("Version: [ 1 ]\n\tKernels: 1\n", r"version 2 metadata: cannot read '\tKernels: 1'"),
        ("Version: 1\n  deeper\n", "version 2 metadata: cannot read '  deeper'"),
        ("".join(" " * at + "a:\n" for at in range(18)), "nested deeper than 16"),
    ],
)
def test_damage_of_version_2(text: str, message: str) -> None:
    try:
        found = metadata_v2.decode(MemorySource(text.encode(), "input"))
    except FormatError as error:
        assert message in str(error)
    else:
        pytest.fail(f"read as {found}")
