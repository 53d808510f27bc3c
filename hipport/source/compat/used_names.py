"""What a tree uses of CUDA, and how a header can give each name its HIP meaning.

Conversion is asked about every name, so that header and converter never disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from hipport.lazy_regex import regex
from hipport.model import Finding, Severity
from hipport.named_tuples import NamedTuple
from hipport.rulebook.model import parse_version
from hipport.source.convert.include_lines import rewrite_includes
from hipport.source.names.counterparts import Decision, Decisions
from hipport.source.names.uses import find_uses, names_of_interest
from hipport.source.patterns.run_patterns import find_patterns, fix_patterns
from hipport.source.source_file import Unit
from hipport.source.text.edit_list import EditList
from hipport.source.text.include_directives import INCLUDES
from hipport.source.text.source_text import Code
from hipport.source.text.span_set import SpanSet
from hipport.source.warps.kept_warps import is_native

MARK = "// Written by hipport compat"
"""How the header's first line begins: a header in the tree is not taken for code of the tree."""
_NAME = regex(r'[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")')
_API, _CHECK = "api:", "check:"
_HELPER, _WARPS, _WARP = "rewrite:warp-function", "rewrite:warp-", "HP-WARP-030"


class Needed(NamedTuple):
    """A CUDA header that the tree includes, and what HIP has in its place ("" for nothing).

    `fault` says why there is nothing; `in_c` whether a C file includes it.
    """

    cuda: str
    hip: str
    fault: str
    library: str
    in_c: bool


class Survey(msgspec.Struct):
    """What files use of CUDA."""

    names: set[str] = msgspec.field(default_factory=set)
    """Names with a counterpart; of namespaces, the full name."""
    calls: dict[str, set[int]] = msgspec.field(default_factory=dict)
    """Functions whose calls change -> how many arguments they are called with."""
    helpers: set[str] = msgspec.field(default_factory=set)
    """Of the names, those that helpers stand in for."""
    headers: dict[str, Needed] = msgspec.field(default_factory=dict)
    findings: list[Finding] = msgspec.field(default_factory=list)
    """What a person has to see to."""

    def add(self, other: Survey) -> None:
        self.names |= other.names
        self.helpers |= other.helpers
        self.findings += other.findings
        for name, counts in other.calls.items():
            self.calls.setdefault(name, set()).update(counts)
        for name, header in other.headers.items():
            known = self.headers.get(name, header)
            self.headers[name] = header._replace(in_c=known.in_c or header.in_c)


def survey(
    data: bytes,
    path: str,
    language: str,
    decisions: Decisions,
    is_beside: Callable[[str], bool],
) -> Survey:
    """What one source file uses; nothing for a header that this module's command wrote."""
    found = Survey()
    code = Code(data)
    names = None if code.text.startswith(MARK) else names_of_interest(code, decisions)
    if names is None:
        return found
    from hipport.source.convert.renaming import find_declared, rename

    unit = Unit(path, language, code, decisions, is_beside)
    for use in find_uses(unit.code, names, unit.rules):
        unit.uses.setdefault(use.name, []).append(use)
    find_declared(unit, decisions)
    # A header speaks for all files of the tree.
    libraries = unit.rules.libraries
    unit.withheld = frozenset(name for name in libraries if libraries[name].policy == "whole")
    found.headers = _headers(unit, decisions)
    rewrite_includes(unit, decisions, needs_runtime=False)
    unit.keeps_warps = lambda offset: not is_native(unit, offset)
    rename(unit, decisions)
    found.helpers = {unit.code.slice(each.span) for each in unit.edits if each.rule == _HELPER}
    found.names = {each.rule.removeprefix(_API) for each in unit.edits if _API in each.rule}
    found.names |= found.helpers
    for name in found.names:
        decision = decisions.of(name)
        if decision and decision.transforms:
            found.calls[name] = set(_counts(unit, name))
    _report_warps(unit)
    find_patterns(unit)
    found.findings = [each for each in _with_guards(unit) if each.severity >= Severity.MANUAL]
    return found


def _report_warps(unit: Unit) -> None:
    """Report what conversion rewrites for warps of 32 lanes, and what a header cannot."""
    before = unit.edits
    unit.edits = EditList(before)
    fix_patterns(unit, only_warps=True)
    made = [each for each in unit.edits if each.rule.startswith(_WARPS) and each not in before]
    unit.edits, unit.answered = before, SpanSet()
    for each in made:
        symbol = " ".join(unit.code.slice(each.span).split()) or each.new.decode().strip(", ")
        unit.report(_WARP, each.span, symbol, {"new": each.new.decode()})


def _with_guards(unit: Unit) -> Iterable[Finding]:
    """The findings; conversion changes tests of CUDA's macros, but a header cannot."""
    changed = {
        (each.rule.removeprefix(_CHECK), unit.code.position(each.span.start)): each.new.decode()
        for each in unit.edits
        if each.rule.startswith(_CHECK)
    }
    for finding in unit.findings:
        new = changed.get((finding.code, finding.start))
        if new:
            message = f"`{finding.symbol}` is not defined under HIP: test `{new}` as well"
            finding = replace(finding, message=message, severity=Severity.MANUAL)
        yield finding


def _counts(unit: Unit, name: str) -> Iterable[int]:
    """With how many arguments a function is called, if that is known."""
    from hipport.source.languages.cuda_syntax import parse_call

    for use in unit.of([name]):
        call = parse_call(unit.code, use.span)
        if call:
            yield len(call.arguments)


def _headers(unit: Unit, decisions: Decisions) -> dict[str, Needed]:
    """The CUDA headers that a file includes."""
    found = {}
    for directive in unit.code.directives:
        match = _NAME.match(unit.code.text, directive.body.start)
        if directive.keyword not in INCLUDES or match is None:
            continue
        name = match[1] or match[2]
        rule = decisions.header(name)
        if rule is None or rule.action in ("keep", "unknown", "torch"):
            continue
        if match[2] and unit.is_beside(name):
            continue
        hip, fault = "", ""
        if rule.action == "map" and rule.library not in unit.withheld:
            hip = decisions.counterpart(rule)
            if parse_version(rule.hip_added) > decisions.options.rocm:
                hip, fault = "", f"<{hip}> came with ROCm {rule.hip_added}"
        elif rule.action != "drop":
            fault = rule.note or "HIP has no such header"
        found[name] = Needed(name, hip, fault, rule.library, unit.language == "c")
    return found


def call_form(decisions: Decisions, name: str, count: int, language: str) -> str:
    """What conversion makes of `name(a0, a1, ...)`; "" if it leaves such a call alone."""
    from hipport.source.convert.pipeline import convert_source

    arguments = ", ".join(f"a{number}" for number in range(count))
    before, behind = "void f() { ", "; }\n"
    text = f"{before}{name}({arguments}){behind}"
    made = convert_source(text.encode(), "", language, decisions).data.decode()
    made = made[made.index(before) :]
    return "" if made == text else made.removeprefix(before).removesuffix(behind)


def operations(decision: Decision) -> set[str]:
    """What is done to a call beyond renaming it."""
    return {each.operation for each in decision.transforms} - {"differs"}
