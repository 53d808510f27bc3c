"""Threads that leave a kernel before a barrier that the others of their block wait at."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts, device_bodies
from hipport.source.source_file import Unit

_LAMBDA = re.compile(r"\]\s*(?:\([^()]*\))?\s*(?:mutable\s*)?(?:->\s*[\w:<>*&\s]+)?\Z")
_LONGEST_HEAD = 300


class Keys(RuleKeys, frozen=True):
    barrier: str
    assigned: Regex
    leaves: Regex
    threads: tuple[str, ...]


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each `if (…) return;` before a barrier whose condition depends on the thread."""
    keys = rule.read(Keys)
    text = unit.code.code
    for body in device_bodies(unit):
        last = text.rfind(keys.barrier, body.start, body.end)
        if last < 0:
            continue
        inside = text[body.start : last]
        indices = {match["name"] for match in re.finditer(keys.assigned, inside)}
        for match in re.finditer(keys.leaves, inside):
            names = set(re.findall(r"\w+", match["condition"]))
            is_of_thread = names & (indices | set(keys.threads))
            if is_of_thread and not _is_in_lambda(inside, match.start()):
                start = body.start + match.start("symbol")
                if counts(unit, rule, start):
                    unit.report(rule.id, Span(start, start + len("return")), "return")


def _is_in_lambda(text: str, offset: int) -> bool:
    """Whether a brace that is open at the offset opens the body of a lambda."""
    depth = 0
    for at in range(offset - 1, -1, -1):
        if text[at] == "}":
            depth += 1
        elif text[at] == "{":
            depth -= 1
            if depth < 0:
                depth = 0
                if _LAMBDA.search(text, max(0, at - _LONGEST_HEAD), at):
                    return True
    return False
