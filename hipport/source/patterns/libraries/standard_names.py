"""Names of libcu++ that the C++ standard library has with the same meaning."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.names.qualified_names import qualified
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.include_directives import first_place, includes

_REWRITE = "standard-names"
_NAMESPACE, _LIBRARY = "cuda", "cuda/"


class FixKeys(RuleKeys, frozen=True):
    headers: dict[str, str]
    names: dict[str, tuple[str, ...]]
    """Header of the standard library -> what it declares."""
    internal: dict[str, str]
    """libcu++'s own spelling of a name of <type_traits> -> that name."""
    unless: frozenset[str]


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write `std` if the file has nothing else of libcu++: its types are not those of `std`."""
    keys = rule.read(FixKeys)
    if unit.is_embedded or not keys.unless.isdisjoint(unit.code.words):
        return
    edits = _names(unit, keys)
    headers = _headers(unit, keys)
    if edits is None or headers is None:
        return
    names, needed = edits
    needed -= {name for name, _ in includes(unit.code)} | {new for _, new in headers}
    place = first_place(unit.code)
    added = "".join(f"#include <{each}>{unit.newline}" for each in sorted(needed))
    lines = [(Span(place, place), added)] if added else []
    if rewrite(unit, _REWRITE, [*lines, *headers, *names], []):
        # The includes were reported when they were looked at: they were to stay.
        starts = {unit.code.position(span.start - 1) for span, _ in headers}
        unit.findings = [each for each in unit.findings if each.start not in starts]


def _names(unit: Unit, keys: FixKeys) -> tuple[list[tuple[Span, str]], set[str]] | None:
    """The names to write, and their headers; None if one of the file has no counterpart."""
    declaring = {name: header for header, names in keys.names.items() for name in names}
    found: list[tuple[Span, str]] = []
    needed: set[str] = set()
    for use in unit.uses.get(_NAMESPACE, ()):
        if use.is_member or use.qualifier:
            continue
        span = qualified(unit.code.code, use.span)
        parts = "".join(unit.code.slice(span).split()).removeprefix("::").split("::")
        name = keys.internal.get(parts[2], parts[2]) if len(parts) > 2 else ""
        if parts[:2] != [_NAMESPACE, "std"] or name not in declaring:
            return None
        needed.add(declaring[name])
        end = unit.code.code.index(parts[2], use.span.end) + len(parts[2])
        found.append((Span(use.span.start, end), f"std::{name}"))
    return found, needed


def _headers(unit: Unit, keys: FixKeys) -> list[tuple[Span, str]] | None:
    """The includes to write; None if the file includes another header of the library."""
    found = []
    for name, directive in includes(unit.code):
        if name.startswith(_LIBRARY):
            if name not in keys.headers:
                return None
            start = unit.code.text.index(name, directive.body.start)
            found.append((Span(start, start + len(name)), keys.headers[name]))
    return found
