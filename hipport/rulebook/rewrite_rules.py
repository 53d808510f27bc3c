"""Rewrites that go beyond a name, as rules/rewrites describes them."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Literal

import msgspec
from msgspec import field
from msgspec.structs import replace

from hipport.rulebook.typed import Keyed, typed


class EditRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of edit. A safe one is made by every conversion, an unsafe one with --unsafe."""

    title: str
    safety: Literal["safe", "unsafe"]
    why: str
    source: str
    """Where the difference between CUDA and HIP is documented."""
    pattern: str = ""
    """A regular expression over code: its group `symbol` is replaced."""
    replacement: str = ""


class RewriteRule(Keyed, frozen=True, forbid_unknown_fields=True):
    """One file of rules/rewrites, named like the pattern that makes its edits.

    Where an edit has a `pattern`, that is all there is to it, and no file of code.
    """

    name: str
    edits: dict[str, EditRule] = field(default_factory=dict)
    when: tuple[str, ...] = ()
    """The code of a file has at least one of these texts if the rewrite can apply."""
    order: int = 5
    """Of two rewrites for one place the one with the smaller number is made."""
    keeps_warps: bool = False
    """Whether it keeps a warp at 32 lanes, which no header can do in its place."""
    on_hosts: bool = False
    """Whether its patterns are for the code of other compilers, too."""


def rewrite_rules(tables: Mapping[str, dict[str, Any]]) -> list[RewriteRule]:
    """The rewrites of some files in rules/, in the order in which they run."""
    found = []
    for name, own in tables.items():
        place = f"rules/{name}"
        table = {**own, "name": PurePath(name).stem, "place": place}
        edits = typed(table.pop("edits", {}), dict[str, dict[str, Any]], f"{place}: edits")
        made = {
            name: typed(edit, EditRule, f"{place}: edits.{name}") for name, edit in edits.items()
        }
        found.append(replace(typed(table, RewriteRule, place), edits=made))
    return sorted(found, key=lambda rule: rule.order)
