"""What a wheel says of the rules' expressions is what a checkout works out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from hipport.source.text import known_expressions, quick_search, required_texts
from hipport.source.text.expressions_of_rules import known_expressions as made
from hipport.source.text.known_expressions import Known
from hipport.source.text.quick_search import Search
from hipport.source.text.required_texts import required

RULES = Path(__file__).resolve().parents[3] / "rules"
_FLAGS = (re.MULTILINE, re.NOFLAG, re.ASCII)


@pytest.fixture(scope="module")
def expressions() -> dict[str, Known]:
    return made(RULES)


@pytest.fixture
def in_wheel(
    expressions: dict[str, Known], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], None]]:
    """Has them read from a wheel once it is called."""
    data = msgspec.msgpack.encode(expressions)
    read = msgspec.msgpack.decode(data, type=dict[str, msgspec.Raw])

    def install() -> None:
        monkeypatch.setattr(known_expressions, "_every", lambda: read)
        required.cache_clear()

    yield install
    required.cache_clear()


def shown(pattern: str, flags: re.RegexFlag) -> tuple[object, ...]:
    search = Search(pattern, flags)
    anchor = search.anchor
    of_anchor = anchor and (anchor.texts, anchor.is_folded, anchor.before, anchor.starts)
    return search.is_at_start, search.beginnings, of_anchor, search.tail, required(pattern)


def test_every_expression_is_searched_as_without_a_wheel(
    expressions: dict[str, Known], in_wheel: Callable[[], None]
) -> None:
    required.cache_clear()
    worked_out = {(each, flags): shown(each, flags) for each in expressions for flags in _FLAGS}
    in_wheel()
    assert len(expressions) > 1_500
    for (pattern, flags), expected in worked_out.items():
        assert shown(pattern, flags) == expected


def test_nothing_is_worked_out_again(
    expressions: dict[str, Known], in_wheel: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_wheel()
    for module in (quick_search, required_texts):
        monkeypatch.setattr(module, "parts_of", None)
    monkeypatch.setattr(quick_search, "anchor_of", None)
    for pattern in expressions:
        assert shown(pattern, re.MULTILINE)


def test_a_checkout_has_none() -> None:
    assert known_expressions.known(r"\bcuda\w+") is None
