"""Finds sources that a program reads or embeds as texts: such a text has no folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.words import Embedding
from hipport.source.text.include_graph import include_graph, included
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task, language_of

_NAMED = regex(rb"([\w+-][\w.+-]*)[\"']")


def sources_read_as_texts(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> frozenset[str]:
    """The sources whose file name a program has where it reads or embeds texts.

    A Python file does if it reads files, and if one in its tree compiles texts. `trees` has the C
    and C++ sources of each tree. Build files are left out: what they name is compiled where it is.
    """
    words = rules.kernel_strings.python
    embedding = rules.kernel_strings.embedding
    compiling = {
        name.rpartition(".")[2] for each in words.compilers for name in each.functions
    }.union(words.compiling_files)
    read: dict[str, set[bytes]] = {}
    embedded: dict[str, set[bytes]] = {}
    compiles: set[str] = set()
    for task in tasks:
        root, path = task.root_path, task.source_path
        if task.is_build_file or task.is_link or root not in trees:
            continue
        if path.endswith(embedding.files):
            embedded.setdefault(root, set()).update(_embedded(texts.read(path), embedding))
        if task.language != "python":
            continue
        if texts.has(path, words.reading):
            read.setdefault(root, set()).update(_NAMED.findall(texts.read(path)))
        if root not in compiles and texts.has(path, compiling):
            compiles.add(root)
    for root in compiles & read.keys():
        embedded.setdefault(root, set()).update(read[root])
    named = (
        path for root, names in embedded.items() for path in trees[root] if _name(path) in names
    )
    return frozenset([*named, *_made_strings(trees, tasks, texts, rules)])


def compiles_texts(data: bytes, rules: RuleSet) -> bool:
    """Whether a file calls what compiles a text at run time."""
    return any(name.encode() in data for name in rules.kernel_strings.compilers)


def _made_strings(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> Iterator[str]:
    """Sources that a build makes strings of for C++, which compiles them at run time.

    They stand alone, and a build file that reads files, or the code that compiles, names them.
    """
    alone: dict[str, list[str]] = {}
    named: dict[str, set[bytes]] = {}
    for root, paths in trees.items():
        compiling = [path for path in paths if texts.answer(compiles_texts, path)]
        if compiling and (found := _alone(paths, texts)):
            alone[root] = found
            named[root] = {each for path in compiling for each in _NAMED.findall(texts.read(path))}
    building = rules.kernel_strings.embedding.building
    for task in tasks if alone else ():
        if not task.is_build_file or task.root_path not in alone or task.is_link:
            continue
        if re.search(building, texts.read(task.source_path).decode("latin-1")):
            yield from alone.pop(task.root_path)
    for root, found in alone.items():
        yield from (path for path in found if _name(path) in named[root])


def _alone(paths: list[str], texts: TreeTexts) -> list[str]:
    """CUDA sources that neither include a file nor are included."""
    found = [
        path
        for path in paths
        if language_of(path.rpartition("/")[2]) == "cuda" and not texts.answer(included, path)
    ]
    graph = include_graph(paths, texts) if found else None
    return [path for path in found if graph and not graph.is_included(path)]


def _name(path: str) -> bytes:
    return path.rpartition("/")[2].encode()


def _embedded(data: bytes, embedding: Embedding) -> Iterator[bytes]:
    """The names of files, without folders, that a file embeds."""
    for match in re.finditer(embedding.pattern, data.decode("latin-1")):
        for name in (match["name"] or match["names"]).split():
            yield name.strip('"`').rpartition("/")[2].encode("latin-1")
