"""What HIP code takes from headers of its tree: that it is HIP, constants, and functions that go by
the wavefront's size."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.graph import Graph, reached
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.call_graph import callers
from hipport.source.flow.device_functions import functions
from hipport.source.names.constants import every_definition, number
from hipport.source.text.brackets import LAUNCH, occurrences
from hipport.source.text.include_directives import include_guard, includes
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree_warps import HeaderFact


def hip_files(direct: set[str], users: Graph, texts: TreeTexts) -> set[str]:
    """The files that are HIP's: `direct`, and those that include one of them unconditionally.

    `users` leads from a header to the files that include it.
    """
    found, pending = set(direct), list(direct)
    while pending:
        header = pending.pop()
        for user in set(users.get(header, ())) - found:
            if _always_includes(texts.code(user), header):
                found.add(user)
                pending.append(user)
    return found


def _always_includes(code: Code, header: str) -> bool:
    guard = include_guard(code)
    return any(
        f"/{header}".endswith(f"/{name.lstrip('./')}") and directive.branch in ((), guard)
        for name, directive in includes(code)
    )


def facts_of_headers(
    files: set[str], graph: Graph, users: Graph, texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[HeaderFact]]:
    """Header that one of the files includes, through others too -> what it has for them.

    Only for files that follow lanes, or launch kernels where a header names the wavefront's size.
    """
    sizes = rules.lanes.warp_size
    launching = {each for each in files if _launches(texts.code(each).text, rules)}
    sized = [each for each in reached(graph, launching) if texts.has(each, sizes)]
    words = _words_of_lanes(rules)
    asking = {each for each in files if texts.has(each, words)}
    asking |= launching & reached(users, sized)
    headers = reached(graph, (header for each in asking for header in graph.get(each, ())))
    return {each: frozenset(_facts(texts.code(each), each, rules)) for each in headers}


def _launches(text: str, rules: RuleSet) -> bool:
    return rules.spellings.launch_macro in text or LAUNCH.search(text) is not None


def _words_of_lanes(rules: RuleSet) -> list[str]:
    """The texts of which a file that follows lanes has one."""
    lanes = rules.lanes
    every = {name.partition(".")[0] for name in lanes.thread}.union(
        lanes.warp_size, lanes.lane_functions, lanes.set_functions, rules.warps.helpers
    )
    # `__shfl_down` says no more than `__shfl`.
    return [each for each in every if sum(other in each for other in every) == 1]


def _facts(code: Code, path: str, rules: RuleSet) -> Iterator[HeaderFact]:
    words = rules.lanes
    for name, every in every_definition(code).items():
        for each in every:
            is_mask = any(re.fullmatch(shape, each.text) for shape in words.masks.values())
            if is_mask or number(code, rules, each.text) in words.constants:
                yield HeaderFact(name, each.text)
    sizes = [at for name in words.warp_size for at in occurrences(code.code, name)]
    if not sizes:
        return
    on_device = functions(code, rules)
    calls = callers(code.code, on_device)
    for function in on_device:
        own = [at for at in sizes if function.body.start < at < function.body.end]
        for name in reached(calls, (function.name,)) if own else ():
            place = f"{code.position(own[0]).line} of {path.rpartition('/')[2]}"
            yield HeaderFact(name, place, is_function=True)
