"""Labels of one switch that differ in CUDA, and are one value in HIP."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.patterns.guarding import converted, guard
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip
from hipport.source.text.source_text import Code

_FINDING = "HP-TYPE-015"
# A look back behind the first letters, so that these are searched for.
_MARK = regex(
    r"[{}]|d(?<!\wd)efault\s*:(?!:)|c(?<!\wc)ase\s+(?:\w+\s*::\s*)*(?P<name>[A-Za-z_]\w*)\s*:(?!:)"
    r"|c(?<!\wc)ase\b[^:;{}]*:"
)
_ENDS = regex(r"\b(?:break|continue|(?:return|throw|goto)\b[^;]*)\s*;[\s}]*\Z")


class FixKeys(RuleKeys, frozen=True):
    macro: str


class _Label(NamedTuple):
    """`case NAME:` with the switch that it is in, and where what it leads to begins and ends."""

    span: Span
    name: Span
    switch: int
    body: Span


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each label whose value in HIP an earlier label has."""
    for _, second, new in _repeated(unit, rule):
        name = unit.code.slice(second.name)
        unit.report(rule.id, second.name, name, {"new": new})


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Compile the second only for CUDA, where both lead to the same."""
    macro = rule.read(FixKeys).macro
    for first, second, _ in _repeated(unit, unit.rules.findings[_FINDING]):
        if unit.code.branch_at(first.span.start) != unit.code.branch_at(second.span.start):
            continue
        if first.body == second.body or _converted(unit, first) == _converted(unit, second):
            guard(unit, "merged-label", macro, _lines(unit, second), [second.name])


def _repeated(unit: Unit, rule: FindingRule) -> Iterator[tuple[_Label, _Label, str]]:
    """Two labels of one switch with their value in HIP, of which the second is a name of CUDA's."""
    seen: dict[tuple[int, str], _Label] = {}
    for label in _labels(unit.code) if _may_repeat(unit) else ():
        name = unit.code.slice(label.name)
        new = _new(unit, label.name)
        first = seen.setdefault((label.switch, new or name), label)
        if new and unit.code.slice(first.name) != name and counts(unit, rule, label.span.start):
            here, there = (unit.code.branch_at(each.span.start) for each in (first, label))
            if here == there[: len(here)] or there == here[: len(there)]:
                yield first, label, new


def _may_repeat(unit: Unit) -> bool:
    """Whether a label may be a name that becomes what another name is, or becomes."""
    decisions = [(name, unit.decisions.of(name)) for name in unit.uses]
    made = [each.new for name, each in decisions if each and each.new not in ("", name)]
    if len(set(made)) == len(made) and unit.code.words.isdisjoint(made):
        return False
    text = unit.code.code
    return any(
        text.startswith(":", after) and not text.startswith("::", after)
        for name, each in decisions
        if each and each.new
        for use in unit.uses[name]
        if (after := skip(text, use.span.end))
    )


def _new(unit: Unit, name: Span) -> str:
    """What conversion makes of the name at this place; "" where it stays."""
    word = unit.code.slice(name)
    decision = unit.decisions.of(word)
    uses = [each for each in unit.of([word]) if each.span == name]
    return decision.new if decision and uses and decision.new != word else ""


@lru_cache(maxsize=1)
def _labels(code: Code) -> list[_Label]:
    """The labels with a name; those without one, and `default`, only end what is before them."""
    text = code.code
    opened: list[int] = []
    found: list[_Label] = []
    waiting: dict[int, list[tuple[Span, Span]]] = {}
    for match in _MARK.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
            continue
        switch = opened[-1] if opened else -1
        ready = waiting.get(switch, [])
        # Labels in a row lead to the same.
        if match[0] == "}" or (ready and text[ready[-1][0].end : match.start()].strip()):
            body = Span(ready[-1][0].end, match.start()) if ready else Span(0, 0)
            found += [_Label(span, name, switch, body) for span, name in ready if name.end]
            waiting.pop(switch, None)
        if match[0] == "}":
            opened = opened[:-1]
            continue
        name = Span(*match.span("name")) if match["name"] else Span(0, 0)
        waiting.setdefault(switch, []).append((Span(*match.span()), name))
    return sorted(found)


def _converted(unit: Unit, label: _Label) -> str | int:
    """What a label leads to, as it will be, without blanks; its place if it goes on to the next."""
    if not _ENDS.search(unit.code.code, *label.body):
        return label.span.start
    return "".join(converted(unit, label.body).split())


def _lines(unit: Unit, label: _Label) -> Span:
    """The label alone, or with what it leads to if that begins on its line."""
    text = unit.code.code
    end = text.find("\n", label.span.end)
    is_alone = not text[label.span.end : end].strip()
    return label.span if is_alone else Span(label.span.start, len(text[: label.body.end].rstrip()))
