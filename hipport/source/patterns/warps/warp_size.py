"""A warp size of 32 written out. A `32` counts only with a reason, which the message gives."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts, in_device_code
from hipport.source.flow.lane_sets import bits_of_lanes, makers_of_lanes
from hipport.source.flow.operands import without_casts
from hipport.source.names.branches_for_hip import compiled
from hipport.source.names.constants import Definition, definitions_in_file, number
from hipport.source.names.variables import is_of_template, variables_named
from hipport.source.source_file import Unit
from hipport.source.text.brackets import (
    closing_bracket,
    end_before,
    may_be_initialized,
    skip_back,
    word_before,
    word_in_brackets_before,
)
from hipport.source.warps.groups_of_lanes import groups_of

_REACH = 400
_LONGEST_HEAD = 300
_LONGEST_LINE = 2_000  # That people write; looking further back takes long where nobody did.
_LONGEST_FUNCTION = 6_000
_MEMBERS = (".", ">")
_WORD = regex(r"(?<!\w)[A-Za-z_]")
_WORD_WHOLE = regex(r"[A-Za-z_]\w*")
_DEFINED = regex(
    r"[ \t]*(?:#[ \t]*define[ \t]+"
    r"|(?=[^=]*\bconst(?:expr)?\b)(?:(?:static|inline|constexpr|const|__device__|__constant__"
    r"|unsigned|int|uint|auto|size_t|std::size_t|u?int\d+_t)[ \t]+)+)"
    r"(?P<name>\w+)[ \t]*(?:=[ \t]*|\{[ \t]*)?"
)
_DIVIDED = regex(r"/|>>")
_GOES_ON = tuple("=+*(,?&|")


class Keys(RuleKeys, frozen=True):
    index: tuple[Regex, ...]
    derived_words: tuple[str, ...]
    derived: Regex
    named: Regex
    """What follows an index in arithmetic with a constant: `lanes`, `last` or `bits`."""
    named_met: str
    thread_names: Regex
    met: str
    shuffles: Regex
    loop: Regex
    counted: Regex
    """A product with 32, up to a word `after` it, or behind one."""
    warps: Regex
    """The name of a number of warps."""
    said: Regex
    """A value, and the comment behind it that says what it is."""
    lanes: str
    constant_words: Regex
    constant: Regex
    other_values: tuple[str, ...]
    assigned: Regex
    assigned_globally: Regex
    """The same for an index among the threads of all blocks."""
    macro: Regex
    assigned_from: str
    advancing: Regex
    tiled: str
    lane_names: Regex
    short_names: Regex
    lane_beside: str
    """What makes the lane of an index, which %s stands for."""
    beside: Regex
    halves: Regex
    """What the result is called where 64 lanes are cut in halves on purpose."""
    together: Regex
    """What makes lanes of a wavefront work together: warp functions, and calls of such by name."""
    grouped: Regex
    """Warp functions that take the size of a group of lanes."""
    blocks: Regex
    """How many threads a block has at most."""
    wide: Regex
    """What speaks of more lanes than a warp has."""
    on_lanes: str
    """Arithmetic by which a constant of a name makes lanes of threads, or chooses some."""
    first: Regex
    """The arithmetic, and what follows it, where one thread of every 32 is chosen."""
    lower_half: Regex
    """The condition of a block that only the first 32 threads enter."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report constants named after the warp, lane arithmetic, and reductions from 16 lanes on."""
    keys = rule.read(Keys)
    _check_constants(unit, rule)
    _check_said(unit, rule)
    _check_counted(unit, rule)
    for shape in keys.index:
        for match in unit.code.finditer(shape, re.NOFLAG) if unit.code.may_match(shape) else ():
            _check_index(unit, rule, Span(*match.span("symbol")))
    _check_derived(unit, rule)
    _check_named(unit, rule)
    _check_followed(unit, rule)
    _check_loops(unit, rule)


