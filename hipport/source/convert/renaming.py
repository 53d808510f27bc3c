"""Renames CUDA's names, and reports those that stay."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.model import ApiRule
from hipport.rulebook.rules import RuleSet
from hipport.source.convert.namespaces import is_namespace_of_library, rename_namespace
from hipport.source.flow.sought_names import is_sought
from hipport.source.flow.switches import is_set_too_late, is_switch
from hipport.source.flow.told_values import statement_start
from hipport.source.names.counterparts import Decision, Decisions
from hipport.source.names.declaring_tokens import is_variable_of_macro, surely_declares
from hipport.source.names.forward_declarations import (
    TAGS,
    declares_opaque_type,
    is_forward_declaration,
)
from hipport.source.names.library_shapes import whole_library
from hipport.source.names.made_names import is_member_by_macro, maker_of
from hipport.source.names.stand_in_declarations import maps_to_hip, stands_in
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip, word_before
from hipport.source.text.include_directives import includes
from hipport.source.text.span_set import SpanSet
from hipport.source.warps.kept_warps import is_call_of_overload

_NOT_TOLD = frozenset(("namespace", "switch"))
"""Kinds of names whose declarations need no word, or have findings of their own."""
_POINTER = regex(r"\s*\(\s*\*")
_COMPARED = regex(
    r"(?:[(,;?:]|&&|\|\||(?<![=!<>])=|\breturn\b)\s*"
    r"(?P<comparison>[A-Za-z_]\w*(?:(?:\.|->)\w+)*\s*(?P<operator>[=!]=)\s*)\Z"
)
_BEHIND_COMPARED = regex(r"\s*(?:[),;?]|&&|\|\|)")
_LONGEST_COMPARED = 200
_IN_TAG = regex(r"\{[{%][^}]*\Z")
_ASKED = regex(r"\bdefined[\s(]*\Z")
_BLANKS = (" ", "\t")
_NEWLINES = ("\n", "\r\n")
_REST_OF_LINE = regex(r"[ \t]*\r?\n")


def find_declared(unit: Unit, decisions: Decisions) -> None:
    """Record which names of interest the file declares itself, and report those that CUDA has."""
    watched, namespaces = unit.rules.watched, unit.rules.namespaces
    everywhere = [Span(0, len(unit.code.data))]
    for name, uses in unit.uses.items():
        if unit.is_declared(name):
            place = unit.own_api[unit.rules.names[name]]
            unit.report("HP-SEM-003", uses[0].span, name, {"place": place})
            continue
        if name in watched and name not in namespaces and not decisions.of(name):
            continue
        rule = unit.rules.api(name)
        plain = [use for use in uses if not use.is_member and use.qualifier is None]
        if rule is None and any(surely_declares(unit.code.code, use.span) for use in plain):
            # What no rule is about is never renamed: how far its declaration reaches is all one.
            unit.declared.add(name)
            unit.scopes.setdefault(name, SpanSet()).add(everywhere)
            continue
        for use in plain:
            scope = unit.declarations.scope(use.span)
            if use.span.start in unit.meanings.vendor:
                # Another declaration of what CUDA's headers declare: renamed like its uses, but for
                # one whose parameters would have to be changed.
                decision = decisions.of(name)
                if scope is None or not (decision and decision.transforms):
                    continue
                unit.meanings.vendor.remove(use.span.start)
            if scope is None and _declares_tag(unit, use, decisions.of(name)):
                scope = everywhere
            if scope is None or (rule and rule.kind == "namespace" and _reopens(unit, rule, use)):
                continue
            if _is_renamed_with(unit, use, decisions.of(name)):
                continue
            if rule and rule.status == "dropped" and _POINTER.match(unit.code.code, use.span.end):
                continue  # `typedef int CUDAAPI (*f)(int);`: no function, a mark of what is.
            if rule and rule.kind == "switch" and not is_set_too_late(unit, rule):
                continue  # It is set for CUDA's headers, and HIP's read their own.
            unit.declared.add(name)
            unit.scopes.setdefault(name, SpanSet()).add(scope)
            # A parameter or switch of that name is no mistake: only conversion says that it stays.
            is_common = everywhere[0] not in scope or is_switch(unit, use)
            if rule is None or (unit.rules.is_audit and is_common):
                continue
            is_renamed = rule.hip != name and rule.kind not in _NOT_TOLD
            if not is_renamed or unit.rules.is_common_word(rule):
                continue
            # With such a macro, uses get HIP's name whether they see it or not.
            if not maps_to_hip(unit.code, unit.rules, use.span):
                unit.report("HP-API-008", use.span, name)


def _is_renamed_with(unit: Unit, use: Use, decision: Decision | None) -> bool:
    """Whether a declaration stands in for CUDA's own, and gets HIP's name as its uses do."""
    if decision is None or not decision.new or decision.transforms:
        return False
    if unit.code.code[slice(*word_before(unit.code.code, use.span.start))] in TAGS:
        return False  # HIP's name is that of a type: the tag would go.
    return stands_in(unit.code, unit.rules, use.span.start, decision.new)


def _reopens(unit: Unit, rule: ApiRule, use: Use) -> bool:
    """Whether `namespace cub {` adds to the library's own: its header is included, at the top."""
    if not unit.declarations.is_outermost(use.span):
        return False
    return any(
        (header := unit.rules.headers.get(name)) and header.library == rule.library
        for name, _ in includes(unit.code)
    )


