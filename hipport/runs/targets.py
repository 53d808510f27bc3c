"""Lists of words as options and requests give them, and the GPUs among them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from hipport.errors import UsageError
from hipport.rulebook.edition import rules_folder
from hipport.schema import meant


def words(text: str) -> tuple[str, ...]:
    """`gfx90a, gfx942` as a tuple, each word once."""
    return tuple(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))


def known_targets(targets: Iterable[str], place: str = "--targets") -> tuple[str, ...]:
    """The targets, each once; raises UsageError for one that is not in rules/targets.toml."""
    targets = tuple(dict.fromkeys(targets))
    for each in targets:
        if each not in _table()["processor"]:
            hint = _hint(each)
            raise UsageError(f"{place}: no processor {each}{hint}", remedy="write it like gfx942")
    return targets


def all_targets() -> list[str]:
    """Every processor, those that people port to first at the front."""
    return list(dict.fromkeys((*_table()["supported"], *_table()["processor"])))


def _hint(word: str) -> str:
    """The processor that a word means, as the end of a message: the one of a product, one that
    begins so, or the one that is spelt most alike."""
    plain = re.sub(r"[\s_-]|^(?:amd|radeon|instinct|pro)+", "", word.lower())
    if plain in _table()["product"]:
        return f", did you mean {_table()['product'][plain]}?"
    known = all_targets()
    longer = [each for each in known if each.startswith(plain)] if plain.startswith("gfx") else []
    return f", did you mean {longer[0]}?" if longer else meant(plain, known)


@cache
def _table() -> dict[str, Any]:
    import tomllib

    return tomllib.loads((rules_folder() / "targets.toml").read_text(encoding="utf-8"))
