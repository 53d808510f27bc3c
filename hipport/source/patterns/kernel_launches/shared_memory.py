"""Requests for more dynamic shared memory than a workgroup of most AMD GPUs has."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Severity
from hipport.rulebook.device_features import workgroup_memory
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.constants import number
from hipport.source.names.given_values import values_given
from hipport.source.names.variables import variable
from hipport.source.source_file import Unit

_COMMON = 64 * 1024
_REACH = 4_000
_SIZEOF = regex(r"\bsizeof\s*\(\s*(\w+)\s*\)")
_NAME = regex(r"\b[A-Za-z_]\w*")
_INTEGER = r"\s*(?:std::)?(?:(?:unsigned|signed|int|long|size_t|u?int\d\d_t)\b\s*)+"
_CAST = regex(rf"\({_INTEGER}\)(?=\s*[\w(])|\bstatic_cast\s*<{_INTEGER}>")
_DEEPEST = 3
_CONSTANT = frozenset(("const", "constexpr"))


class Keys(RuleKeys, frozen=True):
    attributes: Regex
    sizes: dict[str, int]
    """Type -> its bytes."""
    limited: Regex
    """A value that is no more than what the device says that a block may have."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each request above what a workgroup has; to review, each whose size cannot be seen."""
    keys = rule.read(Keys)
    limit = workgroup_memory(unit.rules, unit.options.targets) or _COMMON
    for use in unit.of(rule.names):
        call = parse_call(unit.code, use.span)
        if call is None or len(call.arguments) != 3 or not counts(unit, rule, use.span.start):
            continue
        attribute, size = (
            unit.code.code[each.start : each.end].strip() for each in call.arguments[1:]
        )
        if not re.fullmatch(keys.attributes, attribute):
            continue
        plain = _without_casts(size)
        if _is_limited(unit, keys, plain):
            continue
        asked = _largest(unit, keys, plain, use.span.start)
        if asked is None:
            reason = "the size cannot be seen here"
            words = {"reason": reason, "size": " ".join(size.split())}
            unit.report(rule.id, use.span, use.name, words, severity=Severity.REVIEW)
        elif asked > limit:
            words = {"reason": f"{asked} bytes are more", "size": str(asked)}
            unit.report(rule.id, use.span, use.name, words)


def _without_casts(size: str) -> str:
    """A size without casts to integers, and without brackets around a name."""
    plain = _CAST.sub("", size).strip()
    return name if (name := plain.strip("() ")).isidentifier() else plain


def _is_limited(unit: Unit, keys: Keys, size: str) -> bool:
    """Whether a size, or each value of its variable, is no more than the device has."""
    given = values_given(unit.declarations, size) if size.isidentifier() else ()
    values = [unit.code.slice(each) for each in given] or [size]
    return all(re.search(keys.limited, " ".join(each.split())) for each in values)


def _largest(unit: Unit, keys: Keys, size: str, offset: int) -> int | None:
    """The value of a size, or the largest that its variable is given before; None if not known."""
    if not size.isidentifier():
        return _number(unit, keys, size, offset)
    declared = variable(unit.declarations, size, offset)
    first = max(declared.name.start if declared else 0, offset - _REACH)
    values = [
        _number(unit, keys, unit.code.code[each.start : each.end], each.start)
        for each in values_given(unit.declarations, size)
        if first <= each.start < offset
    ]
    known = [each for each in values if each is not None]
    if values:
        return max(known) if len(known) == len(values) else None
    return _number(unit, keys, size, offset)


def _number(unit: Unit, keys: Keys, text: str, offset: int, depth: int = _DEEPEST) -> int | None:
    """The value of an expression at an offset, where a name is what its scope has by that name.

    None for constants of constants beyond a depth.
    """
    sized = _SIZEOF.sub(lambda match: str(keys.sizes.get(match[1], match[0])), text)
    sized = _CAST.sub("", " ".join(sized.split()))
    known: dict[str, int | None] = {}
    for name in dict.fromkeys(_NAME.findall(sized)):
        declared = variable(unit.declarations, name, offset)
        if declared is None or declared.name.start >= offset:
            continue
        place = None if _CONSTANT.isdisjoint(declared.words) else declared.value
        value = unit.code.code[place.start : place.end].strip("{} \n") if place else ""
        is_followed = value and depth
        at = declared.name.start
        known[name] = _number(unit, keys, value, at, depth - 1) if is_followed else None
    return number(unit.code, unit.rules, sized, known)
