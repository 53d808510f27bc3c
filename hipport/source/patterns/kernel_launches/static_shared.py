"""Kernels whose arrays in shared memory leave room for one workgroup in a compute unit."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts, device_body_at
from hipport.source.names.byte_sizes import bytes_in
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, word_before

_DECLARED = regex(
    r"\s*(?:(?:volatile|const|static)\s+|(?:__align__|alignas)\s*\([^()]*\)\s*)*"
    r"(?P<type>(?:(?:unsigned|signed|long|short)\s+)*[A-Za-z_][\w:]*)\s+"
    r"(?P<names>\w+\s*\[[^;{}=]{1,300});"
)
_ARRAY = regex(r"(?P<name>\w+)\s*(?P<sizes>(?:\[[^\[\]]+\]\s*)+)(?:,|\Z)")
_SIZE = regex(r"\[([^\[\]]+)\]")
_LEAST_BOUNDS = regex(r"__launch_bounds__\s*\(\s*(?P<threads>\w+)")
_ABOVE = 400
_LARGEST = 64 * 1024


class Keys(RuleKeys, frozen=True):
    memory: str
    dynamic: str
    """The word with which a launch gives the size."""
    most: int
    """Bytes of which two workgroups still fit."""
    enough: int
    """Threads of a block that keep a compute unit busy alone."""
    sizes: dict[str, int]
    """Type -> its bytes."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first array of each kernel whose arrays are more than half of what there is."""
    keys = rule.read(Keys)
    sums: dict[Span, int] = {}
    first: dict[Span, Span] = {}
    for name, size in _arrays(unit, keys):
        body = device_body_at(unit, name.start)
        is_always = body and unit.code.branch_at(name.start) == unit.code.branch_at(body.start)
        if body and is_always and counts(unit, rule, name.start):
            sums[body] = sums.get(body, 0) + size
            first.setdefault(body, name)
    for body, size in sums.items():
        if keys.most < size <= _LARGEST and not _is_large(unit, keys, body):
            name = first[body]
            unit.report(rule.id, name, unit.code.slice(name), {"size": str(size)})


def _arrays(unit: Unit, keys: Keys) -> Iterator[tuple[Span, int]]:
    """The names of the arrays in shared memory, and their bytes as far as they are known."""
    text = unit.code.code
    given = dict(unit.warps.numbers)
    for at in occurrences(text, keys.memory):
        declared = _DECLARED.match(text, at + len(keys.memory))
        if declared is None or text[slice(*word_before(text, at))] == keys.dynamic:
            continue
        of_one = keys.sizes.get(" ".join(declared["type"].split()))
        for array in _ARRAY.finditer(declared["names"]) if of_one else ():
            number = "*".join(f"({each})" for each in _SIZE.findall(array["sizes"]))
            size = bytes_in(unit.declarations, unit.rules, keys.sizes, number, at, given=given)
            start = declared.start("names") + array.start("name")
            if size is not None and of_one:
                yield Span(start, start + len(array["name"])), size * of_one


def _is_large(unit: Unit, keys: Keys, body: Span) -> bool:
    """Whether a kernel says that its blocks are as large as a compute unit needs them."""
    before = unit.code.code[max(0, body.start - _ABOVE) : body.start]
    before = before[max(before.rfind("}"), before.rfind(";")) + 1 :]
    bounds = _LEAST_BOUNDS.search(before)
    if bounds is None:
        return False
    given = dict(unit.warps.numbers)
    threads = bytes_in(
        unit.declarations, unit.rules, keys.sizes, bounds["threads"], body.start, given=given
    )
    return threads is None or threads >= keys.enough
