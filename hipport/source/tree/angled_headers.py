"""Finds headers of a tree with names of CUDA's that its sources include in angle brackets.

Conversion takes such an include for that of CUDA's header; one in quotes stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hipport.lazy_regex import regex
from hipport.source.text.tree_texts import TreeTexts

_ANGLED = regex(rb"^[ \t]*#[ \t]*(?:include|import)[ \t]*<([^>\n]+)>", re.MULTILINE)


def angled_headers(
    trees: Mapping[str, list[str]], headers: Mapping[str, Iterable[str]], texts: TreeTexts
) -> dict[str, frozenset[str]]:
    """Tree -> those of its headers of CUDA's names that a source includes in angle brackets.

    `trees` has the C and C++ sources of each tree.
    """
    found: dict[str, frozenset[str]] = {}
    for root, names in headers.items():
        wanted = {each.encode() for each in names}
        if wanted:
            every = (_ANGLED.findall(texts.read(path)) for path in trees.get(root, ()))
            angled = wanted.intersection(name for each in every for name in each)
            found[root] = frozenset(each.decode() for each in angled)
    return found
