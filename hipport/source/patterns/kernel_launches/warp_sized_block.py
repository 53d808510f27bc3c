"""Launches whose blocks are one warp of 32 threads, or are made of warps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import arguments_in, functions
from hipport.source.flow.launched_blocks import Launch, bounds, launched_blocks
from hipport.source.flow.work_by_warps import may_work_by_warps
from hipport.source.names.constants import definitions_in_file, number
from hipport.source.names.given_values import last_given
from hipport.source.source_file import Unit
from hipport.source.text.source_text import Code

_NAME = regex(r"(?<![\w.])[A-Za-z_]\w*")
_ONE = regex(r"\s*(?:dim3\s*)?[({]?\s*1[uU]?\s*(?:,\s*1[uU]?\s*)*[)}]?\s*")
_FEW = regex(r"\bif\s*\(\s*\w+\s*<=?\s*(?P<most>\d+)[uU]?\s*\)\s*\{?\s*\w+\s*=\s*\Z")
_LONGEST_CONDITION = 120
_LEAST = regex(r"\s*(?:::|std\s*::\s*)?min\s*(?:<[\w\s]*>\s*)?\((?P<of>.*)\)\s*", re.DOTALL)


class Keys(RuleKeys, frozen=True):
    whole: bool
    """Whether the rule is about blocks of one warp, or about those of several."""
    counted: Regex
    """What counts warps, in the size of a block."""
    alone: Regex = Regex("")
    """How a kernel begins of which one thread of a block does the work."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the size of each such block, and where a variable or constant has it from."""
    keys = rule.read(Keys)
    reported: set[int] = set()
    for launch, sizes, values in launched_blocks(unit.declarations, unit.rules):
        is_row = values[0] == unit.rules.lanes.lanes or _is_at_most_a_warp(unit, sizes[0])
        is_one_warp = is_row and all(each == 1 for each in values[1:])
        bodies = _bodies(unit.code, unit.rules).get(launch.kernel, [])
        if is_one_warp != keys.whole or not (keys.whole or _may_have_warps(unit, bodies)):
            continue
        if is_one_warp and (
            _ONE.fullmatch(launch.grid)
            or _is_of_one_thread(unit, keys, bodies)
            or _is_for_few(unit, launch, sizes[0])
        ):
            continue  # A wider block has nothing to do.
        counted = [each for each in sizes if _is_counted(unit, launch, each, keys.counted)]
        if is_row or counted:
            for span in _places(unit, launch, [*sizes[:is_row], *counted]):
                if span.start not in reported and counts(unit, rule, span.start):
                    reported.add(span.start)
                    symbol = " ".join(unit.code.slice(span).split())
                    unit.report(rule.id, span, symbol, of=bodies[0].start if bodies else None)
    if keys.whole:
        _find_bounded(unit, rule)


def _is_at_most_a_warp(unit: Unit, size: str) -> bool:
    """Whether a size is the least of a warp's threads and something else: `min(n, 32)`."""
    least = _LEAST.fullmatch(size)
    of = arguments_in(least["of"]) if least else []
    lanes = unit.rules.lanes.lanes
    return len(of) > 1 and any(number(unit.code, unit.rules, each) == lanes for each in of)


def _is_for_few(unit: Unit, launch: Launch, size: str) -> bool:
    """Whether a block is one warp where the work is less than two: `if (n < 64) threads = 32;`."""
    for name in filter(str.isidentifier, (size, launch.block.strip())):
        given = last_given(unit.declarations, name, launch.offset)
        start = given.start if given else 0
        few = _FEW.search(unit.code.code[max(0, start - _LONGEST_CONDITION) : start])
        if few and int(few["most"]) <= 2 * unit.rules.lanes.lanes:
            return True
    return False


def _is_of_one_thread(unit: Unit, keys: Keys, bodies: list[Span]) -> bool:
    """Whether the file has the kernel, and all threads of a block but one leave it at once."""
    texts = [unit.code.code[slice(*each)] for each in bodies]
    return bool(keys.alone and texts) and all(re.match(keys.alone, each) for each in texts)


@lru_cache(maxsize=1)
def _bodies(code: Code, rules: RuleSet) -> dict[str, list[Span]]:
    """Function -> its bodies, one for each definition."""
    found: dict[str, list[Span]] = {}
    for each in functions(code, rules):
        found.setdefault(each.name, []).append(each.body)
    return found


def _may_have_warps(unit: Unit, bodies: list[Span]) -> bool:
    """Whether the file lacks the kernel, or something in it may depend on a warp's threads."""
    texts = [unit.code.code[slice(*each)] for each in bodies]
    return not texts or any(may_work_by_warps(each, unit.rules) for each in texts)


def _find_bounded(unit: Unit, rule: FindingRule) -> None:
    """Report each kernel that is bounded to blocks of one warp."""
    lanes, text = unit.rules.lanes, unit.code.code
    for each in bounds(unit.code, unit.rules, Span(0, len(text))):
        if each.threads == lanes.lanes and counts(unit, rule, each.offset):
            unit.report(rule.id, _span(each.offset, lanes.launch_bounds), lanes.launch_bounds)


def _is_counted(unit: Unit, launch: Launch, size: str, counted: str) -> bool:
    given = last_given(unit.declarations, size, launch.offset) if size.isidentifier() else None
    values = (size, unit.code.code[slice(*given)]) if given else (size,)
    return any(re.search(counted, each) for each in values) or _is_multiplied(unit, launch, size)


def _is_multiplied(unit: Unit, launch: Launch, size: str) -> bool:
    """Whether the function makes a variable a number of warps' threads: `threads *= 32`."""
    text, lanes = unit.code.code, unit.rules.lanes.lanes
    function = text[text.rfind("\n}", 0, launch.offset) + 1 : launch.offset]
    return size.isidentifier() and bool(re.search(rf"\b{size}\s*\*=\s*{lanes}[uU]?\b", function))


def _places(unit: Unit, launch: Launch, sizes: list[str]) -> Iterator[Span]:
    """Where the launch has its block, and where the block, or a constant in it, has its size."""
    text = unit.code.code
    yield _span(text.find(launch.block, launch.offset), launch.block)
    block = launch.block.strip()
    given = last_given(unit.declarations, block, launch.offset) if block.isidentifier() else None
    for size in sizes if block.isidentifier() else ():
        at = text.find(size, *given) if given else -1
        yield _span(at if at >= 0 else text.rfind(size, 0, launch.offset), size)
    for name in {name for size in sizes for name in _NAME.findall(size)}:
        for each in definitions_in_file(unit.code, name):
            yield _span(text.find(name, each.offset), name)


def _span(start: int, text: str) -> Span:
    return Span(start, start + len(text))
