"""Finds build files that ask for an older C++ than the ROCm headers of the tree accept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.model import Finding
from hipport.rulebook.model import Version, parse_version
from hipport.rulebook.rules import RuleSet
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_FINDING = "HP-BUILD-006"


def old_standards(
    trees: Mapping[str, list[str]],
    tasks: Iterable[Task],
    texts: TreeTexts,
    rules: RuleSet,
) -> set[str]:
    """The build files that set too old a standard, in trees whose sources include such a header.

    `trees` has the C and C++ sources of each tree.
    """
    old: dict[str, set[str]] = {}
    for task in tasks:
        if task.is_build_file and any(_settings(texts.read(task.source_path), rules)):
            old.setdefault(task.root_path, set()).add(task.source_path)
    if not old:
        return set()
    header = re.compile(rules.build_files.new_cpp.includes.encode())
    found: set[str] = set()
    for root, paths in old.items():
        if any(header.search(texts.read(source)) for source in trees.get(root, ())):
            found |= paths
    return found


def standard_findings(data: bytes, task: Task, rules: RuleSet, rocm: Version) -> Iterator[Finding]:
    """A finding for each place in a build file that sets too old a standard."""
    if rocm < parse_version(rules.build_files.new_cpp.since):
        return
    code = Code.of_lines(data, data.decode("latin-1"))
    rule = rules.findings[_FINDING]
    for match in _settings(data, rules):
        start, end = match.span("symbol")
        symbol = match["symbol"].decode("latin-1")
        yield rule.finding(task.name, symbol, code.position(start), code.position(end))


def _settings(data: bytes, rules: RuleSet) -> Iterator[re.Match[bytes]]:
    words = rules.build_files.new_cpp
    if any(hint.encode() in data for hint in words.hints):
        for match in re.finditer(words.setting.encode(), data, re.ASCII):
            start = data.rfind(b"\n", 0, match.start()) + 1
            if b"#" not in data[start : match.start()]:
                yield match
