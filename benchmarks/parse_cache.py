"""What units said when they were compiled, kept from one run of a benchmark to the next."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.shared_headers import Sharing
from hipport.files import MEMORY
from hipport.verification.model import Parsed, Unit
from hipport.verification.parser import parse
from hipport.verification.toolchain import Toolchain


def cached(folder: Path) -> Callable[..., Iterator[Parsed]]:
    """`parse`, which compiles again only what changed.

    What a unit said holds as long as it, its arguments, the compiler, and all other files of
    the tree but the units are the same. The entries are pickles: the folder is the user's own.
    """
    folder.mkdir(parents=True, exist_ok=True)

    def of(
        units: Sequence[Unit],
        toolchain: Toolchain,
        targets: Sequence[str],
        roots: Sequence[Path],
        **wishes: Any,
    ) -> Iterator[Parsed]:
        shared = _digest(roots, {unit.path for unit in units})
        entries = {unit: folder / _key(unit, toolchain, targets, shared) for unit in units}
        missing = [unit for unit, entry in entries.items() if not entry.is_file()]
        shared_headers = Sharing.of(toolchain, folder / "headers")
        found = groupby(
            parse(missing, shared_headers, targets, roots, **wishes), key=lambda each: each.unit
        )
        for unit, entry in entries.items():
            if unit in missing:
                passes = list(next(found)[1])
                if any(each.errors or each.problem for each in passes):
                    passes = list(parse([unit], toolchain, targets, roots, **wishes))
                if any(each.problem for each in passes):
                    # It may only have taken too long: the next run tries again.
                    yield from passes
                    continue
                partial = entry.with_suffix(".part")
                partial.write_bytes(pickle.dumps(passes))
                partial.replace(entry)
            yield from pickle.loads(entry.read_bytes())

    return of


def _key(unit: Unit, toolchain: Toolchain, targets: Iterable[str], shared: str) -> str:
    words = [*toolchain.lines(), *targets, str(unit), shared]
    data = "\0".join(words).encode() + unit.path.read_bytes()
    return hashlib.sha256(data).hexdigest()


def _digest(roots: Iterable[Path], units: set[Path]) -> str:
    """The SHA-256 of the names of all files, and of the contents of those that are no units."""
    found = hashlib.sha256()
    every = sorted(each for root in roots for each in root.rglob("*") if each.is_file())
    for path in (each for each in every if MEMORY not in each.parts):
        found.update(str(path).encode() + b"\0")
        if path not in units:
            found.update(path.read_bytes())
    return found.hexdigest()
