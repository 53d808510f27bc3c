"""Macros by which code asks for CUDA's compiler, headers, versions or a device architecture.

HIP's macro for the same question replaces CUDA's, or with --guards is added to it. For any other
macro, the report says what the condition decides under HIP.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.cuda_conditions import (
    Keys,
    asks_only_existence,
    condition_of,
    gives_assembly,
    is_as_for_newest,
    is_for_older_compilers,
    loses,
    loses_nothing,
    older_function,
    shared_instruction,
    verdict_under_hip,
)
from hipport.source.flow.device_code import device_body_at
from hipport.source.names.hip_branches import chooses_port, is_never_compiled, names_port
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip, skip_back
from hipport.source.text.branch_texts import BRANCHES, branch_end, two_branches
from hipport.source.text.directives import Branch, Directive
from hipport.source.text.source_text import Code

_NOTE = "HP-GUARD-009"
_LEFT = "HP-API-007"
_LONGEST_BRANCH = 4_000
_MOST_NAMED = 5
_DEFINED = regex(r"\bdefined\s*\(?\s*\Z")


def find(unit: Unit, rule: FindingRule) -> None:
    """Rename the macro where HIP has an equivalent for this use; report it, once per line."""
    reported: set[tuple[str, int]] = set()
    tests: dict[int, list[Use]] = {}
    asked: set[int] = set()
    for use in unit.of(rule.names):
        if test := unit.code.directive_at(use.span.start):
            tests.setdefault(test.span.start, []).append(use)
    for use in unit.of(rule.names):
        directive = _condition_at(unit, use)
        if directive is None and is_never_compiled(unit.code, unit.rules, use.span.start):
            continue
        if use.is_pasted or (rule.where == "condition" and directive is None):
            continue
        if directive and not rule.claims and _is_ported(unit, directive, use.name):
            continue
        is_shared = directive is not None and _asks_for_hip(unit, directive)
        new = "" if is_shared else _equivalent(unit, rule, use)
        if new == use.name or (directive and new and _is_answered(unit, directive, new)):
            continue
        has_both = bool(new) and _has_block_of(unit.code, unit.rules, new)
        new = "" if has_both else new
        if new and unit.options.guards:
            new = new if directive and _extend(unit, rule, use, directive, new) else ""
        elif new:
            unit.edit(use.span.start, use.span.end, new, f"check:{rule.id}")
        names = [use.name]
        if rule.once_per_line and directive and not new:
            names = _names_tested(unit, rule, use, tests[directive.span.start], is_shared=is_shared)
        symbol = ", ".join(dict.fromkeys(names))
        # A condition may go on in further lines.
        line = unit.code.position(directive.span.start if directive else use.span.start).line
        leaving = _leaving_out(unit, rule, _around(unit, use, directive))
        if (symbol, line) in reported or (leaving and not (new or loses(unit, directive))):
            continue
        reported.add((symbol, line))
        if is_shared or (directive and not new and loses_nothing(unit, rule, directive)):
            continue  # Whoever wrote the condition has thought of HIP, or HIP gets all of it.
        place = "is beside it now" if unit.options.guards else "took its place"
        reason = f"`{new}` {place}" if new else _decision(unit, directive, use.name)
        if has_both:
            reason = "the file has blocks of its own for HIP, so this one stays CUDA's"
        severity = Severity.INFO if new else Severity.REVIEW if has_both else None
        if directive and severity is None:
            if settled := _settled(unit, rule, directive):
                unit.report(_NOTE, use.span, symbol, {"reason": settled})
                continue
            if is_as_for_newest(unit, rule, directive):
                reason, severity = _as_for_newest(unit, rule, directive)
        if leaving and severity is None:
            outer = unit.code.position(leaving.span.start).line
            reason = f"once the condition of line {outer} lets HIP in, {reason}"
            severity = Severity.REVIEW
        if directive and severity is None:
            alike = _alike(unit, directive)
            if alike[0].span.start in asked:
                continue
            asked.add(alike[0].span.start)
            reason += _also(unit, [each for each in alike if each != directive])
        unit.report(rule.id, use.span, symbol, {"reason": reason}, severity=severity)


def _names_tested(
    unit: Unit, rule: FindingRule, use: Use, parts: list[Use], *, is_shared: bool
) -> list[str]:
    """A version in parts makes one test, which decides the same for each of these."""
    return [
        each.name for each in parts if is_shared or each == use or not _equivalent(unit, rule, each)
    ]


def _alike(unit: Unit, directive: Directive) -> Sequence[Directive]:
    """The conditions of a function on the device that ask what one of them does: one decision."""
    body = device_body_at(unit, directive.span.start)
    if body is None:
        return [directive]
    return unit.code.once(_by_question, unit.code, body)[_question(unit.code, directive)]


def _by_question(code: Code, body: Span) -> dict[tuple[str, ...], list[Directive]]:
    found: dict[tuple[str, ...], list[Directive]] = {}
    for each in code.directives_within(body):
        found.setdefault(_question(code, each), []).append(each)
    return found


def _question(code: Code, directive: Directive) -> tuple[str, ...]:
    return (directive.keyword, *code.slice(directive.body).split())


def _also(unit: Unit, others: Sequence[Directive]) -> str:
    """What a message says of the other conditions that are decided with one."""
    lines = [str(unit.code.position(each.span.start).line) for each in others[:_MOST_NAMED]]
    more = ", …" if len(others) > _MOST_NAMED else ""
    return f"; and likewise in line {', '.join(lines)}{more}" if lines else ""


def _as_for_newest(
    unit: Unit, rule: FindingRule, directive: Directive
) -> tuple[str, Severity | None]:
    """What is said of a condition that decides the same for NVIDIA's newest GPUs."""
    reason = "this condition gives HIP what it gives NVIDIA's newest GPUs"
    if gives_assembly(unit, rule, directive):
        return f"{reason}, which has inline PTX", None
    return reason, Severity.INFO


