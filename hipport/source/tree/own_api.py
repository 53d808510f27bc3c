"""Finds files that use a tree's own declarations of the CUDA API, made to load it at run time.

Such a tree includes no CUDA header for that library: the types it declares would differ from HIP's,
and it would still look up CUDA functions. All names of the library stay, or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.text.brackets import occurrences
from hipport.source.text.include_graph import include_graph, included
from hipport.source.text.tree_texts import TreeTexts

_LOADS = (b"dlsym", b"GetProcAddress")
# One expression per beginning: the engine finds fixed text fastest.
_TYPES = tuple(
    map(
        regex,
        (
            rb"typedef\b[^;{}()#]*?\b(\w+)\s*;",
            rb"\}\s*(\w+)\s*;",
            rb"enum\s+(\w+)\s*\{",
            rb"struct\s+(\w+)\s*\{",
        ),
    )
)


def own_api(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, dict[str, str]]:
    """File -> the libraries whose declarations it takes from its own tree, with their header.

    `trees` has the C and C++ sources of each tree.
    """
    found: dict[str, dict[str, str]] = {}
    for root, sources in trees.items():
        if not any(texts.answer(loads, name) for name in sources):
            continue
        every = ((name, _declared(name, texts, rules)) for name in sources)
        declaring = {name: libraries for name, libraries in every if libraries}
        if not declaring:
            continue
        graph = include_graph(sources, texts)
        for header, libraries in declaring.items():
            group = graph.with_users((header,))
            if any(texts.answer(loads, each) for each in group):
                place = str(PurePosixPath(header).relative_to(root))
                for library in libraries - set(_of_cuda(group, texts, rules)):
                    for each in group:
                        found.setdefault(each, {})[library] = place
    return found


def loads(data: bytes, _: RuleSet) -> bool:
    """Whether a file looks functions up at run time: a question about each file of a tree."""
    return any(mark in data for mark in _LOADS)


def _declared(path: str, texts: TreeTexts, rules: RuleSet) -> set[str]:
    """The libraries whose types a file defines, unless it is a copy of a CUDA header."""
    data = texts.read(path)
    if b"typedef" not in data or path.rpartition("/")[2] in rules.headers:
        return set()
    written = {name.decode() for shape in _TYPES for name in shape.findall(data)}
    candidates = {each for each in written if each in rules.names and rules.unknown.fullmatch(each)}
    if not candidates:
        return set()
    # Loads the parser, which few trees need here.
    from hipport.source.names.declared_names import Declarations

    code = texts.code(path)
    declarations = Declarations(code)
    whole = Span(0, len(data))
    return {
        rules.names[each]
        for each in candidates
        if (rule := rules.api(each)) and rule.kind == "type"
        for at in occurrences(code.code, each)
        if whole in (declarations.scope(Span(at, at + len(each))) or ())
    }


def _of_cuda(paths: Iterable[str], texts: TreeTexts, rules: RuleSet) -> Iterator[str]:
    """The libraries whose CUDA header is included."""
    for path in paths:
        for name in texts.answer(included, path):
            rule = rules.headers.get(name)
            if rule:
                yield rule.library
