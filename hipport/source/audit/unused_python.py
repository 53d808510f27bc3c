"""Makes notes of findings in Python functions and classes that nothing in their tree names.

A compiler of kernels compiles a function where it is called: one that nothing calls asks nothing.
What a decorator may call, and what a test or a script runs by its name, is none of these.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator

import msgspec

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.model import Finding, Records, Span
from hipport.rulebook.branch_words import UnusedPython
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.decisions import place_of
from hipport.source.audit.unused_code import Place, as_notes, asked_by_path, is_whole
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import LARGEST_SOURCE, Task

_COMMENT = regex(rb"#[^\n\"']*$", re.MULTILINE)
_DEFINING = regex(rb"\b(?:def|class)[ ]+\Z")
_LONGEST_KEYWORD = 8
_LOOKING_UP = (b"getattr(", b"globals(", b"locals(", b"vars(", b"__dict__")
_COMPOSED = regex(rb"\}(\w{4,})[\"']|[\"'](\w{4,})\{")


class _Definition(msgspec.Struct, frozen=True):
    """A function or a class of a module."""

    name: bytes
    span: Span


def without_unused_python(
    findings: Records[Finding], tasks: Iterable[Task], folders: Collection[str], rules: RuleSet
) -> Records[Finding]:
    """The findings, as notes where nothing in a tree names the Python function they are in.

    `folders` are the trees of which all tasks are here.
    """
    words = rules.branches.unused_python
    about = (each for each in findings if re.fullmatch(words.codes, each.code))
    asked = asked_by_path(about)
    inside: dict[str, list[tuple[Finding, Task, _Definition]]] = {}
    for task in tasks if asked else ():
        is_asked = task.name in asked and task.language == "python" and not task.is_link
        if is_asked and task.root_path in folders:
            found = list(_definitions_around(task, asked[task.name], words))
            inside.setdefault(task.root_path, []).extend(found)
    unused: dict[Place, str] = {}
    for root, several in inside.items():
        if several and is_whole(root, rules.branches.unused.projects):
            tree = [each for each in tasks if each.root_path == root and not each.is_link]
            names = _unused(tree, {(task.source_path, one) for _, task, one in several})
            unused |= {
                place_of(each): one.name.decode("utf-8", "replace")
                for each, _, one in several
                if one.name in names
            }
    return as_notes(findings, unused, lambda _: rules.branches.unused.note, rules)


def _definitions_around(
    task: Task, findings: list[Finding], words: UnusedPython
) -> Iterator[tuple[Finding, Task, _Definition]]:
    """The findings that are in a function or a class of a module, and that one."""
    try:
        data = read(task.source_path, LARGEST_SOURCE)
    except HipportError:
        return
    definitions = list(_definitions(data, words))
    starts = [each.span.start for each in definitions]
    code = Code(data)
    for each in findings:
        at = code.line_start(each.start.line)
        found = bisect_right(starts, at) - 1
        if found >= 0 and at < definitions[found].span.end:
            yield each, task, definitions[found]


def _definitions(data: bytes, words: UnusedPython) -> Iterator[_Definition]:
    """The functions and classes that only a name calls, in order."""
    # Loads the parser, which most trees do not need.
    from hipport.source.languages.python_syntax import module_of, span_of, text_of

    for node in module_of(data).root.named_children:
        inner = node.child_by_field_name("definition") or node
        if inner.type not in ("function_definition", "class_definition"):
            continue
        decorators = [text_of(each) for each in node.named_children if each.type == "decorator"]
        name = text_of(inner.child_by_field_name("name"))
        is_called = not all(re.fullmatch(words.decorators, each, re.DOTALL) for each in decorators)
        if not is_called and not re.fullmatch(words.entries, name):
            yield _Definition(name.encode(), span_of(node))


def _unused(tree: Iterable[Task], asked: Collection[tuple[str, _Definition]]) -> set[bytes]:
    """The names of definitions that no file has but where they are defined."""
    own: dict[tuple[str, bytes], Span] = {(path, one.name): one.span for path, one in asked}
    waiting = {one.name for _, one in asked}
    for task in tree:
        if not waiting:
            break
        try:
            data = read(task.source_path, LARGEST_SOURCE)
        except HipportError:
            continue
        here = [each for each in waiting if each in data]
        if here and task.language == "python":
            data = _COMMENT.sub(lambda match: b" " * len(match[0]), data)
        pieces = _pieces(data)
        waiting = {
            each for each in waiting if not (each.startswith(pieces) or each.endswith(pieces))
        }
        for name in here:
            if _is_used(name, data, own.get((task.source_path, name), Span(0, 0))):
                waiting.discard(name)
    return waiting


def _pieces(data: bytes) -> tuple[bytes, ...]:
    """The parts of names that a file completes, and looks up."""
    if not any(each in data for each in _LOOKING_UP):
        return ()
    return tuple({each for pair in _COMPOSED.findall(data) for each in pair if each})


def _is_used(name: bytes, data: bytes, own: Span) -> bool:
    """Whether a file has a name elsewhere than in its own definition, or in another of the name."""
    for match in re.finditer(rb"(?<!\w)%b(?!\w)" % re.escape(name), data):
        before = data[max(0, match.start() - _LONGEST_KEYWORD) : match.start()]
        if not own.start <= match.start() < own.end and not _DEFINING.search(before):
            return True
    return False
