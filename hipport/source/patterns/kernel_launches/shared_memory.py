"""Shared memory of a block that is more than a workgroup of most AMD GPUs has.

Whoever asks for it names the size far from the kernel and its tiles: the size itself is reported
where it is given a name, the request where it is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.device_features import targets_of_path, workgroup_memory
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.languages.cuda_syntax import launch_offsets, parse_call, parse_launch
from hipport.source.names.byte_sizes import bytes_in, least, plain_size, without_casts
from hipport.source.names.constants import definitions_in_file, number
from hipport.source.names.given_values import values_given
from hipport.source.names.variables import variable
from hipport.source.source_file import Unit
from hipport.source.text.brackets import word_before
from hipport.source.text.quick_search import matches

_COMMON = 64 * 1024
_MOST = 256 * 1024
"""More than a block of any GPU has: such a number is no size of it."""
_REACH = 4_000
_PARAMETERLESS = regex(
    r"\s*\(\s*(?:void)?\s*\)\s*(?:const\s*)?(?:noexcept\s*)?\{"
    r"[^{}]*?\breturn\b(?P<value>[^;{}]+);\s*\}"
)
_GIVEN = regex(r"\s*(?:=(?!=)|\{)\s*(?P<value>[^;,{}]+)")
_DEFINED = regex(r"\s+(?P<value>[^\n]+)")
_DEFINE = regex(r"#[ \t]*define[ \t]+\Z")
_NAME = regex(r"\b[A-Za-z_]\w*")
_NOTHING = regex(r"\s*-?[01]\s*")
_WORD = regex(r"\w+")
_QUALIFIERS = regex(r"\b\w+\s*::\s*")
_INTEGER = regex(r"\b(?:(?:std::)?size_t|int|unsigned|long|(?:std::)?u?int\d\d_t)\s+\Z")
_ALIGNED = r"(?:(?:__align__|alignas)\s*\(\s*\w+\s*\)\s*)?"
_SHARED_BYTES = (
    rf"\b(?:extern\s+__shared__|__shared__\s+extern)\s+{_ALIGNED}(?:unsigned\s+)?"
    rf"(?:char|(?:std::)?uint8_t|(?:std::)?int8_t|(?:std::)?byte)\s+{_ALIGNED}(?P<name>\w+)\s*\["
)
_PLACE = regex(r"\b(\w++)\s*+\+\s*\(?\s*(\d{5,6})(?![\w.])")


class _Size(NamedTuple):
    """Bytes: as many, or that many at least where a part of them is not known."""

    number: int
    is_least: bool

    @property
    def words(self) -> str:
        return f"at least {self.number}" if self.is_least else str(self.number)


class Keys(RuleKeys, frozen=True):
    attributes: Regex
    sizes: dict[str, int]
    """Type -> its bytes."""
    limited: Regex
    """A value that is no more than what the device says that a block may have."""
    asked: str
    """A call that asks the device for that, with the name that gets it for `%s`."""
    named: str
    """Of names of sizes of shared memory, in lower case."""
    whole: Regex
    """Of these, those of more than a block's."""
    members: Regex
    """A member of a launch's configuration that gets a size."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each size above what a workgroup has; to review, each request of one not seen."""
    keys = rule.read(Keys)
    targets = unit.options.targets or targets_of_path(unit.rules, unit.path)
    limit = workgroup_memory(unit.rules, targets) or _COMMON
    _find_requests(unit, rule, keys, limit)
    named = ((each, "is {} bytes of shared memory") for each in _named(unit, keys, limit))
    given = (
        (each, "asks for {} bytes of dynamic shared memory")
        for each in _given_at_launches(unit, keys)
    )
    for (span, size), reason in chain(named, given):
        if limit < size.number <= _MOST and counts(unit, rule, span.start):
            words = {"reason": reason.format(size.words)}
            unit.report(rule.id, span, " ".join(unit.code.slice(span).split()), words)
    for span in _places_beyond(unit, limit):
        if counts(unit, rule, span.start):
            words = {"reason": "is used as dynamic shared memory"}
            unit.report(rule.id, span, " ".join(unit.code.slice(span).split()), words)
            return


def _find_requests(unit: Unit, rule: FindingRule, keys: Keys, limit: int) -> None:
    for use in unit.of(rule.names):
        call = parse_call(unit.code, use.span)
        if call is None or not counts(unit, rule, use.span.start):
            continue
        given = [unit.code.code[each.start : each.end].strip() for each in call.arguments]
        attributes = [bool(re.fullmatch(keys.attributes, each)) for each in given[:-1]]
        if not any(attributes):
            continue
        size = given[attributes.index(True) + 1]
        plain = without_casts(size)
        if _is_limited(unit, keys, plain):
            continue
        asked = _largest(unit, keys, plain, use.span.start)
        if asked is None or (asked.is_least and asked.number <= limit):
            reason = (
                f"asks for dynamic shared memory of `{' '.join(size.split())}`,"
                " whose size cannot be seen here"
            )
            unit.report(rule.id, use.span, use.name, {"reason": reason}, severity=Severity.REVIEW)
        elif asked.number > limit:
            words = {"reason": f"asks for {asked.words} bytes of dynamic shared memory"}
            unit.report(rule.id, use.span, use.name, words)


