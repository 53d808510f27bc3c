"""Places in a text: as the protocol, findings and byte offsets name them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

import hipport
from hipport.lsp.checked_text import Checker
from hipport.lsp.partial_conversion import parts, whole
from hipport.lsp.text_map import TextMap
from hipport.model import Position
from hipport.runs.audit_request import AuditRequest
from hipport.runs.convert_request import ConvertRequest
from hipport.source.text.source_text import Code

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/cuda"
TEXTS = st.text(st.sampled_from("a é🎉\n\r\t\x0c\x85\u2028\ufeff"), max_size=40)


@given(TEXTS, st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_a_place_leads_back_to_its_offset(text: str, encoding: str) -> None:
    places = TextMap(text, encoding)
    for number, char in enumerate(text):
        offset = len(text[:number].encode())
        if char not in "\r\n":
            assert places.offset_at(places.place(offset)) == offset


@given(TEXTS)
def test_a_position_of_a_finding_leads_back_to_its_offset(text: str) -> None:
    places, code = TextMap(text), Code(text.encode())
    for number, char in enumerate(text):
        offset = len(text[:number].encode())
        assert char == "\ufeff" or places.offset_of(code.position(offset)) == offset


def test_places_behind_a_line_and_behind_the_text() -> None:
    text = TextMap("a🎉\r\nb")
    assert text.offset_at(types.Position(0, 99)) == 5
    assert text.offset_at(types.Position(0, 2)) == 1  # Inside a surrogate pair.
    assert text.offset_at(types.Position(9, 9)) == len(text.data)
    assert text.offset_of(Position(9, 9)) == len(text.data)
    assert text.place(5) == types.Position(0, 3)


def test_a_lone_surrogate_keeps_its_place() -> None:
    text = TextMap("\ud800x")
    assert text.data == b"?x"
    assert text.place(1) == types.Position(0, 1)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("path", sorted(FIXTURES.rglob("*.cu")), ids=lambda path: path.stem)
def test_the_edits_of_a_file_are_its_conversion(path: Path, newline: str, mark: str) -> None:
    text = mark + path.read_text("utf-8").replace("\n", newline)
    checker = Checker(AuditRequest(isolated=True), ConvertRequest(isolated=True))
    checked = checker.converted(checker.audited(TextMap(text), "/x/a.cu"))
    assert (checked.fault, checked.notes) == ("", ())
    pieces, done = [], 0
    for edit in whole(checked).edits:
        pieces += [checked.text.data[done : edit.span.start], edit.new.encode()]
        done = edit.span.end
    made = b"".join([*pieces, checked.text.data[done:]])
    wanted = hipport.convert(text.encode(), "a.cu", ConvertRequest(isolated=True))
    assert made == wanted.data
    offered = {edit for part in parts(checked) for edit in part.edits}
    assert offered >= {edit for edit in checked.edits if edit.old}
