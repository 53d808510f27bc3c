"""Fetches the source distributions that tests read: `python -m tests.support.prefetch`.

A test fetches what is not there yet, so this may run beside the tests, and what it cannot fetch
fails there.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from tests.source.audit.test_unseen_precision import fetched
from tests.support.fetch import fetch
from tests.support.real_trees import Tree, trees

_AT_ONCE = 4


def main() -> None:
    # In the order of the tests: those of whole trees come before the places of unseen ones.
    pinned = [*trees().values(), *(trees(of.table)[tree] for of, tree in fetched())]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        told = [each for each in pool.map(_fetch, pinned) if each]
    print(*told, sep="\n", end="\n" if told else "", file=sys.stderr)


def _fetch(tree: Tree) -> str:
    try:
        fetch(tree.project, tree.version, tree.filename, tree.sha256)
    except Exception as fault:
        return f"{tree.filename}: {fault}"
    return ""


if __name__ == "__main__":
    main()
