"""Headers that files have from headers of their tree which include one of CUDA's that brings them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hipport.graph import reached, turned
from hipport.rulebook.rules import RuleSet
from hipport.source.text.include_graph import by_tree, included_headers
from hipport.source.text.tree_texts import TreeTexts


def brought_headers(
    files: Iterable[tuple[Path, Path]], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[str, ...]]:
    """File -> the CUDA headers whose names it uses, and whose counterparts it would not have.

    `files` are the C and C++ sources, each after its tree; what is found are POSIX paths. A file
    that includes the bringing header itself is not found: its own lines tell.
    """
    found: dict[str, tuple[str, ...]] = {}
    for paths in by_tree(files).values():
        users = turned(included_headers(paths, texts))
        for header, wanted in rules.runtime_header.brought_headers.items():
            bringing = _including(paths, wanted.by, texts)
            without = reached(users, bringing).difference(bringing) if bringing else set()
            if without:
                without -= reached(users, _including(paths, wanted.instead, texts))
            naming = [path for path in without if texts.code(path).matches(wanted.names)]
            # What includes one of them has the header from it.
            above = reached(users, {user for path in naming for user in users.get(path, ())})
            for path in set(naming) - above:
                found[path] = (*found.get(path, ()), header)
    return found


def _including(paths: Iterable[str], headers: frozenset[str], texts: TreeTexts) -> list[str]:
    """The files that include one of the headers themselves."""
    return [path for path in paths if not headers.isdisjoint(texts.included[path])]
