"""What searches ask of the rules' expressions, as a wheel has it; a checkout works it out."""

# Annotations are evaluated here, and not as texts when the file is read: that takes longer.
from functools import cache

import msgspec

from hipport.rulebook.tables import Tables

TABLE = "expressions"


class KnownAnchor(msgspec.Struct, frozen=True, array_like=True):
    """An `Anchor` of hipport/source/text/anchored_search.py."""

    texts: tuple[str, ...]
    is_folded: bool
    before: str
    starts: str


class Known(msgspec.Struct, frozen=True, array_like=True):
    """What is known of an expression in which `^` and `$` match at lines."""

    required: tuple[tuple[str, ...], ...]
    """What `required` gives; the rest is what a `Search` has."""
    is_at_start: bool
    beginnings: tuple[str, ...]
    anchor: KnownAnchor | None
    tail: str


_KNOWN = msgspec.msgpack.Decoder(Known)


def known(pattern: str) -> Known | None:
    """What a wheel says of an expression; None if it says nothing."""
    found = _every().get(pattern)
    return _KNOWN.decode(found) if found else None


@cache
def _every() -> dict[str, msgspec.Raw]:
    # What is known of an expression stays bytes until it is asked for.
    return Tables(None).of_wheel(TABLE, dict[str, msgspec.Raw]) or {}
