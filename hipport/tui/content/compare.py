"""Two targets, or two files, side by side: what each kernel needs on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hipport.named_tuples import NamedTuple
from hipport.tui.kernelrows import UNKNOWN, KernelRow
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope, file_name
from hipport.tui.spans import Span
from hipport.tui.table import Column, Table
from hipport.tui.view_settings import Settings

SHOWN = ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill", "waves", "code")
_MORE_IS_BETTER = ("waves",)
_ORDER = {"only right": 0, "only left": 1, "changed": 2, "same": 3}
_KINDS = {"only right": "good", "only left": "bad", "changed": "warn", "same": "dim"}


class Pair(NamedTuple):
    """A kernel on both sides; None where a side has none."""

    name: str
    target: str
    left: KernelRow | None
    right: KernelRow | None

    @property
    def what(self) -> str:
        if self.left is None:
            return "only right"
        if self.right is None:
            return "only left"
        same = all(getattr(self.left, each) == getattr(self.right, each) for each in SHOWN)
        return "same" if same else "changed"


def title(scope: Scope) -> str:
    """The label of a side."""
    file = file_name(scope.binary.path) if scope.binary is not None else ""
    several = scope.bundle is not None and scope.binary and len(scope.binary.bundles) > 1
    bundle = f" [{scope.bundle.index}]" if scope.bundle is not None and several else ""
    return f"{file}{bundle} {scope.target}".rstrip()


def candidates(library: Library, scope: Scope) -> list[Scope]:
    """What the selection can be compared with: for a target, the others of its bundle, then
    those of other bundles; for a file, the other files. All labels differ."""
    if scope.entry is None:
        others = [Scope(b) for b in library.binaries if b is not scope.binary and b.bundles]
    else:
        others = [
            Scope(binary, bundle, entry)
            for binary, bundle in library.bundles(Scope())
            for entry in bundle.entries
            if entry.size and not entry.is_host and entry is not scope.entry
        ]
        others.sort(key=lambda each: each.bundle is not scope.bundle)
    named = {title(each): each for each in reversed(others)}
    return [each for each in others if named[title(each)] is each]


def prepare(
    library: Library, left: Scope, right: Scope, progress: Progress, settings: Settings
) -> Iterator[Table[Pair]]:
    """The table of all kernels on both sides, once they are read; changes come first."""
    for side in (left, right):
        for _ in library.load(side, progress):
            pass
    pairs = pair(library.rows(left), library.rows(right), by_target=left.entry is None)
    note = "cancelled: not all bundles were read" if progress.cancelled else counts(pairs)
    yield compare_table(library, pairs, settings, note)


def pair(left: list[KernelRow], right: list[KernelRow], by_target: bool) -> list[Pair]:
    """Kernels of the same name (and, between files, of the same target) together."""
    sides: tuple[dict[tuple[str, str], KernelRow], ...] = ({}, {})
    for side, rows in zip(sides, (left, right), strict=True):
        for row in rows:
            key = (row.name, row.target if by_target else "")
            known = side.get(key)
            if known is None or (row.spills, row.vgpr) > (known.spills, known.vgpr):
                side[key] = row
    keys = dict.fromkeys((*sides[0], *sides[1]))
    pairs = [Pair(*key, sides[0].get(key), sides[1].get(key)) for key in keys]
    return sorted(pairs, key=lambda each: _ORDER[each.what])


def counts(pairs: list[Pair]) -> str:
    """`3 only right, 40 changed, 800 same`."""
    found = dict.fromkeys(_ORDER, 0)
    for each in pairs:
        found[each.what] += 1
    return ", ".join(f"{count} {what}" for what, count in found.items() if count)


def compare_table(
    library: Library, pairs: list[Pair], settings: Settings, note: str
) -> Table[Pair]:
    columns: list[Column[Pair]] = [
        Column(
            "kernel",
            20,
            lambda item: Span(settings.short_name(library, item.name)),
            lambda item: settings.sort_name(library, item.name),
            False,
            False,
        ),
        Column("what", 10, _what, lambda item: _ORDER[item.what], False, False),
    ]
    if any(item.target for item in pairs):
        columns.append(
            Column("target", 8, lambda i: Span(i.target), lambda i: i.target, False, False)
        )
    columns += [_column(name, settings) for name in SHOWN]
    texts = [
        f"{library.readable.get(i.name, '')}\n{i.name}\n{i.target}\n{i.what}".lower() for i in pairs
    ]
    return Table(columns, pairs, texts, note)


def _what(item: Pair) -> Span:
    return Span(item.what, _KINDS[item.what])


def _column(name: str, settings: Settings) -> Column[Pair]:
    """Before and after in one cell, green where it improved; sorted by the growth."""
    sized = name in ("lds", "scratch", "code")

    def text(value: int) -> str:
        if value == UNKNOWN:
            return "?"
        return settings.short_size(value) if sized else str(value)

    def cell(item: Pair) -> Span:
        if item.left is None or item.right is None:
            side = item.left or item.right
            return Span(text(getattr(side, name)), "dim")
        before, after = getattr(item.left, name), getattr(item.right, name)
        if before == after:
            return Span(text(before), "dim")
        better = (after > before) == (name in _MORE_IS_BETTER)
        return Span(f"{text(before)}→{text(after)}", "good" if better else "bad")

    def growth(item: Pair) -> int:
        if item.left is None or item.right is None:
            return 0
        return int(getattr(item.right, name) - getattr(item.left, name))

    key: Callable[[Pair], int] = growth
    return Column(name, 13 if sized else 8, cell, key)
