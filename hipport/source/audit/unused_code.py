"""Makes notes of findings in code that nothing in its tree uses: nobody has to decide about them.

Whether code elsewhere may use it decides about the rest: a function of a library for its users, a
kernel that is looked up by its name. Of those, nothing is said.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import Finding, Position, Records, Severity
from hipport.rulebook.branch_words import UnusedCode
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.decisions import place_of
from hipport.source.buildfiles.build_kinds import is_build_file
from hipport.source.flow.outer_definitions import Nested, Outer, outer_definitions
from hipport.source.text.directives import Directive
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.source.tree.name_uses import C_LIKE, NameUses, count_uses
from hipport.spool import Spool

_DEVICE = ("__global__", "__device__")
Place = tuple[str, Position, str]


class _File(msgspec.Struct):
    """A file with findings: `ours` are its definitions that only the tree can use."""

    task: Task
    code: Code
    ours: Nested


def without_unused(
    findings: Records[Finding], tasks: Iterable[Task], folders: Collection[str], rules: RuleSet
) -> Records[Finding]:
    """The findings, as notes where nothing in a tree uses the code that they are in.

    `folders` are the trees of which all tasks are here.
    """
    asked = asked_by_path(findings)
    is_other = re.compile(rules.branches.unused.others).search
    trees: dict[str, list[Task]] = {}
    for task in tasks if asked else ():
        is_asked = task.name in asked and task.language in C_LIKE and not task.is_link
        if is_asked and not is_other(task.below):
            trees.setdefault(task.root_path, []).append(task)
    unused: dict[Place, str] = {}
    for root, several in trees.items():
        if root in folders and is_whole(root, rules.branches.unused.projects):
            tree = [each for each in tasks if each.root_path == root and not is_other(each.below)]
            tree = [each for each in tree if not each.is_unbuilt]
            unused.update(_unused_places(several, tree, asked, rules))
    words = rules.branches.unused
    return as_notes(
        findings, unused, lambda name: words.header_note if "." in name else words.note, rules
    )


def asked_by_path(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Path -> the findings at a place about which a person or a conversion has to do something."""
    asked: dict[str, list[Finding]] = {}
    for each in findings:
        if each.start.line and each.asks:
            asked.setdefault(each.path, []).append(each)
    return asked


def as_notes(
    findings: Records[Finding],
    names: Mapping[Place, str],
    code: Callable[[str], str],
    rules: RuleSet,
) -> Records[Finding]:
    """The findings, those at a place with a name as notes about it, of the code for the name."""
    if not names:
        return findings

    def seen(finding: Finding) -> Finding:
        name = names.get(place_of(finding), "")
        if not name or not finding.asks:
            return finding
        return rules.findings[code(name)].finding(
            finding.path, name, finding.start, finding.end, {"finding": finding.code}
        )

    return Spool(seen(each) for each in findings)


def is_whole(root: str, projects: Collection[str]) -> bool:
    """Whether a tree has at its top one of the files that say so."""
    return any(os.path.exists(f"{root}/{each}") for each in projects)  # noqa: PTH110


def _unused_places(
    asking: list[Task], tree: list[Task], asked: dict[str, list[Finding]], rules: RuleSet
) -> Iterator[tuple[Place, str]]:
    """The places of findings in unused code, and the name or the header that nothing uses."""
    words = rules.branches.unused
    is_closed = is_whole(tree[0].root_path, words.packages) and not _hands_out(tree, rules)
    headers = [each for each in asking if each.source_path.endswith(words.endings)]
    headers = headers if is_closed else []
    endings = (*rules.file_kinds.translation_units, *(words.endings if is_closed else ()))
    files = [
        _File(task, code, _ours(code, is_closed, rules))
        for task in asking
        if task.source_path.endswith(endings)
        if any(re.fullmatch(words.harmless, each.code) for each in asked[task.name])
        if (code := _code(task))
    ]
    inside = [
        (each, one.text)
        for file in files
        for each in asked[file.task.name]
        for one in _around(each, file, words)
    ]
    uses = NameUses(each.source_path for each in headers)
    uses.ask((name for _, name in inside), [(each.code, each.ours) for each in files])
    count_uses(uses, tree, {each.task.source_path for each in files})
    names = uses.unused()
    yield from ((place_of(each), name) for each, name in inside if name in names)
    for task in headers:
        if task.source_path in uses.alone():
            name = task.source_path.rpartition("/")[2]
            yield from ((place_of(each), name) for each in asked[task.name])


def _around(finding: Finding, file: _File, words: UnusedCode) -> Iterator[Outer]:
    """The definitions around a finding, where it may stay as it is if nothing uses them."""
    at = file.code.line_start(finding.start.line) + finding.start.column - 1
    if _may_stay(finding, file.code.directive_at(at), words):
        for each in file.ours.around(at):
            if each.kind != "macro" or at > each.name.end:
                yield each


def _may_stay(finding: Finding, directive: Directive | None, words: UnusedCode) -> bool:
    """Whether the code compiles with what a finding is about, as a condition always does."""
    is_compiled = finding.severity <= Severity.REVIEW or re.fullmatch(words.compiled, finding.code)
    is_condition = directive is not None and directive.keyword in words.conditions
    return bool(re.fullmatch(words.harmless, finding.code) and (is_compiled or is_condition))


def _code(task: Task) -> Code | None:
    try:
        return Code(read(task.source_path, LARGEST_SOURCE))
    except HipportError:
        return None


def _ours(code: Code, is_closed: bool, rules: RuleSet) -> Nested:
    words = rules.branches.unused
    found = outer_definitions(code, rules)
    return Nested(each for each in found if _is_ours(each, is_closed, words))


def _is_ours(outer: Outer, is_closed: bool, words: UnusedCode) -> bool:
    """Whether nothing outside of the tree can mean a definition by its name."""
    if outer.kind in ("macro", "constant"):
        return not outer.is_extern
    if outer.is_extern or re.search(words.exported, outer.head):
        return False
    if outer.kind == "class":
        return is_closed or outer.is_hidden
    if outer.around == outer.text or (outer.around and not is_closed):
        return False
    if re.fullmatch(words.entries, outer.text):
        return False
    is_of_device = any(each in outer.head for each in _DEVICE)
    return is_closed or is_of_device or outer.is_hidden or "static" in outer.head


def _hands_out(tree: list[Task], rules: RuleSet) -> bool:
    """Whether a package has headers of the tree, or a build file installs some."""
    words = rules.branches.unused
    for task in tree:
        last = task.source_path.rpartition("/")[2]
        if last in words.packages:
            pattern = words.packed
        elif is_build_file(last, words.builds):
            pattern = words.installed
        else:
            continue
        if task.is_link or task.copied:
            continue
        try:
            text = read(task.source_path, LARGEST_SOURCE).decode("latin-1")
        except HipportError:
            continue
        if re.search(pattern, text):
            return True
    return False
