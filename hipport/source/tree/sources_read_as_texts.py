"""Finds sources that a program reads or embeds as texts: such a text has no folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.words import Embedding
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

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
    return frozenset(
        path
        for root, names in embedded.items()
        for path in trees[root]
        if path.rpartition("/")[2].encode() in names
    )


def _embedded(data: bytes, embedding: Embedding) -> Iterator[bytes]:
    """The names of files, without folders, that a file embeds."""
    for match in re.finditer(embedding.pattern, data.decode("latin-1")):
        for name in (match["name"] or match["names"]).split():
            yield name.strip('"`').rpartition("/")[2].encode("latin-1")
