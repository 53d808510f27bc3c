"""Headers that files get through headers of their tree, from one of CUDA's that includes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hipport.rulebook.rules import RuleSet
from hipport.source.text.include_graph import include_graph, included
from hipport.source.text.tree_texts import TreeTexts


def brought_headers(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[str, ...]]:
    """File -> the CUDA headers whose names it uses, and whose counterparts it would not have.

    `trees` has the C and C++ sources of each tree. A file that includes the bringing header itself
    is not found: its own lines show it.
    """
    found: dict[str, tuple[str, ...]] = {}
    for paths in trees.values():
        graph = include_graph(paths, texts)
        for header, wanted in rules.runtime_header.brought_headers.items():
            bringing = _including(paths, wanted.by, texts)
            without = graph.with_users(bringing).difference(bringing) if bringing else set()
            if without:
                without -= graph.with_users(_including(paths, wanted.instead, texts))
            naming = [path for path in without if texts.code(path).matches(wanted.names)]
            # What includes one of them has the header from it.
            above = graph.with_users(user for path in naming for user in graph.users(path))
            for path in set(naming) - above:
                found[path] = (*found.get(path, ()), header)
    return found


def _including(paths: Iterable[str], headers: frozenset[str], texts: TreeTexts) -> list[str]:
    """The files that include one of the headers themselves."""
    return [path for path in paths if not headers.isdisjoint(texts.answer(included, path))]
