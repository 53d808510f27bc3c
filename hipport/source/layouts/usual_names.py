"""Python with names as most files call what they import, which the rules are written for.

`import torch as th` makes `th.cuda` known as `torch.cuda`. What names stand for is looked at only
where an import or assignment at hand gives one that the rules do not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hipport.lazy_regex import regex
from hipport.rulebook.python_names import PythonNames
from hipport.source.layouts.changes import Change, Changed

if TYPE_CHECKING:
    from hipport.source.languages.python_bindings import Bindings, Use

_LOOK_BACK = 200
_MOST = 4000
_FROM = regex(rb"(?:^(?:\xef\xbb\xbf)?|[:;])[ \t]*from[ \t]+([\w.]+)[ \t]+\Z")
_ALONE = regex(rb"(?:^(?:\xef\xbb\xbf)?|[:;])[ \t]*\Z")
_ITEMS = regex(rb"import[ \t]+(?:\(([^()]{0,4000})\)|([^\n;#()]{0,4000}))")
_ITEM = regex(rb"([\w.]+)(?:[ \t]+as[ \t]+(\w+))?[ \t]*(?:#[^\n]*)?\Z")
_GIVEN = regex(rb"^[ \t]*(\w+)[ \t]*=[ \t]*\Z")
_VALUE = regex(rb"[\w.]+(?=[ \t]*(?:[#;\r\n]|\Z))")


def usual_names(data: bytes, words: PythonNames) -> Changed | None:
    """The text with imported names as they are usually called; None if they are already."""
    unusual = {*_unusual(data, words)}
    if not unusual:
        return None
    # Loads the parser, which most files do not need.
    from hipport.source.languages.python_bindings import Bindings

    names = {name for name, _ in unusual}
    for _, full in unusual:
        names.update(each.partition(".")[0] for each in (full, *words.spellings(full)))
    bindings = Bindings(data, sorted(names))
    changes = sorted(_changes(bindings, words))
    return Changed(data, changes, are_names=True) if changes else None


def _unusual(data: bytes, words: PythonNames) -> Iterator[tuple[str, str]]:
    """Names that a file may use, other than the rules do, each with what it seems to stand for."""
    roots: set[str] = set()
    for name, full, is_taken in _imported(data):
        root = full.partition(".")[0]
        if root in words.roots:
            roots.add(root)
            if words.usual(full, name, is_taken=is_taken):
                yield name, full
    for chain in words.chains:
        root = chain.partition(".")[0]
        if root in roots and f"{chain}.".encode() in data:
            yield root, chain
    for root in roots:
        for name, full in _given(data, f"= {root}".encode()):
            if words.usual(full, name, is_taken=False):
                yield name, full


def _given(data: bytes, sought: bytes) -> Iterator[tuple[str, str]]:
    """The names that get a value of a module, each with the value."""
    at = data.find(sought)
    while at >= 0:
        value = _VALUE.match(data, at + 2)
        given = _GIVEN.search(data[_line(data, at) : at + 1]) if value else None
        if value and given:
            yield given[1].decode("utf-8", "replace"), value[0].decode("utf-8", "replace")
        at = data.find(sought, at + 1)


def _line(data: bytes, offset: int) -> int:
    """Where the line of an offset begins, or as far as is looked back."""
    start = max(0, offset - _LOOK_BACK)
    return max(data.rfind(b"\n", start, offset) + 1, start)


def _imported(data: bytes) -> Iterator[tuple[str, str, bool]]:
    """The names that imports bind, each with its full name, and whether it is of a module."""
    at = data.find(b"import ")
    while at >= 0:
        before = data[_line(data, at) : at]
        module = _FROM.search(before)
        items = _ITEMS.match(data, at) if module or _ALONE.search(before) else None
        above = f"{module[1].decode('utf-8', 'replace')}." if module else ""
        for each in (items[1] or items[2] or b"").split(b",") if items else ():
            item = _ITEM.match(each.strip())
            if item:
                written = item[1].decode("utf-8", "replace")
                name = item[2].decode("utf-8", "replace") if item[2] else written
                name = name if module or item[2] else written.partition(".")[0]
                yield name, above + written if module or item[2] else name, module is not None
        at = data.find(b"import ", at + 7)


def _changes(bindings: Bindings, words: PythonNames) -> Iterator[Change]:
    """The names where they are read, and where they are bound if other ones can be there."""
    made: dict[tuple[str, str], set[str]] = {}
    """A name, and what it is -> its usual ones, where it is read."""
    imported = {(each.name, each.full): each.is_taken for each in bindings.imports}
    for use in bindings.uses():
        known = (use.name, use.full)
        chain, end = _chain(use, words)
        if chain:
            spellings = words.names[chain]
        elif known in imported or use.full in words.names or use.is_decorator:
            spellings = words.usual(use.full, use.name, is_taken=imported.get(known, False))
        else:
            continue
        new = next(_free(spellings, chain or use.full, use, bindings), "")
        if spellings and not chain:
            made.setdefault(known, set()).add(new)
        if new:
            yield Change(use.span.start, end, new)
    for bound in bindings.imports:
        new, *others = made.get((bound.name, bound.full), ("",))
        if new and not others and "." not in new:
            yield Change(*bound.alias, "" if new == bound.written else f" as {new}")
    for name, node in bindings.assigned:
        new, *others = made.get((name, bindings.full_name(name, node)), ("",))
        if new and not others and "." not in new:
            yield Change(node.start_byte, node.end_byte, new)


def _free(spellings: tuple[str, ...], full: str, use: Use, bindings: Bindings) -> Iterator[str]:
    """The spellings that stand for nothing else at a place."""
    for each in spellings:
        first, dot, _ = each.partition(".")
        if bindings.is_free(first, use.node, full.partition(".")[0] if dot else full):
            yield each


def _chain(use: Use, words: PythonNames) -> tuple[str, int]:
    """The longest name in a module that has a shorter one at a place, and where it ends."""
    full, found = use.full, ("", use.span.end)
    for member, end in use.members:
        full += f".{member}"
        if full in words.chains:
            found = (full, end)
    return found
