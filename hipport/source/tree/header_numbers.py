"""Numbers that headers of a tree give names to, for the sizes that a file asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.source.text.include_graph import include_graph
from hipport.source.text.tree_texts import TreeTexts

_CHECK = "shared_memory"
_MOST_HEADERS = 100
_Given = dict[str, list[str]]


def asks_for_shared_memory(data: bytes, _: RuleSet) -> bool:
    """Whether a file may ask for a size of shared memory: a question about each file of a tree."""
    rule = _rule()
    if rule is None:
        return False
    if any(name.encode() in data for name in rule.names):
        return True
    is_launched = (b"<<<" in data or b"<< <" in data) and b"sizeof" in data
    return is_launched and re.search(rule.keys["named"].encode(), data.lower()) is not None


@cache
def _rule() -> FindingRule | None:
    """The rule that is about such sizes, of an audit."""
    return next(iter(load(is_audit=True).findings.checked_by(_CHECK)), None)


def header_numbers(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[tuple[str, int]]]:
    """File that asks for shared memory -> constants with one value in all headers it includes."""
    # Loads the parser, which few trees need here.
    from hipport.source.names.constants import definitions_in_file, number

    found: dict[str, frozenset[tuple[str, int]]] = {}
    known: dict[str, _Given] = {}
    for paths in trees.values():
        asking = [each for each in paths if texts.answer(asks_for_shared_memory, each)]
        if not asking:
            continue
        graph = include_graph(paths, texts)
        for path in asking:
            headers = graph.with_headers((path,)) - {path}
            if not headers or len(headers) > _MOST_HEADERS:
                continue
            given: _Given = {}
            for header in sorted(headers):
                if header not in known:
                    known[header] = _definitions(header, texts)
                for name, values in known[header].items():
                    given.setdefault(name, []).extend(values)
            code = texts.code(path).knowing(given)
            names = [
                each for each in given if each in code.words and not definitions_in_file(code, each)
            ]
            numbers = ((each, number(code, rules, each)) for each in names)
            found[path] = frozenset((name, size) for name, size in numbers if size is not None)
    return found


def _definitions(header: str, texts: TreeTexts) -> _Given:
    from hipport.source.names.byte_sizes import plain_size
    from hipport.source.names.constants import every_definition
    from hipport.source.patterns.kernel_launches.shared_memory import Keys

    rule = _rule()
    sizes = rule.read(Keys).sizes if rule else {}
    return {
        name: [plain_size(sizes, each.text) for each in given]
        for name, given in every_definition(texts.code(header)).items()
        if all(re.search(r"\w", each.text) for each in given)
    }