def withheld(unit: Unit, decisions: Decisions) -> frozenset[str]:
    """The libraries with the policy `whole` that the file does not use, or uses what stays of."""
    found: dict[str, list[str]] = {
        name: [] for name, each in unit.rules.libraries.items() if each.policy == "whole"
    }
    for name in unit.uses:
        decision = decisions.of(name)
        if decision and decision.rule.library in found and (uses := unit.of([name])):
            fits = not decision.transforms or all(_is_call(unit, use) for use in uses)
            found[decision.rule.library].append(decision.new if fits else "")
    return frozenset(library for library, new in found.items() if not new or not all(new))


@lru_cache(maxsize=2)
def _claimed(rules: RuleSet) -> frozenset[str]:
    """The names of which a finding speaks, and nothing else."""
    claiming = rules.findings.having("claims")
    return frozenset(name for rule in claiming for name in rule.names)


def rename(unit: Unit, decisions: Decisions) -> None:
    """Rename or report every use of every name that a rule knows."""
    claimed = _claimed(unit.rules)
    calls: list[tuple[Use, Decision]] = []
    for name, uses in unit.uses.items():
        decision = decisions.of(name)
        if name in claimed and not (decision and decision.helpers):
            decision = None
        if decision and decision.new and decision.rule.library in unit.withheld:
            advice = f"{decision.new} is its counterpart; other names of this file have none."
            decision = Decision(decision.rule, "", "HP-API-001", {"advice": advice})
        for use in uses:
            if name in unit.rules.namespaces and is_namespace_of_library(unit, use):
                rename_namespace(unit, use)
            if decision and use.span.start in unit.meanings.own:
                _report_own(unit, use, decision)
            if use.is_pasted or not _is_api(unit, use):
                continue
            if decision and decision.new and is_member_by_macro(unit.code, use):
                continue
            if unit.is_own(use) and not (decision and is_call_of_overload(unit, use, decision)):
                continue
            if decision and _is_made_into_others(unit, use, decision):
                continue
            if decision and decision.transforms:
                calls.append((use, decision))
            elif decision:
                _rename_use(unit, use, decision)
            elif name not in claimed and _is_unknown(unit, name) and _may_be_of_cuda(unit, use):
                unit.report("HP-API-002", use.span, name)
    # The innermost call first: moving an argument carries along the edits inside it.
    for use, decision in sorted(calls, key=lambda call: call[0].span, reverse=True):
        _rename_use(unit, use, decision)


def _is_made_into_others(unit: Unit, use: Use, decision: Decision) -> bool:
    """Report a name that stays, as a macro makes other names of it."""
    is_function = decision.rule.kind == "function"
    macro = maker_of(unit.code, use, is_function=is_function) if decision.new != use.name else ""
    if macro:
        unit.counts[decision.rule.library, False] += 1
        unit.report("HP-PASTE-002", use.span, use.name, {"macro": macro})
    return bool(macro)


