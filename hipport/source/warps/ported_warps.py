"""What a tree already has for warps on AMD: constants, macros and functions from its port.

Code that uses them counts on the wavefront, so that conversion leaves its warps alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.names.hip_branches import is_in_port, is_left_out_of_hip
from hipport.source.names.scanned_declarations import (
    definitions_of,
    function_bodies,
    is_before_parentheses,
)
from hipport.source.text.brackets import closing_brace
from hipport.source.text.include_directives import include_guard, includes
from hipport.source.text.include_graph import include_graph
from hipport.source.text.quick_search import matches
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree_warps import NO_WARPS, HeaderFact, TreeWarps

_STEM = 8
_HIP = b"hip/"
_DEVICE = b"__device__"
_RESERVED = regex(rb"__[a-z]\w+")
_MACRO = regex(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)")
_CONDITION = regex(rb"#[ \t]*+(?:el)?if[^\\\n]*+(?:\\.[^\\\n]*+)*+\n?", re.DOTALL)
_CLASS = r"\b(?:struct|class|union)\b[^;{}()]*\{"


def tree_warps(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> Callable[[str, str], TreeWarps]:
    """What a file's tree has for warps, given both.

    `trees` has the C and C++ sources of each tree.
    """
    theirs = frozenset(rules.warps.native)
    shared = _shared_word(theirs).encode()
    stems = {name[:_STEM].encode() for name in theirs}
    lacking = frozenset(rules.device_functions.helpers)
    reserved = frozenset(map(str.encode, lacking))
    native: dict[str, dict[str, frozenset[str]]] = {}
    own: dict[str, frozenset[str]] = {}
    hip: dict[str, set[str]] = {}
    defined: dict[str, dict[str, frozenset[str]]] = {}
    for root, name in ((root, name) for root, sources in trees.items() for name in sources):
        data = texts.read(name)
        if _HIP in data or _tests_for_amd(data, rules):
            code = texts.code(name)
            if is_hip(code, rules):
                hip.setdefault(root, set()).add(name)
            if macros := _macros_in(code, data, rules):
                defined.setdefault(root, {})[name] = macros
            names = names_in(code, rules)
            if names:
                native.setdefault(root, {})[name] = names
        has_warps = shared in data and any(stem in data for stem in stems)
        if has_warps or _may_define(data, reserved):
            own[root] = own.get(root, frozenset()) | defined_in(texts.code(name), theirs | lacking)
    known: dict[str, TreeWarps] = {}
    for root in native.keys() | hip.keys():
        theirs_of_root = native.get(root, {}), hip.get(root, set()), defined.get(root, {})
        known |= _known(trees[root], *theirs_of_root, texts, rules)
    return lambda root, path: known.get(path, NO_WARPS)._replace(own=own.get(root, frozenset()))


def _shared_word(names: frozenset[str]) -> str:
    """The longest word that is in all of the names; "" if there is none."""
    words = (frozenset(each.split("_")) for each in names)
    return max(frozenset.intersection(*words), key=len, default="")


def _tests_for_amd(data: bytes, rules: RuleSet) -> bool:
    """Whether a condition of a file has a macro of AMD's."""
    conditions = b"".join(_CONDITION.findall(data)).decode("latin-1")
    return bool(conditions) and any(matches(rules.device_code.ported_macros, conditions, re.NOFLAG))


def _may_define(data: bytes, functions: frozenset[bytes]) -> bool:
    """Whether a file may define one of CUDA's device functions: it has its name, as few have."""
    return _DEVICE in data and not functions.isdisjoint(_RESERVED.findall(data))


def _known(
    paths: list[str],
    native: dict[str, frozenset[str]],
    hip: set[str],
    defined: Mapping[str, frozenset[str]],
    texts: TreeTexts,
    rules: RuleSet,
) -> dict[str, TreeWarps]:
    """File -> what headers have for it."""
    graph = include_graph(paths, texts)
    names = graph.handed_on(native)
    macros = graph.handed_on(defined)
    nothing: frozenset[Any] = frozenset()
    facts: Mapping[str, frozenset[HeaderFact]] = {}
    inside: set[str] = set()
    if hip:
        # Most trees have no file of HIP's: these pay for loading it.
        from hipport.source.warps.header_facts import facts_of_headers, headers_in_hip, hip_files

        hip = hip_files(hip, graph, texts)
        inside = headers_in_hip(hip, paths, graph)
        facts = graph.handed_on(facts_of_headers(hip, graph, texts, rules))
    return {
        path: TreeWarps(
            names.get(path, nothing),
            is_hip=path in hip,
            facts=facts.get(path, nothing) if path in hip else nothing,
            macros=macros.get(path, nothing),
            is_in_hip=path in inside,
        )
        for path in names.keys() | hip | inside | macros.keys()
    }


