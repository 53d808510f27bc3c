"""Which files define functions without the attributes that headers of their tree declare them with.

nvcc takes them from the declaration; clang does not.
"""

from __future__ import annotations

from collections.abc import Mapping

from hipport.rulebook.rules import RuleSet
from hipport.source.names.scanned_declarations import (
    Attributeless,
    attribute_macros,
    device_functions_declared,
)
from hipport.source.text.include_graph import include_graph
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import language_of


def missing_attributes(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[Attributeless, ...]]:
    """File -> the definitions in it that lack attributes.

    `trees` has the C and C++ sources of each tree.
    """
    found: dict[str, tuple[Attributeless, ...]] = {}
    for root, paths in trees.items():
        macros = frozenset[str]().union(*(texts.answer(macros_defined, path) for path in paths))
        declaring = {}
        for path in paths:
            names = _declared(path, texts, rules, macros)
            if names:
                declaring[path] = names
        if declaring:
            found.update(_in_tree(root, paths, declaring, texts, rules, macros))
    return found


def macros_defined(data: bytes, rules: RuleSet) -> frozenset[str]:
    """The macros of a file that stand for attributes: a question about each file of a tree."""
    return frozenset(attribute_macros(data, rules.device_code))


def mentions_devices(data: bytes, rules: RuleSet) -> bool:
    """Whether a file has a keyword of device functions: a question about each file of a tree."""
    return any(each.encode() in data for each in rules.device_code.function_keywords)


def _in_tree(
    root: str,
    paths: list[str],
    declaring: dict[str, list[str]],
    texts: TreeTexts,
    rules: RuleSet,
    macros: frozenset[str],
) -> dict[str, tuple[Attributeless, ...]]:
    """The same of one tree, whose files declare functions of these names."""
    # Loads the parser, which few trees need here.
    from hipport.source.tree.attribute_search import AttributeSearch

    search = AttributeSearch(root, texts, rules, macros)
    units = rules.file_kinds.translation_units
    headers = {path: frozenset((path,)) for path in declaring if not path.endswith(units)}
    included = include_graph(paths, texts).handed_on(headers)
    if macros:
        included |= {path: included.get(path, frozenset()) | {path} for path in declaring}
    found: dict[str, tuple[Attributeless, ...]] = {}
    for path in (each for each in included if _is_for_devices(each, rules)):
        every = [each for each in declaring if each in included[path]]
        names = frozenset(name for each in every for name in declaring[each])
        defined = search.defined(path, names)
        for each in every if defined else ():
            its_names = [name for name in declaring[each] if name in defined]
            if each != path:
                more = tuple(search.lacking(each, path, its_names))
            else:
                more = tuple(search.lacking_macros(path, its_names)) if macros else ()
            found[path] = _joined(found.get(path, ()), more)
    return {path: definitions for path, definitions in found.items() if definitions}


def _joined(
    found: tuple[Attributeless, ...], more: tuple[Attributeless, ...]
) -> tuple[Attributeless, ...]:
    """One answer a definition: that of a header that certainly means it, else the first."""
    every: dict[int, Attributeless] = {}
    for each in (*found, *more):
        if each.start not in every or (each.words and not every[each.start].words):
            every[each.start] = each
    return tuple(every[start] for start in sorted(every))


def _declared(path: str, texts: TreeTexts, rules: RuleSet, macros: frozenset[str]) -> list[str]:
    """The names that a file declares for devices; of one that none includes, by macros alone."""
    words = rules.device_code
    marks = {each for each in macros if each.encode() in texts.read(path)}
    is_unit = path.endswith(rules.file_kinds.translation_units)
    if not marks and (is_unit or not texts.answer(mentions_devices, path)):
        return []
    data = texts.read(path)
    # First with comments, as most files have none such at all.
    if not device_functions_declared(data.decode("latin-1"), words, frozenset(marks)):
        return []
    names = device_functions_declared(texts.code(path).code, words, frozenset(marks))
    # A directive behind a macro for attributes, `#if defined(…)`, declares nothing.
    return [each for each in names if each not in rules.lanes.attributes]


def _is_for_devices(path: str, rules: RuleSet) -> bool:
    """Whether a compiler for devices reads a file: a CUDA file, or any header."""
    is_unit = path.endswith(rules.file_kinds.translation_units)
    return not is_unit or language_of(path.rpartition("/")[2]) == "cuda"
