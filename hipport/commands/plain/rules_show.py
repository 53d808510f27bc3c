"""`hipport rules show`: everything known about a name or a finding."""

from __future__ import annotations

import sys

from hipport.errors import UsageError, printable
from hipport.rulebook.facts_of_names import build_rules, script_findings, signature
from hipport.rulebook.model import ApiRule
from hipport.runs.settings import configured_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hipport.rulebook.facts_of_names import Rule as BuildRule
    from hipport.rulebook.finding_rules import FindingRule
    from hipport.rulebook.model import HeaderRule
    from hipport.rulebook.rules import RuleSet


def run(names: Sequence[str]) -> int:
    """Write what is known about the one name; the exit code."""
    (name,) = names
    rules, audits = configured_rules(), configured_rules(is_audit=True)
    findings = [audits.findings[name]] if name in audits.findings else []
    shown = [
        *_api(rules, name),
        *_header(rules, name),
        *map(_line, build_rules(rules, name)),
        *map(_finding, [*findings, *_whole_library(audits, name), *script_findings(audits, name)]),
    ]
    if not shown:
        import difflib

        close = difflib.get_close_matches(name, rules.names, n=3)
        hint = f"did you mean {', '.join(close)}?" if close else "hipport rules list has all names"
        raise UsageError(f"no rule for {name}", remedy=hint)
    sys.stdout.write("\n\n".join(shown) + "\n")
    return 0


def _whole_library(rules: RuleSet, name: str) -> list[FindingRule]:
    """The finding for the library of a name or header that no line of the rulebook has."""
    from hipport.source.names.library_shapes import header_finding, whole_library

    by_header = (
        rules.findings.get(header_finding(rules, name)) if name not in rules.headers else None
    )
    found = by_header or whole_library(rules, name)
    return [found] if found else []


def _table(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(printable(f"{key:<16} {value}") for key, value in rows if value)


def _api(rules: RuleSet, name: str) -> Iterator[str]:
    for rule in rules.every_api_of(name):
        columns = [(column.replace("_", " "), getattr(rule, column)) for column in ApiRule._fields]
        links = [("link", each) for each in rules.libraries[rule.library].docs]
        yield _table([*columns, ("signature", signature(rules, rule)), *links])
    for target in ("hip", "roc"):
        for transform in rules.transforms.of(name, target):
            words = [transform.operation, transform.index, transform.value]
            when = f"with {transform.arguments} arguments" if transform.arguments else ""
            yield _table(
                [
                    ("arguments", f"({target}) " + " ".join(filter(None, [*words, when]))),
                    ("note", transform.note),
                    ("source", transform.source),
                ]
            )


def _header(rules: RuleSet, name: str) -> Iterator[str]:
    rule = rules.headers.get(name)
    if rule:
        yield _line(rule)


def _line(rule: HeaderRule | BuildRule) -> str:
    """A line of the rulebook, a column a line."""
    return _table((column.replace("_", " "), getattr(rule, column)) for column in rule._fields)


def _finding(rule: FindingRule) -> str:
    return _table(
        [
            ("code", rule.id),
            ("severity", rule.severity.word),
            ("title", rule.title),
            ("message", rule.message),
            ("suggestion", rule.suggestion),
            *(("link", link) for link in rule.links),
            ("names", " ".join(sorted(rule.names))),
        ]
    )
