"""Which files define functions without the attributes that headers of their tree declare them with.

nvcc takes them from the declaration; clang does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hipport.graph import reached, turned
from hipport.rulebook.rules import RuleSet
from hipport.source.names.device_declarations import Attributeless, declared_names
from hipport.source.text.include_graph import by_tree, included_headers
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import language_of


def missing_attributes(
    files: Iterable[tuple[Path, Path]], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[Attributeless, ...]]:
    """File -> the definitions in it that lack attributes.

    `files` are the C and C++ sources, each after its tree; what is found are POSIX paths.
    """
    found: dict[str, tuple[Attributeless, ...]] = {}
    for root, paths in by_tree(files).items():
        declaring = {path: names for path in paths if (names := _declared(path, texts, rules))}
        if declaring:
            found.update(_in_tree(root.as_posix(), paths, declaring, texts, rules))
    return found


def _in_tree(
    root: str,
    paths: list[str],
    declaring: dict[str, list[str]],
    texts: TreeTexts,
    rules: RuleSet,
) -> dict[str, tuple[Attributeless, ...]]:
    """The same of one tree, whose headers declare functions of these names."""
    # Loads the parser, which few trees need here.
    from hipport.source.tree.attribute_search import AttributeSearch

    search = AttributeSearch(root, texts, rules)
    users = turned(included_headers(paths, texts))
    found: dict[str, tuple[Attributeless, ...]] = {}
    for header, names in declaring.items():
        for user in sorted(reached(users, (header,)) - {header}):
            if _is_for_devices(user, rules):
                more = tuple(search.lacking(header, user, names))
                if more:
                    found[user] = _joined(found.get(user, ()), more)
    return found


def _joined(
    found: tuple[Attributeless, ...], more: tuple[Attributeless, ...]
) -> tuple[Attributeless, ...]:
    """One answer a definition: that of a header that certainly means it, else the first."""
    every: dict[int, Attributeless] = {}
    for each in (*found, *more):
        if each.start not in every or (each.words and not every[each.start].words):
            every[each.start] = each
    return tuple(every[start] for start in sorted(every))


def _declared(path: str, texts: TreeTexts, rules: RuleSet) -> list[str]:
    """The names that a header declares for devices."""
    words, data = rules.device_code, texts.read(path)
    if path.endswith(rules.file_kinds.translation_units):
        return []
    if not any(each.encode() in data for each in words.function_keywords):
        return []
    # First with comments, as most headers have none such at all.
    if not declared_names(data.decode("latin-1"), words):
        return []
    return declared_names(texts.code(path).code, words)


def _is_for_devices(path: str, rules: RuleSet) -> bool:
    """Whether a compiler for devices reads a file: a CUDA file, or any header."""
    is_unit = path.endswith(rules.file_kinds.translation_units)
    return not is_unit or language_of(path.rpartition("/")[2]) == "cuda"
