"""Kernels in files that Python compiles as a text, by a name that their compiler leaves plain.

PyCUDA puts a text into extern "C" itself: kernels in such a file have plain names there alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.device_functions import functions
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_FINDING = "HP-PY-411"
_FILES = (".cu", ".cuh")
_NAMED = regex(r"([\w+-][\w.+-]*\.cuh?)[\"']")
_NAME = r"\s*[\"']([A-Za-z_]\w*)[\"']"
_TEMPLATE = regex(r"\btemplate\s*<[^;{}]*>\s*\Z")
_NEAR = 300


def named_kernels(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[str, int]]:
    """File -> the first kernel that Python asks for by its plain name, and its offset.

    `trees` has the C and C++ sources of each tree.
    """
    rule = rules.findings.get(_FINDING)
    files = {root: named for root, paths in trees.items() if (named := _of_cuda(paths)) and rule}
    if rule is None or not files:
        return {}
    programs: dict[str, list[str]] = {}
    for task in tasks:
        path = task.source_path
        is_program = task.root_path in files and task.language == "python" and not task.is_link
        if is_program and texts.has(path, (*rule.hints, *_asking(rule), *_FILES)):
            programs.setdefault(task.root_path, []).append(path)
    found: dict[str, tuple[str, int]] = {}
    for root, paths in programs.items():
        whole = "\n".join(texts.read(each).decode("latin-1") for each in paths)
        if not any(each in whole for each in rule.hints) or re.search(rule.unless, whole):
            continue
        names = frozenset(re.findall(rule.only_if + _NAME, whole))
        for file in sorted(set(_NAMED.findall(whole)) & files[root].keys()) if names else ():
            for path in files[root][file]:
                if kernel := _first(path, names, texts, rule, rules):
                    found[path] = kernel
    return found


def _of_cuda(paths: Iterable[str]) -> dict[str, list[str]]:
    """The files of kernels, by their names without folders."""
    named: dict[str, list[str]] = {}
    for path in paths:
        if path.endswith(_FILES):
            named.setdefault(path.rpartition("/")[2], []).append(path)
    return named


def _asking(rule: FindingRule) -> Iterator[str]:
    """The words of the function that gives a kernel by its name."""
    yield from re.findall(r"\w{4,}", rule.only_if.replace(r"\b", " "))


def _first(
    path: str, names: frozenset[str], texts: TreeTexts, rule: FindingRule, rules: RuleSet
) -> tuple[str, int] | None:
    if re.search(rule.unless, texts.read(path).decode("latin-1")):
        return None
    code = texts.code(path)
    for each in functions(code, rules):
        head = code.slice(each.head)
        if each.name not in names or not each.is_kernel:
            continue
        before = code.code[max(0, each.head.start - _NEAR) : each.head.start]
        name = re.search(rf"\b{each.name}\b(?=\s*\()", head)
        if name and not _TEMPLATE.search(before):
            return each.name, each.head.start + name.start()
    return None


def named_kernel_findings(data: bytes, task: Task, rules: RuleSet) -> Iterator[Finding]:
    """The finding about the first of them in a file."""
    if task.named_kernel:
        name, offset = task.named_kernel
        code = Code(data)
        start, end = code.position(offset), code.position(offset + len(name))
        yield rules.findings[_FINDING].finding(task.name, name, start, end)
