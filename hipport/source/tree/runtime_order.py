"""Finds CUDA files that need the runtime header first, because of headers that they include.

nvcc includes cuda_runtime.h before the first line of each CUDA file, so a tree's headers can use
its names without including it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.source.convert.runtime_include import covers_all
from hipport.source.text.brackets import occurrences
from hipport.source.text.include_directives import first_place, include_guard, includes
from hipport.source.text.include_graph import IncludeGraph, include_graph, included
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import language_of

_DEEPEST = 100
_MOST_WORDS = 100_000


class _Kind(IntEnum):
    """What a file contains first, itself or in a header that it includes."""

    NOTHING = 0
    MACRO = 1
    """A macro whose text uses a name of the runtime header, which may still follow."""
    OWN = 2
    """A macro of a name that the runtime header has for something else."""
    HEADER = 3
    """The runtime header itself."""
    NAME = 4
    LATE = 5
    """The runtime header behind such a macro."""


class _Event(NamedTuple):
    offset: int
    kind: _Kind
    header: str = ""
    """What an include means, as `IncludeGraph.node` has it: what that contains is looked up when it
    matters."""


def needs_runtime_first(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> frozenset[str]:
    """The CUDA files that use names of the runtime header before it, in headers of their tree.

    `trees` has the C and C++ sources of each tree.
    """
    found: set[str] = set()
    for sources in trees.values():
        names = [
            each
            for each in sources
            if each.endswith(rules.file_kinds.translation_units) and language_of(each) == "cuda"
        ]
        if not names:
            continue
        graph = include_graph(sources, texts)
        order = _Order(graph, texts, rules)
        headers = filter(graph.is_included, graph.with_headers(names))
        naming = list(filter(order.uses_names, headers))
        # The others include no header that could need the runtime header before it.
        in_doubt = graph.with_users(naming).intersection(names)
        order.look_into(graph.with_headers(in_doubt), naming)
        found.update(filter(order.lacks_header, in_doubt))
    return frozenset(found)


class _Order:
    """The order of the runtime header and uses of its names in the files of one tree."""

    def __init__(self, graph: IncludeGraph, texts: TreeTexts, rules: RuleSet) -> None:
        self._graph = graph
        self._texts = texts
        self._rules = rules
        self._known: dict[str, _Kind] = {}
        device = rules.device_code
        self._of_language = (device.keywords - device.clang_keywords).union(device.variables)
        # It begins with a fixed text, which the engine finds fastest.
        self._vector_types = re.compile(f" ({rules.runtime_header.vector_types})(?= )")
        self._own_macro = re.compile(rf"\s*(?:{rules.runtime_header.own_macros})\b")
        self._seen: set[str] = set()
        self._wanted: set[str] = set()
        """Those of the seen words that are names of the runtime header."""

    def lacks_header(self, unit: str) -> bool:
        """Whether a unit uses names before it includes the header, or never includes it."""
        events = self._included(unit, self._texts.code(unit))
        return self._first(events, 0) in (_Kind.MACRO, _Kind.NAME, _Kind.LATE)

    def _of(self, header: str, depth: int) -> _Kind:
        """Whichever comes first in what an include means: a name, or the runtime header."""
        if header not in self._known:
            self._known[header] = _Kind.NOTHING  # Ends the recursion if a header includes itself.
            files = self._graph.files(header)
            if files == (header,):
                code = self._texts.code(header)
                names = self._names_in(code)
                events = [*self._included(header, code), *self._uses(header, code, names)]
                events += self._macros(code)
                self._known[header] = self._first(events, depth)
            else:
                self._known[header] = _joined({self._of(each, depth) for each in files})
        return self._known[header]

    def _first(self, events: Iterable[_Event], depth: int) -> _Kind:
        """The first kind that decides; the headers behind it need not be read."""
        found: set[_Kind] = set()
        for _, kind, header in sorted(events, key=_order):
            if header and depth < _DEEPEST:
                kind = self._of(header, depth + 1)
            if kind == _Kind.HEADER and _Kind.OWN in found:
                return _Kind.LATE
            if kind in (_Kind.HEADER, _Kind.NAME, _Kind.LATE):
                return kind
            found.add(kind)
        return _Kind.MACRO if _Kind.MACRO in found else max(found, default=_Kind.NOTHING)

    def look_into(self, files: set[str], naming: list[str]) -> None:
        """Pass over those files that contain nothing of interest, nor does what they include."""
        own = (each for each in files if self._includes_runtime(each))
        found = self._graph.with_users((*naming, *own))
        self._known.update(dict.fromkeys(files - found, _Kind.NOTHING))

    def _includes_runtime(self, path: str) -> bool:
        return any(map(self._rules.is_runtime_header, self._texts.answer(included, path)))

    def uses_names(self, header: str) -> bool:
        """Whether a header has any of the names, comments and literals included.

        Or whether it defines macros whose names the runtime header has for something else.
        """
        code = self._texts.code(header)
        return bool(self._names_in(code)) or any(self._macros(code))

    def _names_in(self, code: Code) -> set[str]:
        """Those in a text, comments and literals included; files of a tree share most words."""
        if len(self._seen) > _MOST_WORDS:
            self._seen, self._wanted = set(), set()
        new = code.words - self._seen
        self._seen |= new
        self._wanted |= new & self._of_language
        self._wanted.update(filter(self._is_runtime, self._rules.names.among(new)))
        self._wanted.update(self._vector_types.findall(f" {' '.join(new)} "))
        return self._wanted & code.words

    def _is_runtime(self, name: str) -> bool:
        """Whether the runtime header certainly declares a name of the API."""
        rules = self._rules
        is_declared = rules.names[name] in rules.runtime_header.libraries
        return is_declared and rules.unknown.fullmatch(name)

    def _included(self, path: str, code: Code) -> Iterator[_Event]:
        """What each include of a file contributes."""
        if not code.mentions(("include",)):
            return
        lines = []
        for name, directive in includes(code):
            rule = self._rules.headers.get(name)
            is_quoted = code.slice(directive.body).lstrip().startswith('"')
            header = self._graph.node(name, path) if is_quoted or not rule else ""
            if header:
                yield _Event(directive.span.start, _Kind.NOTHING, header)
            elif self._rules.is_runtime_header(name):
                lines.append(directive)
        if lines and covers_all(code, self._rules, [each.branch for each in lines]):
            yield _Event(lines[0].span.start, _Kind.HEADER)

    def _macros(self, code: Code) -> Iterator[_Event]:
        """The macros of names that the runtime header has, which nvcc has read before."""
        for each in code.directives if code.mentions(("define",)) else ():
            if each.keyword == "define" and self._own_macro.match(code.slice(each.body)):
                yield _Event(each.span.start, _Kind.OWN)

    def _uses(self, path: str, code: Code, names: set[str]) -> Iterator[_Event]:
        """The first use of each name, after the header if conversion adds it to the file."""
        guard = include_guard(code) if names else ()
        keywords = self._rules.device_code.keywords & code.words
        is_device = language_of(path) == "cuda"
        for name in names | (keywords if names else set()):
            for at in occurrences(code.code, name):
                directive = code.directive_at(at)
                if directive is None and name in keywords and code.branch_at(at) in ((), guard):
                    is_device = True
                if name in names and (directive is None or directive.keyword == "define"):
                    yield _Event(at, _Kind.MACRO if directive else _Kind.NAME)
        if is_device and names:
            yield _Event(first_place(code), _Kind.HEADER)


def _order(event: _Event) -> tuple[int, bool, _Kind]:
    """Where conversion adds the runtime header, it comes before the include that is there."""
    return event.offset, bool(event.header), event.kind


def _joined(kinds: set[_Kind]) -> _Kind:
    """What an include contributes if it may mean any of several headers."""
    if kinds == {_Kind.HEADER}:
        return _Kind.HEADER
    return max(kinds - {_Kind.HEADER}, default=_Kind.NOTHING)
