"""cooperative_groups::reduce, under any alias of the namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.model import parse_version
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.declared_types import is_template_of
from hipport.source.names.qualified_names import aliases_of, qualified
from hipport.source.names.uses import Use
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit

_FINDING = "HP-CG-002"
_NAME = regex(r"[A-Za-z_]\w*")


class Keys(RuleKeys, frozen=True):
    namespace: Regex


class FixKeys(RuleKeys, frozen=True):
    """What is written for a tile and for other groups: `own` are the names in it."""

    tile: str
    other: str
    own: tuple[str, ...]
    folds: dict[str, str]


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each call of the reduction by its qualified name."""
    for use in _reductions(unit, rule):
        rocm = ".".join(map(str, unit.options.rocm))
        span = qualified(unit.code.code, use.span)
        unit.report(rule.id, span, f"{use.qualifier}::{use.name}", {"rocm": rocm})


def _reductions(unit: Unit, rule: FindingRule) -> Iterator[Use]:
    """Each such name."""
    namespace = rule.read(Keys).namespace
    aliases = aliases_of(unit.code.code, namespace)
    for use in unit.of(rule.names):
        if use.qualifier == namespace or use.qualifier in aliases:
            yield use


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write out each reduction of a variable's group by one of CUDA's own operators."""
    words, finding = rule.read(FixKeys), unit.rules.findings[_FINDING]
    if unit.options.rocm >= parse_version(finding.rocm_until):
        return
    text = unit.code.code
    names = "|".join(words.folds)
    operator = re.compile(
        rf"(?:\w+::)*(?P<name>{names})\s*<\s*(?P<type>[\w: ]+?)\s*>\s*[({{]\s*[)}}]"
    )
    own = re.compile(rf"\b(?:{'|'.join(words.own)})\b")
    for use in _reductions(unit, finding):
        call = parse_call(unit.code, use.span)
        if call is None or len(call.arguments) != 3:
            continue
        group, value, last = (text[slice(*each)] for each in call.arguments)
        function = operator.fullmatch(last)
        if function is None or not _NAME.fullmatch(group) or own.search(f"{group} {value}"):
            continue
        # In a tile all threads are there, a power of two of them.
        is_tile = is_template_of(unit.declarations, r"\w*_tile", "tiled_partition", group)
        form = words.tile if is_tile else words.other
        filled = form.format(
            group=group, type=function["type"], fold=words.folds[function["name"]], value="\0"
        )
        opening, closing = filled.split("\0")
        whole = qualified(text, use.span)
        spans = (
            Span(whole.start, call.arguments[1].start),
            Span(call.arguments[1].end, call.closed + 1),
        )
        rewrite(unit, "group-reduction", list(zip(spans, (opening, closing), strict=True)), [whole])
