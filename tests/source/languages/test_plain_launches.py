"""Launches that are read without the grammar are what the grammar says."""

from __future__ import annotations

import pytest

from hipport.model import Span
from hipport.source.languages import cuda_syntax
from hipport.source.languages.cuda_syntax import launch_offsets, parse_launch
from hipport.source.text.source_text import Code
from tests.support.folders import FIXTURES

SOURCES = sorted(
    path
    for path in (FIXTURES / "cuda").rglob("*")
    if path.suffix in (".cu", ".cuh", ".h") and b"<<<" in path.read_bytes()
)
FORMS = """\
k<<<1, 2>>>(x);
k <<< grid , block, 0, s >>> (x, y);
ns::k<float, 4><<<g.x, p->y, kBytes>>>();
k<T><<<a, b>>>(x);
k<unsigned int><<<a, b>>>(x);
k<a<b>><<<c, d>>>(x);
k<<<a + 1, b>>>(x);
k<<<dim3(1, 2), b>>>(x);
k<<<{1, 2}, b>>>(x);
p->k<<<a, b>>>(x);
(*k)<<<a, b>>>(x);
k<<<a>>>(x);
k<<<a, b, c, d, e>>>(x);
k<<<a, b>>>x;
"""


def both(text: bytes, monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, object, bool]]:
    """Each launch as it is read, by the grammar, and whether it needed no grammar."""
    code = Code(text)
    found = []
    for chevron in launch_offsets(code):
        launch = parse_launch(code, chevron)
        with monkeypatch.context() as patch:
            patch.setattr(cuda_syntax, "_plain_launch", lambda *_: None)
            by_grammar = parse_launch(code, chevron)
        kernel = by_grammar.kernel if by_grammar else Span(chevron, chevron)
        is_plain = cuda_syntax._plain_launch(code.code, kernel, chevron) is not None
        found.append((launch, by_grammar, is_plain))
    return found


def test_forms_of_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    found = both(FORMS.encode(), monkeypatch)
    assert [one for one, _, _ in found] == [two for _, two, _ in found]
    assert [is_plain for _, _, is_plain in found] == [True] * 4 + [False] * 10


def test_launches_of_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [each for path in SOURCES for each in both(path.read_bytes(), monkeypatch)]
    assert [one for one, _, _ in found] == [two for _, two, _ in found]
    assert sum(is_plain for _, _, is_plain in found) > len(found) / 3
