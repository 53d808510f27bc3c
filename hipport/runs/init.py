"""Proposes a configuration for a tree: what is certain is set, the rest is there as a comment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from hipport.errors import HipportError
from hipport.files import read, walk
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.rulebook.edition import edition
from hipport.runs.targets import all_targets
from hipport.source.buildfiles.build_kinds import build_kind
from hipport.source.tree.file_task import language_of

_LARGEST = 4 << 20
_OTHERS = frozenset(
    "3rdparty dependencies deps extern external submodules third-party third_party thirdparty"
    " vendor".split()
)
_TARGET = regex(rb"\bgfx[0-9a-f]{3,4}\b")
_SUBMODULE = regex(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)


class Proposal(NamedTuple):
    """A configuration, and what it was made from."""

    text: str
    sources: int
    """CUDA sources that are the project's own."""


def propose(folder: Path) -> Proposal:
    """The configuration for a tree."""
    targets: Counter[str] = Counter()
    others: set[str] = set()
    sources = 0
    unlisted: list[HipportError] = []
    for found in walk(folder, unlisted.append):
        if found.is_ignored or found.is_link:
            continue
        above = [
            each.as_posix()
            for each in PurePosixPath(found.path).parents[:-1]
            if each.name.lower() in _OTHERS
        ]
        others.update(above[-1:])
        sources += language_of(found.path) == "cuda" and not above
        if build_kind(found.path, ("cmake", "make", "python")):
            targets.update(_targets(folder / found.path))
    known = [each for each in all_targets() if each in targets]
    return Proposal("\n".join(_lines(folder, known, sorted(others))) + "\n", sources)


def _targets(path: Path) -> set[str]:
    """The AMD GPUs that a build file names."""
    try:
        return {each.decode() for each in _TARGET.findall(read(path, _LARGEST))}
    except HipportError:
        return set()


def _lines(folder: Path, targets: list[str], others: list[str]) -> Iterator[str]:
    newest = edition()[1]
    yield "# Configuration of hipport; `hipport help configuration` has every key."
    yield ""
    yield "# Use no API that this ROCm release lacks."
    yield f'# rocm = "{newest}"'
    yield ""
    if targets:
        yield "# The GPUs that the build files name."
        yield f"targets = {_list(targets)}"
    else:
        yield "# The GPUs to port to; the build files name none."
        yield f"# targets = {_list(all_targets()[:2])}"
    modules = _submodules(folder)
    yield ""
    if modules:
        yield "# Submodules: take the branch for ROCm of each, if there is one."
        yield f"exclude = {_list(modules)}"
    rest = [f"/{each}/" for each in others if f"/{each}/" not in modules]
    if rest:
        yield "# By their names these folders hold code of others."
        yield f"# exclude = {_list([*modules, *rest])}"
    elif not modules:
        yield "# Files that are left alone: patterns as in .gitignore."
        yield '# exclude = ["/third_party/"]'


def _submodules(folder: Path) -> list[str]:
    """Patterns for the working trees of other repositories: gitmodules(5)."""
    try:
        text = read(folder / ".gitmodules", _LARGEST).decode("utf-8", "replace")
    except HipportError:
        return []
    return [f"/{each}/" for each in _SUBMODULE.findall(text)]


def _list(texts: list[str]) -> str:
    import json

    return json.dumps(texts, ensure_ascii=False)