def _is_unknown(unit: Unit, name: str) -> bool:
    """Whether a name looks like CUDA's, but no rule knows it and the file does not declare it.

    A library of which no name can be renamed has one finding for all of its names. What ends with
    an underscore is a member, or half of a name that a macro pastes together.
    """
    return (
        name not in unit.rules.names
        and not name.endswith("_")
        and name not in unit.declared
        and unit.rules.unknown.fullmatch(name)
        and whole_library(unit.rules, name) is None
    )


def _may_be_of_cuda(unit: Unit, use: Use) -> bool:
    """Whether an unknown name may be CUDA's where it is used.

    CUDA's macros have rules, so what else conditions ask for is a project's own switch.
    """
    looks_so = unit.rules.unknown.match(unit.code.code, use.span.start)
    is_other = _is_tested(unit, use) or _is_in_tag(unit, use) or _names_test(unit, use)
    is_own = is_variable_of_macro(unit.code, use.span)
    return looks_so and not is_other and not is_own


def _names_test(unit: Unit, use: Use) -> bool:
    """Whether a use is in a statement that gives a test its name, as the rule says."""
    naming = re.compile(unit.rules.finding("HP-API-002").showing or "(?!)")
    start = statement_start(unit.code.code, use.span.start)
    return naming.match(unit.code.code, start) is not None


def _is_in_tag(unit: Unit, use: Use) -> bool:
    """Whether a use is in a tag of a template, whose names are those of the template."""
    line = unit.code.code.rfind("\n", 0, use.span.start) + 1
    return _IN_TAG.search(unit.code.code[line : use.span.start]) is not None


def _report_own(unit: Unit, use: Use, decision: Decision) -> None:
    """Report why a name stays that the tree declares elsewhere, at its first use."""
    is_known = use.is_member or use.qualifier or use.name in unit.declared
    if not is_known and decision.new != use.name:
        unit.declared.add(use.name)
        place = unit.meanings.own[use.span.start]
        unit.report("HP-SEM-002", use.span, use.name, {"place": place})


def _is_api(unit: Unit, use: Use) -> bool:
    """Whether a qualified name is CUDA's: `::name`, or a value qualified by CUDA's own enum."""
    if not use.qualifier or use.span.start in unit.meanings.vendor:
        return True
    owner = unit.rules.api(use.qualifier)
    return owner is not None and owner.kind == "type"


def _rename_use(unit: Unit, use: Use, decision: Decision) -> None:
    rule = decision.rule
    if decision.helpers:
        from hipport.source.convert.called_helpers import use_helper

        return use_helper(unit, use, decision)
    is_common_word = unit.rules.is_common_word(rule)
    if is_common_word and decision.new != use.name and not _is_call(unit, use):
        return
    code = decision.finding
    mapped = bool(decision.new) or rule.status == "dropped"
    if code == "HP-API-001" and is_sought(unit.code, use.name, use.span.start):
        return
    if code == "HP-API-001" and _is_never_given(unit, rule) and _leave_out(unit, use):
        return
    if rule.status == "dropped":
        _drop(unit, use)
    elif mapped and decision.transforms:
        from hipport.source.convert.call_arguments import change_call

        if refusal := change_call(unit, use, decision):
            code, mapped = refusal.code, False
            decision = Decision(rule, "", code, {**decision.words, **refusal.words})
    elif mapped and (tag := _tag(unit, use, decision.new)):
        unit.edit(use.span.start, use.span.end, tag, f"api:{use.name}")
    elif mapped and decision.new != use.name:  # A name that stays keeps its `struct`.
        start = _without_tag(unit, use)
        if start is None:
            code, mapped = "HP-TYPE-019", False
            decision = Decision(rule, "", code, decision.words)
        else:
            unit.edit(start, use.span.end, decision.new, f"api:{use.name}")
    unit.counts[rule.library, mapped] += 1
    if code:
        is_doubtful = is_common_word or (rule.kind == "macro" and _is_tested(unit, use))
        severity = Severity.REVIEW if is_doubtful and not mapped else None
        unit.report(code, use.span, use.name, decision.words, severity=severity)


def _is_tested(unit: Unit, use: Use) -> bool:
    """Whether a condition tests if the name is defined, which stays right without the name."""
    directive = unit.code.directive_at(use.span.start)
    if directive is None or directive.keyword in ("ifdef", "ifndef"):
        return directive is not None
    return _ASKED.search(unit.code.code, directive.body.start, use.span.start) is not None


