"""Finds sources of CUDA that no build file of their tree names, though it names others.

A tree whose build lists its sources leaves out what it does not list: old code, and what was taken
out of the build. A build has to list most others for that, but for an older copy of a source that
it lists. Where a build file may find sources by a pattern, or puts their names together, nothing
is known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping

from hipport.model import Finding, Position
from hipport.rulebook.rules import RuleSet
from hipport.source.buildfiles.build_kinds import is_build_file
from hipport.source.text.required_texts import has_any, is_found
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_FINDING = "HP-BUILD-009"
_FEWEST = 2
"""So many sources at least a build has to name: one name is no list."""


def unbuilt_sources(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> frozenset[str]:
    """The paths of such sources. `trees` has the C and C++ sources of each tree."""
    words = rules.file_kinds.unbuilt
    listed = {
        root: {each for each in sources if each.endswith(words.endings)}
        for root, sources in trees.items()
    }
    builds: dict[str, list[str]] = defaultdict(list)
    scripts: dict[str, list[str]] = defaultdict(list)
    for task in tasks if any(listed.values()) else ():
        if listed.get(task.root_path) and not task.is_link:
            last = task.source_path.rpartition("/")[2]
            if is_build_file(last, words.kinds) or last in words.files:
                builds[task.root_path].append(task.source_path)
            elif task.language == "python" or is_build_file(last, words.scripts):
                scripts[task.root_path].append(task.source_path)
    found: set[str] = set()
    for root, paths in builds.items():
        unnamed = _unnamed(listed[root], paths, texts, rules)
        for path in (*paths, *scripts[root]) if unnamed else ():
            text = texts.read(path).decode("latin-1")
            unnamed = set() if _finds(text, rules) else unnamed - _mentioned(unnamed, text, rules)
        for path in trees[root] if unnamed else ():
            if texts.has(path, words.endings):
                names = set(re.findall(words.named, texts.code(path).uncommented))
                unnamed = {each for each in unnamed if _last(each) not in names}
        found |= unnamed
    return frozenset(found)


def unbuilt_finding(task: Task, rules: RuleSet) -> Finding:
    """What says that the audit did not look at such a source."""
    return rules.findings[_FINDING].finding(task.name, task.below, Position(1, 1))


def _unnamed(sources: set[str], builds: list[str], texts: TreeTexts, rules: RuleSet) -> set[str]:
    """The sources that no build file names; none if it names too few, or finds them otherwise."""
    words = rules.file_kinds.unbuilt
    named: set[str] = set()
    for path in builds:
        text = texts.read(path).decode("latin-1")
        if has_any(text, words.endings):
            named.update(re.findall(words.named, _uncommented(text, rules)))
    unnamed = {each for each in sources if _last(each) not in named}
    others = len(sources) - len(unnamed)
    if others < max(_FEWEST, len(unnamed)):
        stems = {_stem(each) for each in sources - unnamed}
        unnamed = {each for each in unnamed if _is_older(_stem(each), stems, words.older)}
    if not unnamed:
        return set()
    found = any(_finds(texts.read(path).decode("latin-1"), rules) for path in builds)
    return set() if found else unnamed


def _is_older(stem: str, others: Container[str], older: str) -> bool:
    """Whether a source has the name of another beside it, with what marks an older copy."""
    marked = re.fullmatch(older, stem)
    return marked is not None and marked["stem"] in others


def _stem(path: str) -> str:
    return path.rpartition(".")[0]


def _mentioned(sources: set[str], text: str, rules: RuleSet) -> set[str]:
    """The sources whose names a text has, with or without an ending that a build makes of them."""
    stems = [_last(each).rpartition(".")[0] for each in sources]
    if not has_any(text, stems):
        return set()
    kinds = rules.file_kinds
    names = {
        name
        for name, ending in re.findall(r"([\w+-]+)(\.\w+)?", _uncommented(text, rules))
        if ending in kinds.unbuilt.endings or ending not in kinds.languages
    }
    return {each for each in sources if _last(each).rpartition(".")[0] in names}


def _finds(text: str, rules: RuleSet) -> bool:
    """Whether a build file finds sources without their names."""
    patterns = [each for each in rules.file_kinds.unbuilt.found if is_found(each, text)]
    code = _uncommented(text, rules) if patterns else ""
    return any(is_found(each, code) for each in patterns)


def _uncommented(text: str, rules: RuleSet) -> str:
    """A build file without what is behind a comment's mark."""
    for comment in rules.file_kinds.unbuilt.comments:
        text = re.sub(comment, "", text)
    return text


def _last(path: str) -> str:
    return path.rpartition("/")[2]
