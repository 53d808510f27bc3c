"""Variables in shared memory of classes that a header of the tree defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.names.hip_branches import (
    is_in_port,
    is_left_out_of_hip,
    is_never_compiled,
)
from hipport.source.patterns.types.shared_object import (
    Keys,
    declarations_in,
    defines,
    doing_of,
    macros_in,
    meant_by,
)
from hipport.source.text.include_graph import IncludeGraph, include_graph
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_CHECK = "shared_object"
_IN_CLASS = regex(r"\b[A-Z]\w*\s*::\s*\w+\Z")
_OTHER = r"\b(?:typename|class|using)\s+{0}\b|\btypedef\b[^;]*\b{0}\s*;"
_LIBRARY = "library"


def has_shared_variables(data: bytes, _: RuleSet) -> bool:
    """Whether a file names shared memory: a question about each file of a tree."""
    return b"__shared__" in data


def shared_classes(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[tuple[str, str], ...]]:
    """File -> classes of its shared variables, and what their default constructors do.

    Only of those that one header defines which it includes, through others too, and not the file.
    Behind them come the macros of headers that are the keyword of shared memory, with that.
    """
    rule = _rule(rules)
    if rule is None:
        return {}
    keys = rule.read(Keys)
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for paths in trees.values():
        asked = {each for each in paths if texts.answer(has_shared_variables, each)}
        macros = _macros_of_headers(asked, texts, keys)
        asked.update(each for each in paths if macros and texts.has(each, macros))
        named = {
            each: _classes_named(texts.read(each).decode("latin-1"), keys, macros)
            for each in sorted(asked)
        }
        wanted = {path: names for path, names in named.items() if names}
        if not wanted:
            continue
        graph = include_graph(paths, texts)
        for path, names in wanted.items():
            if classes := tuple(_doing(path, names, graph, texts, keys)):
                found[path] = (*classes, *((each, keys.memory) for each in macros))
    return found


def _macros_of_headers(paths: Iterable[str], texts: TreeTexts, keys: Keys) -> list[str]:
    """The macros for the keyword that headers among the files define."""
    found: set[str] = set()
    for path in paths:
        if path.rpartition(".")[2].startswith("h") or path.endswith(".cuh"):
            found.update(macros_in(texts.read(path).decode("latin-1"), keys))
    return sorted(found)


def _classes_named(text: str, keys: Keys, macros: Iterable[str]) -> dict[str, str]:
    """The classes of a file's shared variables that are defined elsewhere, by the names that the
    file has for them."""
    named = {
        each["name"]
        for each in declarations_in(text, keys, macros)
        if not _IN_CLASS.search(each["type"])
    }
    return {
        each: meant_by(text, each)
        for each in named
        if not re.fullmatch(keys.plain, each) and not _is_named_here(text, each)
    }


def _is_named_here(text: str, name: str) -> bool:
    """Whether a file defines a class of that name, or means another type by it."""
    meant = meant_by(text, name)
    if meant != name:
        return defines(text, _last(meant))
    return defines(text, name) or re.search(_OTHER.format(name), text) is not None


def _last(name: str) -> str:
    return name.rpartition(":")[2].strip()


def _doing(
    path: str, names: Mapping[str, str], graph: IncludeGraph, texts: TreeTexts, keys: Keys
) -> Iterator[tuple[str, str]]:
    headers = graph.with_headers((path,)) - {path}
    for name, known in sorted(names.items()):
        meant = known
        if known == name:  # A header may give another class that name.
            having = [each for each in headers if texts.has(each, (name,))]
            meanings = {meant_by(texts.code(each).code, name) for each in having} - {name}
            meant = meanings.pop() if len(meanings) == 1 else name
        if meant != name and re.fullmatch(keys.library_classes, meant):
            if known == name:  # What the file itself calls so, is found without its headers.
                yield name, _LIBRARY
            continue
        own = _last(meant)
        having = [each for each in headers if texts.has(each, (own,))]
        defining = [each for each in having if defines(texts.code(each).code, own)]
        if len(defining) == 1 and (doing := doing_of(texts.code(defining[0]), own)):
            yield name, doing


def shared_class_findings(data: bytes, task: Task, rules: RuleSet) -> Iterator[Finding]:
    """One finding for each declaration with such a class."""
    rule = _rule(rules) if task.shared_classes else None
    if rule is None:
        return
    code, known, keys = Code(data), dict(task.shared_classes), rule.read(Keys)
    macros = [name for name, meant in known.items() if meant == keys.memory]
    for each in declarations_in(code.code, keys, macros):
        at = each.start("type")
        is_settled = any(
            asks(code, rules, at) for asks in (is_in_port, is_left_out_of_hip, is_never_compiled)
        )
        if each["name"] in known and not is_settled:
            doing = known[each["name"]]
            words = {"reason": keys.reasons.get(doing, keys.library_reason)}
            start, end = code.position(at), code.position(each.end("type"))
            yield rule.finding(task.name, each["type"], start, end, words)


def _rule(rules: RuleSet) -> FindingRule | None:
    return next(iter(rules.findings.checked_by(_CHECK)), None)