def _check_derived(unit: Unit, rule: FindingRule) -> None:
    """Arithmetic with the number of lanes on what holds a thread's index."""
    keys = rule.read(Keys)
    text = unit.code.code
    if unit.code.words.isdisjoint(keys.derived_words):
        return
    advancing = {match["name"] for match in unit.code.finditer(keys.advancing)}
    indices = _thread_indices(rule, text, keys.assigned) - advancing
    of_all = _thread_indices(rule, text, keys.assigned_globally) - indices
    for match in unit.code.finditer(keys.derived, re.NOFLAG):
        name = word_in_brackets_before(text, match.start())
        word = "" if text[name.start - 1 : name.start] in _MEMBERS else text[slice(*name)]
        is_index = word in indices or re.fullmatch(keys.thread_names, word)
        if is_index or word in of_all:
            _check_index(unit, rule, Span(name.start, match.end()), is_of_block=bool(is_index))


def _check_named(unit: Unit, rule: FindingRule) -> None:
    """The same with a constant of 32, 31 or 5 whose name does not say what it is."""
    keys = rule.read(Keys)
    text = unit.code.code
    if not unit.code.matches(keys.shuffles):
        return
    indices = _thread_indices(rule, text, keys.assigned_globally)
    shuffles = re.compile(keys.shuffles)
    reported: set[Span] = set()
    lanes = int(keys.lanes)
    values = {"lanes": lanes, "last": lanes - 1, "bits": lanes.bit_length() - 1}
    for match in re.finditer(keys.named, text):
        index = _index_before(rule, text, match.start(), indices)
        if index is None:
            continue
        group = str(match.lastgroup)
        value = match[group].rpartition("::")[2]
        name = _WORD_WHOLE.match(value)
        if name is None or re.fullmatch(keys.constant, name[0]):
            continue
        is_of_lanes = number(unit.code, unit.rules, value) == values[group]
        use = Span(index.start, match.end())
        if not is_of_lanes or not shuffles.search(text, *_function_around(text, use)):
            continue
        line = str(unit.code.position(use.start).line)
        reason = keys.named_met.format(use=" ".join(text[slice(*use)].split()), line=line)
        given = definitions_in_file(unit.code, name[0])
        start = text.find(name[0], given[0].offset) if given else match.start(group)
        span = Span(start, start + len(name[0])) if given else Span(*match.span(group))
        if span not in reported:
            reported.add(span)
            _report(unit, rule, span, reason)


def _index_before(rule: FindingRule, text: str, operator: int, indices: set[str]) -> Span | None:
    """A thread's index before an operator: a variable that holds it, or what CUDA gives."""
    name = word_in_brackets_before(text, operator)
    if text[name.start - 1 : name.start] not in _MEMBERS:
        return name if text[slice(*name)] in indices else None
    owner = word_before(text, name.start - 1)
    is_given = text[owner.start : name.start].rstrip(".") in rule.names
    return Span(owner.start, name.end) if is_given else None


def _check_followed(unit: Unit, rule: FindingRule) -> None:
    """Lanes of a warp of 32, under any name, that count the bits of a set of 64."""
    keys = rule.read(Keys)
    text, words = unit.code.code, unit.rules.lanes
    if unit.code.words.isdisjoint(words.set_functions):
        return
    known = {each.start.line for each in unit.findings if each.code == rule.id}
    for each, bit, operand in bits_of_lanes(unit):
        line = str(unit.code.position(bit.start).line)
        reason = keys.met.format(bit=" ".join(text[slice(*bit)].split()), line=line)
        for span in makers_of_lanes(each, operand):
            at = unit.code.position(span.start).line
            if at not in known:
                known.add(at)
                _report(unit, rule, span, reason)


def _check_loops(unit: Unit, rule: FindingRule) -> None:
    """Loops over lanes with a shuffle right behind them, looked for before each shuffle."""
    keys = rule.read(Keys)
    text = unit.code.code
    if not unit.code.may_match(keys.shuffles):
        return
    done = 0
    for shuffle in unit.code.finditer(keys.shuffles):
        nearest = max(0, shuffle.start() - _REACH - _LONGEST_HEAD)
        line = text.rfind("\n", max(0, nearest - _LONGEST_LINE), nearest) + 1
        done = max(done, line or nearest)
        for match in re.compile(keys.loop).finditer(text, done, shuffle.start()):
            done = match.end()
            if shuffle.start() < match.end() + _REACH and not _is_of_lower_half(unit, keys, match):
                reason = f"the loop beside it exchanges values among {keys.lanes} lanes only"
                _report(unit, rule, Span(*match.span("symbol")), reason)
        # No loop begins in what was looked through, but for a head that goes on behind it.
        done = max(done, text.rfind("\n", done, max(0, shuffle.start() - _LONGEST_HEAD)) + 1)


