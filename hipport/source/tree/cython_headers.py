"""CUDA's names in the Cython of trees whose own headers have HIP's behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_ENDINGS = (".pyx", ".pxd", ".pxi")
_TAKEN_FROM = regex(r"\bextern[ ]+from[ ]+[\"']([^\"'<>\n]+)[\"']")
_CONDITIONS = regex(r"^[ \t]*#[ \t]*(?:el)?if[^\n]*", re.MULTILINE)
_NAMES = regex(r"\b(?:cu|nccl|nv)[a-zA-Z]\w*")


def of_cython(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> dict[str, set[str]]:
    """Tree -> CUDA's names in its Cython, if that takes some from a header of the tree for HIP.

    Such a tree has one interface for both: the header includes CUDA's headers, or gives their
    names to what HIP has. `trees` has the C and C++ sources of each tree.
    """
    written: dict[str, list[str]] = {}
    for task in tasks:
        if not task.is_link and task.source_path.endswith(_ENDINGS):
            text = texts.read(task.source_path).decode("latin-1")
            written.setdefault(task.root_path, []).append(text)
    return {
        root: {name for each in own for name in _NAMES.findall(each)}
        for root, own in written.items()
        if _has_ported_header(own, trees.get(root, ()), texts, rules)
    }


def _has_ported_header(
    written: list[str], sources: Iterable[str], texts: TreeTexts, rules: RuleSet
) -> bool:
    """Whether Cython takes names from a source that tests whether it is compiled for AMD."""
    headers = {PurePosixPath(path).name for each in written for path in _TAKEN_FROM.findall(each)}
    if not headers:
        return False
    named = (path for path in sources if path.rpartition("/")[2] in headers)
    conditions = (
        line
        for path in named
        if texts.has(path, ("HIP", "ROCM", "AMD"))
        for line in _CONDITIONS.findall(texts.read(path).decode("latin-1"))
    )
    return any(re.search(rules.device_code.ported_macros, each) for each in conditions)
