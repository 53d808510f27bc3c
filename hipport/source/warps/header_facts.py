"""What HIP code takes from headers of its tree: that it is HIP, constants, and functions that go by
the wavefront's size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hipport.graph import reached
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.call_graph import callers
from hipport.source.flow.device_functions import functions
from hipport.source.names.constants import every_definition, number
from hipport.source.text.brackets import LAUNCH, occurrences
from hipport.source.text.include_directives import include_guard, includes
from hipport.source.text.include_graph import IncludeGraph
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree_warps import HeaderFact


def hip_files(direct: set[str], graph: IncludeGraph, texts: TreeTexts) -> set[str]:
    """The files that are HIP's: `direct`, and those that include one of them unconditionally."""
    found, pending = set(direct), list(direct)
    always: dict[str, set[str]] = {}
    while pending:
        header = pending.pop()
        for user in set(graph.users(header)) - found:
            if user not in always:
                always[user] = _always_included(texts.code(user))
            if any(f"/{header}".endswith(name) for name in always[user]):
                found.add(user)
                pending.append(user)
    return found


def headers_in_hip(hip: set[str], paths: Iterable[str], graph: IncludeGraph) -> set[str]:
    """The headers that only files which are HIP's include, through others too."""
    theirs = graph.with_headers(hip)
    return theirs - hip - graph.with_headers(set(paths) - theirs)


def _always_included(code: Code) -> set[str]:
    """How the paths of the headers end that a file includes unconditionally."""
    branches = (), include_guard(code)
    lines = includes(code)
    return {f"/{name.lstrip('./')}" for name, directive in lines if directive.branch in branches}


def facts_of_headers(
    files: set[str], graph: IncludeGraph, texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[HeaderFact]]:
    """Header that one of the files includes, through others too -> what it has for them.

    Only for files that follow lanes, or launch kernels where a header names the wavefront's size.
    """
    sizes = rules.lanes.warp_size
    words = _words_of_lanes(rules)
    launching: set[str] = set()
    asking: set[str] = set()
    for each in files:
        if _launches(texts.read(each), rules):
            launching.add(each)
        if texts.has(each, words):
            asking.add(each)
    sized = [each for each in graph.with_headers(launching) if texts.has(each, sizes)]
    asking |= launching & graph.with_users(sized)
    headers = graph.with_headers(header for each in asking for header in graph.headers(each))
    return {each: frozenset(_facts(texts.code(each), each, rules)) for each in headers}


def _launches(data: bytes, rules: RuleSet) -> bool:
    if rules.spellings.launch_macro.encode() in data:
        return True
    return b"<<" in data and LAUNCH.search(data.decode("latin-1")) is not None


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