def _settled(unit: Unit, rule: FindingRule, directive: Directive) -> str:
    """Why nothing has to be decided about a condition that HIP's compilers see; "" if it has."""
    if older := older_function(unit, rule, directive):
        if any(each.code == _LEFT and each.symbol == older for each in unit.findings):
            return f"`{older}`, which both branches call, has a finding of its own"
        return f"HIP has `{older}` with the arguments that are left to it"
    if family := shared_instruction(unit, rule, directive):
        return f"both branches have `{family}` in PTX, which has a finding of its own"
    if is_for_older_compilers(unit, rule, directive):
        return "only older releases of nvcc take this branch, which works around what they lack"
    return ""


def _is_ported(unit: Unit, directive: Directive, name: str) -> bool:
    """Whether AMD has a branch beside a library's macro for CUDA, or a test of its own macro."""
    return chooses_port(unit.code, unit.rules, directive) or names_port(unit.code, unit.rules, name)


def _condition_at(unit: Unit, use: Use) -> Directive | None:
    directive = unit.code.directive_at(use.span.start)
    return directive if directive and directive.is_condition else None


def _asks_for_hip(unit: Unit, directive: Directive) -> bool:
    """Whether a condition tests AMD's macros too: whoever wrote it has thought of HIP."""
    return (
        re.search(unit.rules.device_code.ported_macros, condition_of(unit, directive)) is not None
    )


def _is_answered(unit: Unit, directive: Directive, macro: str) -> bool:
    """Whether a condition tests HIP's macro too, or another branch beside it is for AMD."""
    is_tested = macro in condition_of(unit, directive)
    return is_tested or chooses_port(unit.code, unit.rules, directive)


@lru_cache(maxsize=2)
def _has_block_of(code: Code, rules: RuleSet, macro: str) -> bool:
    """Whether a conditional without other branches is for HIP's macro, and not for CUDA's.

    With HIP's macro in place of CUDA's, the block for CUDA would be compiled beside it.
    """
    if macro not in code.words:
        return False
    for directive in code.directives:
        if directive.keyword not in ("if", "ifdef"):
            continue
        condition = code.code[slice(*directive.body)]
        is_for_hip = macro in condition and not re.search(rules.device_code.cuda_macros, condition)
        end, _ = branch_end(code, directive) if is_for_hip else (None, 0)
        if end and end.keyword == "endif":
            return True
    return False


