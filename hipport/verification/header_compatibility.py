"""Whether HIP's headers fit clang, and each other: what one HIP lacks, the compiler takes from
the next one that it finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path, PurePath

from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.rulebook.model import Version
from hipport.verification.build_flags import plain
from hipport.verification.compiler_facts import clang_for
from hipport.verification.hip_headers import Headers, headers_in
from hipport.verification.toolchain import Toolchain


class Fit(NamedTuple):
    """The HIPs whose headers were read, and why they do not fit; `reason` is "" if they do."""

    hips: tuple[Headers, ...]
    reason: str = ""

    @property
    def version(self) -> Version:
        """What all of them have in common."""
        return min(each.version for each in self.hips)

    def is_misfit(self, path: str) -> bool:
        """Whether such a mismatch may cause an error in a header."""
        return bool(self.reason) and _root(path) in {each.folder for each in self.hips}


def fit(included: Iterable[str], toolchain: Toolchain) -> Fit:
    """Whether ROCm's headers, among all that were included, fit."""
    named = toolchain.headers._replace(folder=plain(toolchain.headers.folder))
    roots = dict.fromkeys(root for root in map(_root, included) if root)
    others = [found for root in roots if root != named.folder and (found := headers_in(root, ""))]
    hips = (named, *others)
    names = [f"HIP {'.'.join(map(str, each.version))} in {each.folder}" for each in hips]
    reasons = [f"{' and '.join(names)} are mixed"] if others else []
    wanted, has = clang_for(named.version), toolchain.chosen.major
    if has < wanted:
        reasons.append(f"{names[0]} needs clang {wanted}, and this is {has}")
    return Fit(hips, "; ".join(reasons))


@cache
def _root(path: str) -> Path | None:
    """The include folder of the HIP that a header belongs to; None if it belongs to none."""
    return next((each for each in _above(PurePath(path)) if headers_in(each, "")), None)


def _above(path: PurePath) -> Iterator[Path]:
    """The folders that have a folder of ROCm's headers on the way to the file."""
    for folder in path.parents:
        if folder.name in _folders():
            yield Path(folder.parent)


@cache
def _folders() -> frozenset[str]:
    rules = load().headers.values()
    names = (name for rule in rules for name in (rule.hip, rule.roc) if "/" in name)
    return frozenset(name.partition("/")[0] for name in names)
