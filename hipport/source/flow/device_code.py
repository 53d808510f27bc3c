"""Where a file's device functions are, and what has been ported: found without a parse."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, word_before
from hipport.source.text.conditions import as_expression, decided
from hipport.source.text.source_text import Code

_TOKEN = re.compile(r"[(){};=]")
_INNERMOST = re.compile(r"\([^()]*\)")
_CONDITIONS = frozenset(("if", "ifdef", "ifndef", "elif"))


def device_bodies(unit: Unit) -> list[Span]:
    """The bodies of the functions that run on the device alone, in order."""
    return _bodies(unit.code, unit.rules)


def in_device_code(unit: Unit, offset: int) -> bool:
    """Whether an offset stands in a function that runs on the device alone."""
    bodies = device_bodies(unit)
    index = bisect_right(bodies, offset, key=lambda body: body.start) - 1
    return index >= 0 and offset < bodies[index].end


def is_ported(unit: Unit, offset: int) -> bool:
    """Whether an offset stands in a conditional that has one branch for AMD, another for NVIDIA."""
    return stands_in_port(unit.code, unit.rules, offset)


def stands_in_port(code: Code, rules: RuleSet, offset: int) -> bool:
    """As `is_ported`, of a text."""
    ported = _ported(code, rules)
    return bool(ported) and any(opened in ported for opened, _ in code.branch_at(offset))


def counts(unit: Unit, rule: FindingRule, offset: int) -> bool:
    """Whether a place is one that the rule is about: `where`, and not ported already."""
    if rule.where == "device" and not in_device_code(unit, offset):
        return False
    if not unit.rules.is_audit and is_left_out(unit, offset):
        return False
    is_audited = unit.rules.is_audit and not rule.claims and not rule.in_ports
    return not (is_audited and is_ported(unit, offset))


@lru_cache(maxsize=1)
def _ported(code: Code, rules: RuleSet) -> frozenset[int]:
    """The offsets of the conditionals with a test of AMD's macros that NVIDIA's do not share."""
    amd, cuda = rules.device_code.ported_macros, rules.device_code.cuda_macros
    if not code.matches(amd):
        return frozenset()
    found: set[int] = set()
    for directive in code.directives:
        if directive.keyword not in _CONDITIONS:
            continue
        condition = code.code[directive.body.start : directive.body.end]
        is_shared = "||" in condition and re.search(cuda, condition)
        is_one_of_all = any(
            re.fullmatch(rf"[\s!(]*defined[\s(]*{amd}[\s)]*", each) for each in _all_of(condition)
        )
        if re.search(amd, condition) and (is_one_of_all or not is_shared):
            is_first = directive.keyword.startswith("if") or not directive.branch
            found.add(directive.span.start if is_first else directive.branch[-1][0])
    return frozenset(found)


def is_left_out(unit: Unit, offset: int) -> bool:
    """Whether an offset stands in a branch that a test of AMD's macros takes away from AMD."""
    return stands_left_out(unit.code, unit.rules, offset)


def stands_left_out(code: Code, rules: RuleSet, offset: int) -> bool:
    """As `is_left_out`, of a text."""
    left_out = _left_out(code, rules)
    return bool(left_out) and not left_out.isdisjoint(code.branch_at(offset))


@lru_cache(maxsize=1)
def _left_out(code: Code, rules: RuleSet) -> frozenset[tuple[int, int]]:
    """The branches, as `Code.branch_at` names them, that are false where AMD's macros are set."""
    amd = rules.device_code.macros_set_for_amd
    if not code.matches(amd):
        return frozenset()
    found: set[tuple[int, int]] = set()
    covered: set[int] = set()
    for directive in code.directives:
        opens = directive.keyword in ("if", "ifdef", "ifndef")
        if not opens and not (directive.keyword in ("elif", "else") and directive.branch):
            continue
        opened, number = (directive.span.start, 0) if opens else directive.branch[-1]
        body = code.code[directive.body.start : directive.body.end]
        condition = as_expression(directive.keyword, body)
        values = dict.fromkeys(re.findall(amd, condition), 1)
        holds = decided(condition, (), values) if values else None
        if holds is False or opened in covered:
            found.add((opened, number))
        if holds:
            covered.add(opened)
    return frozenset(found)


def _all_of(condition: str) -> list[str]:
    """The conditions outside parentheses that `&&` joins; none where `||` joins any there."""
    plain = re.sub(r"\\\r?\n", " ", condition)
    while plain != (outer := _INNERMOST.sub(lambda match: "\0" * len(match[0]), plain)):
        plain = outer
    if "||" in plain:
        return []
    ends = [match.start() for match in re.finditer("&&", plain)]
    text = re.sub(r"\\\r?\n", " ", condition)
    return [
        text[start:end]
        for start, end in zip([0, *(at + 2 for at in ends)], [*ends, None], strict=True)
    ]


@lru_cache(maxsize=1)
def _bodies(code: Code, rules: RuleSet) -> list[Span]:
    words = rules.device_code
    text = code.code
    bodies: list[Span] = []
    for match in re.finditer("|".join(map(re.escape, words.function_keywords)), text):
        neighbours = text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
        body = _body(text, match.end())
        if body is None or words.host_keyword in neighbours:
            continue
        if words.host_keyword not in text[match.end() : body.start]:
            bodies.append(body)
    return bodies


def _body(text: str, start: int) -> Span | None:
    """The braces of the function whose declaration goes on at `start`; None for anything else."""
    at = start
    has_parameters = False
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match[0] == "(":
            closed = closing_bracket(text, match.start())
            if closed is None:
                return None
            # `__launch_bounds__(256)` and attributes have parentheses too; a name comes before.
            word = word_before(text, match.start())
            has_parameters = has_parameters or word.start < word.end
            at = closed + 1
        elif match[0] == "{" and has_parameters:
            closed = closing_bracket(text, match.start())
            return Span(match.start(), closed) if closed else None
        else:
            return None
    return None