def _drop(unit: Unit, use: Use) -> None:
    """Remove a mark that HIP does not need, with the blanks after it, or before it at the end."""
    directive = unit.code.directive_at(use.span.start)
    if directive is None or directive.keyword == "define":
        text, (start, end) = unit.code.text, use.span
        while text.startswith(_BLANKS, end):
            end += 1
        if text.startswith(_NEWLINES, end) or end == len(text):
            start = len(text[:start].rstrip("".join(_BLANKS)))
        unit.edit(start, end, "", f"api:{use.name}")


def _is_never_given(unit: Unit, rule: ApiRule) -> bool:
    """Whether the value is a status that only CUDA returns, of a library that becomes HIP's."""
    is_status = re.fullmatch(unit.rules.spellings.status_values, rule.cuda) is not None
    return rule.kind == "enum_value" and is_status and rule.library not in unit.withheld


def _leave_out(unit: Unit, use: Use) -> bool:
    """Drop `case NAME:` and `x == NAME` of a value that HIP never gives: no other path changes."""
    return use.qualifier is None and (_leave_out_case(unit, use) or _decide(unit, use))


def _decide(unit: Unit, use: Use) -> bool:
    """Write the value of a comparison of a variable with the name."""
    code = unit.code.code
    compared = _COMPARED.search(code, max(0, use.span.start - _LONGEST_COMPARED), use.span.start)
    if compared is None or not _BEHIND_COMPARED.match(code, use.span.end):
        return False
    if unit.language == "c" or unit.code.directive_at(use.span.start):
        return False  # C has no `false` without a header.
    outcome = unit.rules.spellings.truth[compared["operator"]]
    span = Span(compared.start("comparison"), use.span.end)
    unit.take_edits(span)
    unit.edit(span.start, span.end, outcome, f"api:{use.name}")
    unit.report("HP-API-012", use.span, use.name)
    return True


def _leave_out_case(unit: Unit, use: Use) -> bool:
    """Drop `case NAME:`."""
    text, code = unit.code.text, unit.code.code
    case, colon = word_before(code, use.span.start), skip(code, use.span.end)
    is_label = code[case.start : case.end] == "case" and code.startswith(":", colon)
    if not is_label or unit.code.directive_at(case.start):
        return False
    line = text.rfind("\n", 0, case.start) + 1
    rest = _REST_OF_LINE.match(text, colon + 1)
    if rest and not text[line : case.start].strip():
        unit.edit(line, rest.end(), "", f"api:{use.name}")
    else:
        unit.edit(case.start, colon + 1, "", f"api:{use.name}")
    unit.report("HP-API-012", use.span, use.name)
    return True


def _is_call(unit: Unit, use: Use) -> bool:
    text = unit.code.code
    return text.startswith("(", skip(text, use.span.end))


def _tag(unit: Unit, use: Use, new: str) -> str:
    """The tag of a structure that stays incomplete, where it is named by one; else ""."""
    tag = unit.rules.spellings.struct_tags.get(new, "")
    text = unit.code.code
    is_tagged = tag and text[slice(*word_before(text, use.span.start))] == "struct"
    return tag if is_tagged else ""


def _without_tag(unit: Unit, use: Use) -> int | None:
    """Where the renamed type begins: HIP's types are typedefs, so `struct` and `enum` go.

    HIP keeps the tag where CUDA's name is one (`struct CUstream_st`). A name that is called is a
    macro. None for a declaration of an incomplete type, which a typedef cannot follow.
    """
    text, word = unit.code.code, word_before(unit.code.code, use.span.start)
    is_tag = text[word.start : word.end] in TAGS and not _is_call(unit, use)
    if not is_tag or use.name.endswith("_st"):
        return use.span.start
    if is_forward_declaration(unit.code.code, use.span):
        return None
    between = unit.code.slice(Span(word.end, use.span.start))
    return word.start if not between.strip() else use.span.start


def _declares_tag(unit: Unit, use: Use, decision: Decision | None) -> bool:
    """Whether this declares a class that no rule is about, or a type that stays as it is."""
    if decision is None:
        return unit.rules.api(use.name) is None and is_forward_declaration(unit.code.code, use.span)
    is_left = not decision.new or unit.rules.libraries[decision.rule.library].policy == "whole"
    return is_left and declares_opaque_type(unit.code.code, use.span)
