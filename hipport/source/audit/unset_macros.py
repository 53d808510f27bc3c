"""Makes notes of findings behind macros of a tree's own that nothing sets: no build compiles them.

A macro is the tree's own if the tree defines others that begin alike. Who sets one for a build of
his own finds the notes in a full list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.model import Finding, Records
from hipport.rulebook.branch_words import UnsetMacros
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.decisions import place_of
from hipport.source.audit.unused_code import Place, as_notes, asked_by_path, is_whole
from hipport.source.text.branch_texts import BRANCHES
from hipport.source.text.conditions import as_expression, decided
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.source.tree.name_uses import C_LIKE

_NAME = regex(r"\b[A-Za-z]\w*")
_TESTS = regex(rb"^[ \t]*#[ \t]*(?:(?:el)?if|else|endif|undef)(?:[^\n]*\\\n)*[^\n]*", 8)
_DEFINED = regex(rb"#[ \t]*define[ \t]+(\w+_)\w")
_COMPOSED = regex(rb"(?:-D)?(\w+_)(?:\$?[{%]|[\"'] *[+.]|\$\()")


def without_unset(
    findings: Records[Finding], tasks: Iterable[Task], folders: Collection[str], rules: RuleSet
) -> Records[Finding]:
    """The findings, as notes where nothing in a tree sets a macro that the code is behind.

    `folders` are the trees of which all tasks are here.
    """
    asked = asked_by_path(findings)
    trees: dict[str, list[Task]] = {}
    for task in tasks if asked else ():
        if task.root_path in folders and not task.is_link:
            trees.setdefault(task.root_path, []).append(task)
    words = rules.branches.unset
    unset = {
        place: name
        for root, tree in trees.items()
        if is_whole(root, rules.branches.unused.projects)
        for place, name in _unset_places(tree, asked, words)
    }
    return as_notes(findings, unset, lambda _: words.note, rules)


def _unset_places(
    tree: list[Task], asked: dict[str, list[Finding]], words: UnsetMacros
) -> Iterator[tuple[Place, str]]:
    behind: list[tuple[Finding, str]] = []
    for task in tree:
        if task.name in asked and task.language in C_LIKE:
            behind.extend(_behind(_data(task), asked[task.name], words))
    if not behind:
        return
    names = {name for _, name in behind}
    for name in _set_or_not_ours(tree, names):
        names.discard(name)
    yield from ((place_of(each), name) for each, name in behind if name in names)


def _behind(
    data: bytes, findings: list[Finding], words: UnsetMacros
) -> Iterator[tuple[Finding, str]]:
    """The findings behind macros that may be unset, each with the outermost of these."""
    if b"#if" not in data and b"# if" not in data:
        return
    code = Code(data)
    chained = {
        each.branch[-1][0] for each in code.directives if each.keyword == "elif" and each.branch
    }
    needed: dict[tuple[int, int], str] = {}
    for each in findings:
        at = code.line_start(each.start.line) + each.start.column - 1
        directive = code.directive_at(at)
        branches = code.branch_at(at)
        if directive:
            branches = directive.branch[: -1 if directive.keyword in BRANCHES else None]
        for branch in branches:
            if branch not in needed:
                needed[branch] = _needed(code, *branch, chained, words)
        if name := next(filter(None, map(needed.get, branches)), ""):
            yield each, name


def _needed(
    code: Code, opened: int, number: int, chained: Collection[int], words: UnsetMacros
) -> str:
    """A macro without which a conditional leaves a branch out; `chained` ones have an `#elif`."""
    directive = code.directive_at(opened)
    if directive is None or number > 1 or (number and opened in chained):
        return ""
    condition = as_expression(directive.keyword, code.code[slice(*directive.body)])
    names: list[str] = _NAME.findall(condition)
    for name in dict.fromkeys(names):
        if name != "defined" and not re.fullmatch(words.known, name):
            holds = decided(condition, (name,), {})
            if holds is (number > 0):
                return name
    return ""


def _set_or_not_ours(tree: list[Task], names: Collection[str]) -> Iterator[str]:
    """The names that some file has but in a test of them, and those that begin as none of ours."""
    left = {each: each.encode("latin-1") for each in names}
    begin = {each: each.partition("_")[0] + "_" for each in left}
    ours: set[str] = set()
    for task in tree:
        data = _data(task)
        if task.language in C_LIKE:
            for each in _DEFINED.findall(data):
                ours.add(each.decode("latin-1").partition("_")[0] + "_")
            data = _TESTS.sub(b"", data) if any(name in data for name in left.values()) else b""
            composed: tuple[str, ...] = ()
        else:
            composed = tuple(each.decode("latin-1") for each in _COMPOSED.findall(data))
        for name, raw in list(left.items()):
            is_named = raw in data and re.search(rb"\b(?:D|DU)?" + raw + rb"\b", data)
            if is_named or name.startswith(composed):
                del left[name]
                yield name
        if not left:
            return
    yield from (name for name in left if begin[name] not in ours)


def _data(task: Task) -> bytes:
    try:
        return read(task.source_path, LARGEST_SOURCE)
    except HipportError:
        return b""