def _macros_in(code: Code, data: bytes, rules: RuleSet) -> frozenset[str]:
    """The macros of CUDA's alone that a file defines for AMD."""
    theirs = rules.device_code.macros_of_cuda_only
    present = theirs.intersection(map(bytes.decode, _MACRO.findall(data)))
    return macros_for_amd(code, rules, present) if present else present


def macros_for_amd(code: Code, rules: RuleSet, names: frozenset[str]) -> frozenset[str]:
    """Those of the names that a file defines as macros, other than for NVIDIA's GPUs only."""
    return frozenset(
        each.name
        for each in definitions_of(code, names)
        if each.is_macro and not is_left_out_of_hip(code, rules, each.offset)
    )


def defined_in(code: Code, names: frozenset[str]) -> frozenset[str]:
    """Those of the names that a file defines, as macros, constants or functions."""
    present = names & code.words
    if not present:
        return present
    functions = present.intersection(each.name for each in function_bodies(code))
    return functions.union(each.name for each in definitions_of(code, present))


@lru_cache(maxsize=2)
def names_in(code: Code, rules: RuleSet) -> frozenset[str]:
    """The names for warps that a file defines for AMD: under a test for it, with one inside, or in
    a file that is HIP's."""
    if not code.has_word(rules.device_code.ported_macros) and not is_hip(code, rules):
        return frozenset()
    speaking = code.words_with(rules.warps.words)
    if not speaking:
        return frozenset()
    variables = _variables_for_amd(code, rules, speaking)
    return frozenset((*variables, *_functions_for_amd(code, rules, speaking)))


def _variables_for_amd(code: Code, rules: RuleSet, speaking: set[str]) -> Iterator[str]:
    found = list(definitions_of(code, speaking))
    functions = function_bodies(code) if found else []
    starts = [each.inside.start for each in functions]
    for name, at, is_macro in found:
        index = bisect_right(starts, at) - 1
        if not is_macro and index >= 0 and at < functions[index].inside.end:
            continue  # A variable of a function.
        if is_hip(code, rules) or is_in_port(code, rules, at):
            yield name


def _functions_for_amd(code: Code, rules: RuleSet, speaking: set[str]) -> Iterator[str]:
    called = {name for name in speaking if is_before_parentheses(code.code, name)}
    found = [each for each in function_bodies(code) if each.name in called] if called else []
    if not found:
        return
    members = [
        Span(each.end(), closing_brace(code.code, each.end() - 1) or each.end())
        for each in code.finditer(_CLASS, re.NOFLAG)
    ]
    inside = [
        each.body.start for each in code.directives if is_in_port(code, rules, each.body.start + 1)
    ]
    for name, start, body in found:
        if any(each.start <= start < each.end for each in members):
            continue
        first = bisect_right(inside, body.start)
        if (
            is_hip(code, rules)
            or is_in_port(code, rules, start)
            or (first < len(inside) and inside[first] < body.end)
        ):
            yield name


@lru_cache(maxsize=2)
def is_hip(code: Code, rules: RuleSet) -> bool:
    """Whether a file is written for HIP: it includes a header of HIP's, whatever the conditions.

    A file that includes the helpers was converted: its warps have 32 lanes.
    """
    folder = rules.runtime_header.header.partition("/")[0]
    if not code.mentions((f"{folder}/",)) or has_helper(code, rules):
        return False
    guard = include_guard(code)
    return any(
        name.startswith(f"{folder}/") and directive.branch in ((), guard)
        for name, directive in includes(code)
    )


def has_helper(code: Code, rules: RuleSet) -> bool:
    """Whether a file was converted: it includes the header of helpers."""
    header = rules.warps.header
    return code.mentions((header,)) and any(name.endswith(header) for name, _ in includes(code))
