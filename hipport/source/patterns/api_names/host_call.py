"""Host calls of functions that nvcc has for host and device, and HIP for devices only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import in_device_code
from hipport.source.languages.cuda_syntax import Call, parse_call
from hipport.source.names.uses import Use
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit

_NOT_OF_THE_HOST = regex(r"\bconstexpr\b|\b__\w+|\b\w*[A-Z]\w*_\w*\b|\b[A-Z][A-Z\d]{2,}\b")
"""What makes a function one that devices may run: keywords, and macros that may expand to them."""


class FixKeys(RuleKeys, frozen=True):
    written_out: Mapping[str, str]
    """Function -> what CUDA computes for it on the host."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each call that is certainly in a host function."""
    for use, _ in _host_calls(unit, rule.names):
        unit.report(rule.id, use.span, use.name)


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write out the functions whose computation on the host in CUDA is known."""
    keys = rule.read(FixKeys)
    for use, call in list(_host_calls(unit, frozenset(keys.written_out))):
        before, _, behind = keys.written_out[use.name].partition("{}")
        edits = [
            (Span(use.span.start, call.opened + 1), before),
            (Span(call.closed, call.closed + 1), behind),
        ]
        rewrite(unit, "host-call", edits, [use.span])


def _host_calls(unit: Unit, names: frozenset[str]) -> Iterator[tuple[Use, Call]]:
    if unit.language != "cuda":
        return
    own = {name for name in names if _is_declared(unit, name)}
    for use in unit.of(names - own):
        call = parse_call(unit.code, use.span)
        if call is None or use.qualifier or unit.code.directive_at(use.span.start):
            continue
        if not in_device_code(unit, use.span.start) and _is_of_the_host(unit, use.span):
            yield use, call


def _is_declared(unit: Unit, name: str) -> bool:
    """Whether the file defines a function of that name."""
    uses = unit.uses.get(name, ())
    return any(unit.declarations.scope(each.span) is not None for each in uses)


def _is_of_the_host(unit: Unit, span: Span) -> bool:
    """Whether it is in a function, and nothing about that function may mean a device."""
    node = unit.declarations.root.descendant_for_byte_range(span.start, span.end)
    function = None
    while node:
        if node.type in ("lambda_expression", "ERROR"):
            return False
        if node.type == "function_definition":
            function = node
        node = node.parent
    if function is None:
        return False
    body = function.child_by_field_name("body")
    text = unit.code.code
    head = text[function.start_byte : body.start_byte if body else function.end_byte]
    before = text[function.start_byte : span.start]
    is_lambda = any(word in before for word in unit.rules.device_code.function_keywords)
    return not is_lambda and _NOT_OF_THE_HOST.search(head) is None