def _is_of_lower_half(unit: Unit, keys: Keys, loop: re.Match[str]) -> bool:
    """Whether code for HIP has a loop over 32 lanes where no other lanes run."""
    if not _is_for_hip(unit, loop.start()):
        return False
    text = unit.code.code
    if _is_in_groups(unit, keys, text[slice(*_function_around(text, Span(*loop.span())))]):
        return True
    conditions = re.compile(keys.lower_half).finditer(
        text, max(0, loop.start() - _LONGEST_LINE), loop.start()
    )
    return any((closing_bracket(text, each.end() - 1) or 0) > loop.start() for each in conditions)


def _is_in_groups(unit: Unit, keys: Keys, function: str) -> bool:
    """Whether lanes of a function of HIP's work together in groups of 32 only, and say so."""
    if len(function) >= _LONGEST_FUNCTION or re.search(keys.wide, function):
        return False
    groups = groups_of(unit.code, unit.rules, keys.grouped, keys.together)
    return groups.has_small_block(function, keys.blocks) or groups.are_all(function)


def _is_for_hip(unit: Unit, offset: int) -> bool:
    return not (unit.keeps_warps and unit.keeps_warps(offset))


def _check_constants(unit: Unit, rule: FindingRule) -> None:
    """Constants whose name says that they are the warp size; not where another value is given."""
    keys = rule.read(Keys)
    for name in unit.code.words_with(keys.constant_words):
        if not re.fullmatch(keys.constant, name):
            continue
        given = definitions_in_file(unit.code, name)
        if not given and may_be_initialized(unit.code.code, name):
            given = _initial_values(unit, name)
        if any(each.text in keys.other_values for each in given):
            continue
        sizes = [each for each in given if _is_warp_size(unit, each.text)]
        if sizes and not _is_of_no_lanes(unit, keys, name):
            for each in sizes:
                start = unit.code.code.find(name, each.offset)
                span = Span(start, start + len(name))
                _report(unit, rule, span, "the name says that it is the warp size")


def _check_counted(unit: Unit, rule: FindingRule) -> None:
    """Numbers of threads: so many warps, times 32."""
    keys = rule.read(Keys)
    text = unit.code.code
    for match in unit.code.finditer(keys.counted):
        is_behind = match["after"] is not None
        word = word_before(text, skip_back(text, match.start()))
        factor = match["after"] if is_behind else text[slice(*word)]
        if re.fullmatch(keys.warps, factor):
            span = Span(match.start() if is_behind else word.start, match.end())
            _report(unit, rule, span, f"a warp counts for {keys.lanes} threads", Severity.REVIEW)


def _check_said(unit: Unit, rule: FindingRule) -> None:
    """Constants of which a comment says that they are the warp size, and their names do not."""
    keys = rule.read(Keys)
    text = unit.code.text
    for match in re.compile(keys.said).finditer(text):
        head = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        defined = _DEFINED.fullmatch(head)
        if defined and not re.fullmatch(keys.constant, defined["name"]):
            start = match.start() - len(head) + defined.start("name")
            span = Span(start, start + len(defined["name"]))
            _report(unit, rule, span, "the comment says that it is the warp size")


def _is_of_no_lanes(unit: Unit, keys: Keys, name: str) -> bool:
    """Whether a source for HIP has nothing for lanes that a constant could be for.

    What its builds leave out does not count. A header's constant may be for those that include it.
    """
    if unit.is_header or not _is_for_hip(unit, 0):
        return False
    pieces = compiled(unit.code, unit.rules, unit.warps.macros)
    text = "\n".join(piece for _, piece in pieces)
    groups = groups_of(unit.code, unit.rules, keys.grouped, keys.together)
    if re.search(keys.together, text) and not re.search(keys.wide, text) and groups.are_all(text):
        return True
    aliases = re.findall(rf"(?<!\w)(\w+)\s*=\s*{name}\s*;", text)
    shapes = (keys.on_lanes % each for each in {name, *aliases})
    return not any(re.search(each, text) for each in (keys.together, *shapes))


def _initial_values(unit: Unit, name: str) -> list[Definition]:
    """Those of static variables and of device functions, and of parameters of templates."""
    return [
        Definition(unit.code.slice(each.value).strip("(){} "), each.name.start)
        for each in variables_named(unit.declarations, name)
        if each.value
        and (
            "static" in each.words
            or is_of_template(unit.declarations, each)
            or in_device_code(unit, each.name.start)
        )
    ]


