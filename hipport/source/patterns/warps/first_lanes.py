"""Sets of the first lanes of a warp, which may be all of them: `(1u << count) - 1`.

PTX gives 0 for a number that is shifted by all its bits. AMD's instructions take the lowest five
bits of the distance, and leave the number as it is.
"""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import device_body_at
from hipport.source.names.constants import number
from hipport.source.names.given_values import values_given
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.warps.ported_warps import is_hip

_NAME = regex(r"[A-Za-z_]\w*")
_REACH = 120


class FixKeys(RuleKeys, frozen=True):
    shape: Regex
    masked: Regex
    held: Regex
    used: str
    """Where a variable of a `{name}` is such a mask."""
    up_to_all: Regex
    wide: str


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Shift in 64 bits where the set is a mask, or its number may be that of all lanes."""
    keys, text = rule.read(FixKeys), unit.code.code
    if is_hip(unit.code, unit.rules):
        return
    for match in re.finditer(keys.shape, text):
        body = device_body_at(unit, match.start())
        lanes = number(unit.code, unit.rules, match["number"])
        is_fewer = lanes is not None and lanes != unit.rules.lanes.lanes
        # A shift by the warp size itself has a finding of its own.
        is_told = lanes is None and match["number"].strip() in unit.rules.lanes.warp_size
        if body is None or is_fewer or is_told:
            continue
        if _is_mask(text, keys, match, body) or _may_be_all(unit, keys, match):
            place = Span(*match.span("one"))
            rewrite(unit, "first-lanes", [(place, keys.wide)], [place])


def _is_mask(text: str, keys: FixKeys, match: re.Match[str], body: Span) -> bool:
    start = max(body.start, match.start() - _REACH)
    if re.compile(keys.masked).search(text, start, match.start()):
        return True
    held = re.compile(keys.held).search(text, start, match.start())
    used = held and re.compile(keys.used.replace("{name}", held["name"]))
    return bool(used and used.search(text, match.end(), body.end))


def _may_be_all(unit: Unit, keys: FixKeys, match: re.Match[str]) -> bool:
    """Whether what counts the lanes is no more than all of them, for a set in 32 bits."""
    written = match["number"].strip()
    if not re.compile(keys.held).search(
        unit.code.code, max(0, match.start() - _REACH), match.start()
    ):
        return False
    if re.search(keys.up_to_all, written):
        return True
    if not _NAME.fullmatch(written):
        return False
    given = [each for each in values_given(unit.declarations, written) if each.end <= match.start()]
    return bool(given) and re.search(keys.up_to_all, unit.code.slice(given[-1])) is not None
