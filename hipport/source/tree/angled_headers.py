"""Finds headers of a tree with names of CUDA's that its sources include in angle brackets alone.

Conversion takes such an include for that of CUDA's header. One in quotes stays; where a tree has
both, the one in quotes is of its own header.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hipport.lazy_regex import regex
from hipport.source.text.tree_texts import TreeTexts

# Without what is before it in a line, which makes a search many times slower.
_INCLUDE = regex(rb"include[ \t]*(?:<([^>\n]+)>|\"(?:[^\"\n]*/)?([^\"\n/]+)\")")


def angled_headers(
    trees: Mapping[str, list[str]], headers: Mapping[str, Iterable[str]], texts: TreeTexts
) -> dict[str, frozenset[str]]:
    """Tree -> those of its headers of CUDA's names that are included in angle brackets alone.

    `trees` has the C and C++ sources of each tree.
    """
    found: dict[str, frozenset[str]] = {}
    for root, names in headers.items():
        wanted = {each.encode() for each in names}
        if wanted:
            angled: set[bytes] = set()
            quoted: set[bytes] = set()
            for path in trees.get(root, ()):
                data = texts.read(path)
                for match in _INCLUDE.finditer(data):
                    if wanted.isdisjoint(match.groups()):
                        continue
                    line = data.rfind(b"\n", 0, match.start()) + 1
                    if data[line : match.start()].split() == [b"#"]:
                        angled.add(match[1])
                        quoted.add(match[2])
            found[root] = frozenset(each.decode() for each in wanted & angled - quoted)
    return found
