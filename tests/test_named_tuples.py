"""A named tuple is what typing makes of the same class."""

from __future__ import annotations

import pickle
import typing
from typing import Any

import pytest

from hipport import named_tuples


class Place(named_tuples.NamedTuple):
    """Where something is."""

    line: int
    column: int = 1
    notes: tuple[str, ...] = ()
    """What is known of it."""

    @property
    def shown(self) -> str:
        return f"{self.line}:{self.column}"

    def __str__(self) -> str:
        return self.shown

    @classmethod
    def first(cls) -> Place:
        return cls(1)


class _OfTyping(typing.NamedTuple):
    """Where something is."""

    line: int
    column: int = 1
    notes: tuple[str, ...] = ()


def test_what_typing_offers_is_there() -> None:
    for name in ("_fields", "_field_defaults", "__match_args__", "__doc__", "__bases__"):
        assert getattr(Place, name) == getattr(_OfTyping, name)
    assert [*Place.__annotations__] == [*_OfTyping.__annotations__]
    assert Place.__qualname__ == "Place"
    assert Place.__module__ == __name__


def test_values_are_made_compared_replaced_and_unpacked() -> None:
    place = Place(3, notes=("a",))
    assert repr(place) == "Place(line=3, column=1, notes=('a',))"
    assert place == (3, 1, ("a",))
    assert place == (3, 1, ("a",))
    assert place._replace(column=2) == Place(3, 2, ("a",))
    assert (place.shown, str(place), Place.first()) == ("3:1", "3:1", Place(1))
    line, *_ = place
    assert line == 3


def test_values_by_name() -> None:
    assert Place(3)._asdict() == {"line": 3, "column": 1, "notes": ()}
    assert Place._make((3, 1, ())) == Place(3)


def test_a_value_has_no_other_names() -> None:
    place: Any = Place(3)
    with pytest.raises(ValueError, match="row"):
        place._replace(row=1)
    with pytest.raises(AttributeError):
        place.row = 1


def test_values_are_pickled() -> None:
    assert type(pickle.loads(pickle.dumps(Place(3)))) is Place


def test_a_field_without_a_value_needs_one() -> None:
    with pytest.raises(TypeError, match="line"):
        Place()  # type: ignore[call-arg]