def _equivalent(unit: Unit, rule: FindingRule, use: Use) -> str:
    keys = rule.read(Keys)
    renamed: str = keys.rename.get(use.name, "")
    if renamed:
        return renamed
    asked = {**keys.existence}
    if unit.options.libs == "hip":
        asked.update(keys.existence_in_hip_libraries)
    directive = _condition_at(unit, use)
    is_asked = directive is not None and _is_renamed(unit, directive, use.name)
    return str(asked.get(use.name, "")) if is_asked else ""


def _is_renamed(unit: Unit, directive: Directive, name: str) -> bool:
    """Whether a condition that asks for a macro alone can ask for HIP's.

    HIP has no such number: what is there without it is what HIP can compile.
    """
    return asks_only_existence(unit, directive, name) and not _gives_its_value(
        unit, directive, name
    )


def _gives_its_value(unit: Unit, directive: Directive, name: str) -> bool:
    """Whether one of two branches is a statement with the macro's value: `return NAME;`."""
    branches = two_branches(unit.code, directive, _LONGEST_BRANCH)
    statement = rf"[^;{{}}#]*\b{name}\b[^;{{}}#]*;\s*"
    return all(branches) and any(re.fullmatch(statement, each) for each in branches)


def _extend(unit: Unit, rule: FindingRule, use: Use, directive: Directive, new: str) -> bool:
    """Make the condition hold for HIP's macro as well; False where its form is another."""
    both = f"defined({use.name}) || defined({new})"
    if directive.keyword in ("ifdef", "ifndef"):
        start = directive.body.start - len(directive.keyword)
        neither = f"!defined({use.name}) && !defined({new})"
        text = f"if {both if directive.keyword == 'ifdef' else neither}"
        unit.edit(start, use.span.end, text, f"guards:{rule.id}")
        return True
    text = unit.code.code
    tested = _DEFINED.search(text[directive.body.start : use.span.start])
    start, end = use.span
    if tested:
        start = directive.body.start + tested.start()
        if "(" in tested[0]:
            end = skip(text, end) + 1
    before, after = text[: skip_back(text, start)][-2:], text[skip(text, end) :][:2]
    is_whole = (
        not text[directive.body.start : start].strip() and skip(text, end) >= directive.body.end
    )
    is_operand = before[-1:] in ("(", "!") or before in ("&&", "||") or before[-1:].isalpha()
    if not tested and not (is_operand and (after[:1] == ")" or after in ("&&", "||") or is_whole)):
        return False
    unit.edit(start, end, both if is_whole else f"({both})", f"guards:{rule.id}")
    return True


def _decision(unit: Unit, directive: Directive | None, name: str) -> str:
    """What a condition comes to where CUDA's macros are not defined, that of a name among them."""
    if directive is None:
        return "what uses it there does not compile, or is not what CUDA gives"
    verdict = verdict_under_hip(unit, directive, name)
    first = unit.code.position(directive.span.start).line
    end, error = branch_end(unit.code, directive)
    last = f" up to line {unit.code.position(end.span.start).line}" if end else ""
    if verdict is None:
        return "a test of it sees 0"
    value, what = ("true", "compiled") if verdict else ("false", "left out")
    stop = f", and the #error of line {error} stops the compiler" if verdict and error else ""
    return f"this condition is {value} there, so what follows line {first} is {what}{last}{stop}"


def _around(unit: Unit, use: Use, directive: Directive | None) -> Branch:
    """The branches that a use is in, or the conditional whose condition it is part of."""
    if directive is None:
        return unit.code.branch_at(use.span.start)
    return directive.branch[:-1] if directive.keyword in BRANCHES else directive.branch


def _leaving_out(unit: Unit, rule: FindingRule, branch: Branch) -> Directive | None:
    """The condition that leaves a branch out; a test of the device pass takes HIP's macro."""
    renamed = rule.read(Keys).existence
    for opened, number in branch:
        at = unit.code.directive_at(opened)
        is_left_out = at is not None and verdict_under_hip(unit, at) is (number > 0)
        if at and is_left_out and not any(_is_renamed(unit, at, each) for each in renamed):
            return at
    return None
