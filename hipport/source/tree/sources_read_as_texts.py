"""Finds sources that a program of Python reads and compiles: such a text has no folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_NAMED = regex(rb"([\w+-][\w.+-]*)[\"']")


def sources_read_as_texts(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> frozenset[str]:
    """The sources whose file name a Python file has in a string, where it reads files too.

    Only in trees with a Python file that compiles texts. `trees` has the C and C++ sources of each
    tree. Build files are left out: what they name is compiled where it is.
    """
    words = rules.kernel_strings.python
    compiling = {
        name.rpartition(".")[2] for each in words.compilers for name in each.functions
    }.union(words.compiling_files)
    named: dict[str, set[bytes]] = {}
    compiles: set[str] = set()
    for task in tasks:
        root = task.root_path
        if task.language != "python" or task.is_build_file or task.is_link or root not in trees:
            continue
        if texts.has(task.source_path, words.reading):
            named.setdefault(root, set()).update(_NAMED.findall(texts.read(task.source_path)))
        if root not in compiles and texts.has(task.source_path, compiling):
            compiles.add(root)
    return frozenset(
        path
        for root in compiles & named.keys()
        for path in trees[root]
        if path.rpartition("/")[2].encode() in named[root]
    )
