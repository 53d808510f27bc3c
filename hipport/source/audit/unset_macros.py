"""Makes notes of findings behind macros of a tree's own that nothing sets, or nothing for AMD.

No build for AMD's GPUs compiles them. A macro is the tree's own if the tree defines others that
begin alike, or defines it in what HIP leaves out. Who sets one for a build of his own finds the
notes in a full list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.model import Finding, Records
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.decisions import place_of
from hipport.source.audit.unused_code import Place, as_notes, asked_by_path, is_whole
from hipport.source.names.hip_branches import is_left_out_of_hip
from hipport.source.text.branch_texts import BRANCHES
from hipport.source.text.conditions import as_expression, decided
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.source.tree.name_uses import C_LIKE

_NAME = regex(r"\b[A-Za-z]\w*")
_TESTS = regex(rb"^[ \t]*#[ \t]*(?:(?:el)?if|else|endif|undef)(?:[^\n]*\\\n)*[^\n]*", 8)
_SET = regex(rb"#[ \t]*define[ \t]+(\w+)")
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
    unset: dict[Place, str] = {}
    left_out: dict[Place, str] = {}
    for root, tree in trees.items():
        if is_whole(root, rules.branches.unused.projects):
            _sort_places(tree, asked, rules, unset, left_out)
    findings = as_notes(findings, unset, lambda _: words.note, rules)
    return as_notes(findings, left_out, lambda _: words.left_out_note, rules)


def _sort_places(
    tree: list[Task],
    asked: dict[str, list[Finding]],
    rules: RuleSet,
    unset: dict[Place, str],
    left_out: dict[Place, str],
) -> None:
    """Adds the places of findings behind macros that nothing sets, or only what HIP leaves out."""
    known = re.compile(rules.branches.unset.known)
    behind: list[tuple[Finding, list[str]]] = []
    for task in tree:
        if task.name in asked and task.language in C_LIKE:
            behind.extend(_behind(_data(task), asked[task.name]))
    if not behind:
        return
    never = {name for _, names in behind for name in names}
    elsewhere, for_cuda = _set_macros(tree, never, rules)
    never = {each for each in never - elsewhere if not known.fullmatch(each)}
    for each, names in behind:
        place = place_of(each)
        if name := next(filter(never.__contains__, names), ""):
            unset[place] = name
        elif name := next(filter(for_cuda.__contains__, names), ""):
            left_out[place] = name


def _behind(data: bytes, findings: list[Finding]) -> Iterator[tuple[Finding, list[str]]]:
    """The findings behind macros that may be unset, each with these, the outermost first."""
    if b"#if" not in data and b"# if" not in data:
        return
    code = Code(data)
    chained = {
        each.branch[-1][0] for each in code.directives if each.keyword == "elif" and each.branch
    }
    needed: dict[tuple[int, int], list[str]] = {}
    for each in findings:
        at = code.line_start(each.start.line) + each.start.column - 1
        directive = code.directive_at(at)
        branches = code.branch_at(at)
        if directive:
            branches = directive.branch[: -1 if directive.keyword in BRANCHES else None]
        for branch in branches:
            if branch not in needed:
                needed[branch] = list(_needed(code, *branch, chained))
        if names := [name for branch in branches for name in needed[branch]]:
            yield each, names


def _needed(code: Code, opened: int, number: int, chained: Collection[int]) -> Iterator[str]:
    """The macros without any of which a conditional leaves a branch out.

    `chained` ones have an `#elif`.
    """
    directive = code.directive_at(opened)
    if directive is None or number > 1 or (number and opened in chained):
        return
    condition = as_expression(directive.keyword, code.code[slice(*directive.body)])
    names: list[str] = _NAME.findall(condition)
    for name in dict.fromkeys(names):
        if name != "defined" and decided(condition, (name,), {}) is (number > 0):
            yield name


def _set_macros(
    tree: list[Task], names: Collection[str], rules: RuleSet
) -> tuple[set[str], set[str]]:
    """Which names some file has but in a test of them, or begin as none of ours; of these, which
    only what HIP leaves out defines."""
    left = {each: each.encode("latin-1") for each in names}
    begin = {each: each.partition("_")[0] + "_" for each in left}
    ours: set[str] = set()
    for_cuda: set[str] = set()
    for task in tree:
        data = _data(task)
        if task.language in C_LIKE:
            for each in _DEFINED.findall(data):
                ours.add(each.decode("latin-1").partition("_")[0] + "_")
            bare = _TESTS.sub(b"", data) if any(name in data for name in left.values()) else b""
            composed: tuple[str, ...] = ()
        else:
            bare = data
            composed = tuple(each.decode("latin-1") for each in _COMPOSED.findall(data))
        named = {
            name
            for name, raw in left.items()
            if (raw in bare and re.search(rb"\b(?:D|DU)?" + raw + rb"\b", bare))
            or name.startswith(composed)
        }
        cuda = _defined_for_cuda(data, named, rules) if task.language in C_LIKE else set()
        for_cuda |= cuda
        for name in named - cuda:
            for_cuda.discard(name)
            del left[name]
        if not left:
            break
    strange = {name for name in left if begin[name] not in ours}
    return {*names} - left.keys() | for_cuda | strange, for_cuda


def _defined_for_cuda(data: bytes, names: Collection[str], rules: RuleSet) -> set[str]:
    """Those of the names that a file has only to define them in what HIP leaves out."""
    defined = {each.decode("latin-1") for each in _SET.findall(data)}.intersection(names)
    if not defined:
        return set()
    code = Code(data)
    if not code.has_word(rules.device_code.macros_set_for_amd):
        return set()
    places = {name: [at.start() for at in code.finditer(rf"\b{name}\b")] for name in defined}
    return {
        name
        for name, found in places.items()
        if found and all(_is_for_cuda(code, at, name, rules) for at in found)
    }


def _is_for_cuda(code: Code, at: int, name: str, rules: RuleSet) -> bool:
    """Whether a name is tested at an offset, or defined in what HIP leaves out."""
    directive = code.directive_at(at)
    if directive is None:
        return False
    if directive.keyword != "define":
        return directive.is_condition or directive.keyword == "undef"
    defines = code.code[slice(*directive.body)].lstrip().startswith(name)
    return defines and is_left_out_of_hip(code, rules, at)


def _data(task: Task) -> bytes:
    try:
        return read(task.source_path, LARGEST_SOURCE)
    except HipportError:
        return b""