def _is_warp_size(unit: Unit, value: str) -> bool:
    """Whether a value is 32 in numbers: one that names another constant repeats what that says."""
    is_written = _WORD.search(value) is None
    return is_written and number(unit.code, unit.rules, value) == unit.rules.lanes.lanes


def _thread_indices(rule: FindingRule, text: str, assigned: str) -> set[str]:
    """Variables that hold a thread's index, by how they are given it."""
    keys = rule.read(Keys)
    if not any(name in text for name in rule.names):
        return set()
    found: set[str] = set()
    shape = re.compile(assigned)
    done = 0
    # A statement at a time, as the pattern does not reach beyond one.
    while (at := text.find(keys.assigned_from, done)) >= 0:
        start = end_before(text, done, at) + 1
        done = text.find(";", at) + 1 or len(text)
        found.update(match["name"] for match in shape.finditer(text, start, done))
    found.update(match["name"] for match in re.finditer(keys.macro, text))
    return found


def _check_index(unit: Unit, rule: FindingRule, span: Span, *, is_of_block: bool = True) -> None:
    keys = rule.read(Keys)
    text = unit.code.code
    nearest = max(0, span.start - _LONGEST_LINE)
    statement = end_before(text, nearest, span.start)
    # A line that ends in an operator goes on in the next.
    *before, target = text[statement + 1 : span.start].split("\n")
    while before and before[-1].rstrip()[-1:] in _GOES_ON:
        target = f"{before.pop()} {target}"
    if _is_for_hip(unit, span.start) and re.search(keys.halves, target):
        return
    around = _function_around(text, span)
    function = text[slice(*around)]
    if _is_for_hip(unit, span.start) and (
        not re.search(keys.together, function) or _is_in_groups(unit, keys, function)
    ):
        return  # 32 threads are a group of this code's own, which any wavefront may have.
    is_lane = re.search(keys.lane_names, target) and not (
        re.search(keys.short_names, target)
        and not re.search(rf"(?i:warp|lane)|{keys.shuffles}", function)
    )
    if is_lane or (
        without_casts(target).rstrip(" (").split()[-1:] == ["return"]
        and _is_named_for_lanes(keys, text, around.start, span.start)
    ):
        _report(unit, rule, span, "the result is used as the index of a lane or a warp")
        return
    index = _WORD_WHOLE.findall(text[slice(*span)])[0]
    if re.search(keys.tiled.replace("%s", index), text[nearest : span.end + _REACH]):
        return
    if _DIVIDED.search(text, *span) and re.search(keys.lane_beside % index, function):
        _report(unit, rule, span, "the function makes the lane of the same index")
        return
    if is_of_block and re.search(keys.beside, function):
        _report(unit, rule, span, "the function makes the warp's number of the same index")
        return
    if re.search(keys.shuffles, function):
        _report(unit, rule, span, "the function also uses warp operations", Severity.REVIEW)
    elif is_of_block and re.compile(keys.first).match(text, span.start):
        _report(unit, rule, span, "it chooses one thread of every 32", Severity.REVIEW)


def _function_around(text: str, span: Span) -> Span:
    """The function that a place is in, as far as people write them."""
    nearest = max(0, span.start - _LONGEST_FUNCTION)
    start = max(nearest, text.rfind("\n}", nearest, span.start))
    end = text.find("\n}", span.end, span.end + _LONGEST_FUNCTION)
    return Span(start, end if end >= 0 else span.end + _LONGEST_FUNCTION)


def _is_named_for_lanes(keys: Keys, text: str, start: int, end: int) -> bool:
    """Whether the function that returns something at the end is called after a lane or a warp."""
    heads = re.findall(r"(?<!\w)(\w+)\s*\([^(){};]{0,200}\)\s*(?:const\s*)?\{", text[start:end])
    return bool(heads) and re.search(keys.lane_names, f"{heads[-1]} =") is not None


def _report(
    unit: Unit, rule: FindingRule, span: Span, reason: str, severity: Severity | None = None
) -> None:
    if counts(unit, rule, span.start):
        symbol = " ".join(unit.code.slice(span).split())
        unit.report(rule.id, span, symbol, {"reason": reason}, severity=severity)
