"""C sources that will include headers which are C++ in ROCm, though CUDA's are C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
from hipport.source.text.include_directives import includes
from hipport.source.text.include_graph import IncludeGraph, include_graph, included
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Included, Task, language_of

_FINDING = "HP-BUILD-007"


def cpp_headers(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[Included, ...]]:
    """C source -> the includes that lead to such headers, through headers of the tree too.

    `trees` has the C and C++ sources of each tree.
    """
    found: dict[str, tuple[Included, ...]] = {}
    for paths in trees.values():
        sources = [each for each in paths if language_of(each.rpartition("/")[2]) == "c"]
        direct = _direct(paths, texts, rules) if sources else {}
        if not direct:
            continue
        graph = include_graph(paths, texts)
        leading = {path: graph.with_users((path,)) for path in direct}
        for source in sources:
            if every := tuple(_included(source, direct, leading, graph, texts)):
                found[source] = every
    return found


def _direct(
    paths: list[str], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[tuple[str, str], ...]]:
    """File -> the headers that it includes itself, each with what takes its place."""
    found = {}
    for path in paths:
        every = []
        for name in texts.answer(included, path):
            rule = rules.headers.get(name)
            if rule and rule.hip in rules.build_files.cpp_headers.names:
                every.append((name, rule.hip))
        if every:
            found[path] = tuple(every)
    return found


def _included(
    source: str,
    direct: dict[str, tuple[tuple[str, str], ...]],
    leading: dict[str, set[str]],
    graph: IncludeGraph,
    texts: TreeTexts,
) -> Iterator[Included]:
    """The first include of a source that leads to each header."""
    seen = {hip for _, hip in direct.get(source, ())}
    yield from (Included(cuda, cuda, hip) for cuda, hip in direct.get(source, ()))
    for name in texts.answer(included, source):
        node = graph.node(name, source)
        headers = set(graph.files(node)) if node else set()
        for path, users in leading.items():
            if headers.isdisjoint(users):
                continue
            for cuda, hip in direct[path]:
                if hip not in seen:
                    seen.add(hip)
                    yield Included(name, cuda, hip)


def cpp_header_findings(data: bytes, task: Task, rules: RuleSet) -> Iterator[Finding]:
    """One finding for each header, at the include that leads to it."""
    code = Code(data)
    rule = rules.findings[_FINDING]
    lines = dict(reversed(list(includes(code))))
    for each in task.cpp_headers:
        if each.name in lines:
            span = lines[each.name].body
            words = {"cuda": each.cuda, "hip": each.hip}
            start, end = code.position(span.start), code.position(span.end)
            yield rule.finding(task.name, each.name, start, end, words)