def _named(unit: Unit, keys: Keys, limit: int) -> Iterator[tuple[Span, _Size]]:
    """The names that the file gives sizes of shared memory above a limit, and the sizes."""
    text = unit.code.code
    for name in _words_with(keys.named, text):
        given = None if re.search(keys.whole, text[slice(*name)]) else _given(text, name)
        if given is None or not _may_be_above(unit, keys, given["value"], limit):
            continue
        size = _size(unit, keys, given["value"], given.start("value"))
        if size and (not size.is_least or _is_count(unit, name, given["value"])):
            yield name, size


def _words_with(pattern: str, text: str) -> Iterator[Span]:
    """The words in which an expression matches in lower case."""
    end = 0
    for match in matches(pattern, text.lower()):
        if match.start() >= end and (rest := _WORD.match(text, match.start())):
            end = rest.end()
            yield word_before(text, end)


def _given(text: str, name: Span) -> re.Match[str] | None:
    """The value that a name is given at a place, as a variable, macro, or function."""
    line = text.rfind("\n", 0, name.start) + 1
    if _DEFINE.search(text, line, name.start):
        return _DEFINED.match(text, name.end)
    is_member = text[name.start - 1 : name.start] in (".", ">")
    given = None if is_member else _GIVEN.match(text, name.end)
    return given or _PARAMETERLESS.match(text, name.end)


def _is_count(unit: Unit, name: Span, value: str) -> bool:
    """Whether a name is given a number, and not a place in memory."""
    text = unit.code.code
    return "sizeof" in value or bool(_INTEGER.search(text, max(0, name.start - 60), name.start))


def _may_be_above(unit: Unit, keys: Keys, value: str, limit: int) -> bool:
    """Whether a value may be above a limit, by the numbers and the file's constants in its text."""
    plain = plain_size(keys.sizes, value)
    size = number(unit.code, unit.rules, plain, {})
    if size is not None:
        return size > limit
    names = _NAME.findall(plain)
    # Constants of several functions may have one name: their scopes say which is meant.
    if names and all(definitions_in_file(unit.code, each) for each in names):
        return True
    given = dict(unit.warps.numbers)
    plain = _QUALIFIERS.sub("", plain)
    return least(plain, lambda part: number(unit.code, unit.rules, part, {**given})) > limit


def _given_at_launches(unit: Unit, keys: Keys) -> Iterator[tuple[Span, _Size]]:
    """The sizes that launches are given as numbers, each where it is."""
    code = unit.code
    places = [Span(*each.span("size")) for each in code.finditer(keys.members)]
    for chevron in launch_offsets(code):
        launch = parse_launch(code, chevron)
        if launch and len(launch.configuration) > 2:
            places.append(launch.configuration[2])
    for span in places:
        text = code.code[span.start : span.end].strip()
        if text.isidentifier():
            continue  # What its name is given is reported there.
        size = _size(unit, keys, text, span.start)
        if size:
            yield span, size


def _places_beyond(unit: Unit, limit: int) -> Iterator[Span]:
    """Numbers that are added to a dynamic array of bytes and lead beyond a workgroup's memory."""
    names = {each["name"] for each in unit.code.finditer(_SHARED_BYTES)}
    for match in _PLACE.finditer(unit.code.code) if names else ():
        if match[1] in names and limit <= int(match[2]) <= _MOST:
            yield Span(*match.span())


def _is_limited(unit: Unit, keys: Keys, size: str) -> bool:
    """Whether a size, or each value of its variable, is no more than the device has."""
    given = values_given(unit.declarations, size) if size.isidentifier() else ()
    values = [unit.code.slice(each) for each in given]
    if size.isidentifier() and re.search(keys.asked % size, unit.code.code):
        values = [each for each in values if not _NOTHING.fullmatch(each)]
    else:
        values = values or [size]
    return all(re.search(keys.limited, " ".join(each.split())) for each in values)


def _largest(unit: Unit, keys: Keys, size: str, offset: int) -> _Size | None:
    """The value of a size, or the largest that its variable is given before; None if not known."""
    if not size.isidentifier():
        return _size(unit, keys, size, offset)
    declared = variable(unit.declarations, size, offset)
    first = max(declared.name.start if declared else 0, offset - _REACH)
    values = [
        _size(unit, keys, unit.code.code[each.start : each.end], each.start)
        for each in values_given(unit.declarations, size)
        if first <= each.start < offset
    ]
    known = [each for each in values if each is not None]
    if not values:
        return _size(unit, keys, size, offset)
    if len(known) < len(values):
        return None
    is_least = any(each.is_least for each in known)
    return _Size(max(each.number for each in known), is_least)


def _size(unit: Unit, keys: Keys, text: str, offset: int) -> _Size | None:
    """The value of a size at an offset, or what it is at least; None if nothing is known of it."""
    size = _bytes(unit, keys, text, offset)
    if size is not None:
        return _Size(size, is_least=False)
    plain = plain_size(keys.sizes, text)
    size = least(plain, lambda part: _bytes(unit, keys, part, offset)) if "+" in plain else 0
    return _Size(size, is_least=True) if size else None


def _bytes(unit: Unit, keys: Keys, size: str, offset: int) -> int | None:
    """The value of a size at an offset, with what headers of the tree give to names."""
    given = dict(unit.warps.numbers)
    return bytes_in(unit.declarations, unit.rules, keys.sizes, size, offset, given=given)
