"""Runs the examples that rules carry: the bad ones must be found, the good ones not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hipport.model import Finding
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule, example_tables
from hipport.rulebook.load import load
from hipport.rulebook.model import parse_version
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.audit_file import findings_in, kind_of
from hipport.source.convert.called_helpers import CALLED
from hipport.source.convert.cuda_uses import CODE
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.convert.python_kernels import NO_PLACE
from hipport.source.names.counterparts import Decisions
from hipport.source.tree.file_task import language_of
from hipport.source.tree.own_packages import without_named_folders


class Example(NamedTuple):
    """One example of a rule. `number` counts those of its kind from 1."""

    rule: FindingRule
    is_bad: bool
    number: int
    table: dict[str, Any]

    @property
    def place(self) -> str:
        return f"{self.rule.id}: {'bad' if self.is_bad else 'good'} example {self.number}"

    @property
    def needs_binaries(self) -> bool:
        """Whether it reads files that only the source tree has."""
        return "code" not in self.table or "binary" in self.table


def examples(rule: FindingRule) -> Iterator[Example]:
    """All examples of a rule."""
    for is_bad in (True, False):
        tables = example_tables(rule, "bad" if is_bad else "good")
        for number, table in enumerate(tables, start=1):
            yield Example(rule, is_bad, number, table)


def binaries(rules: RuleSet) -> Path:
    """Where the files are that examples without `code` name; those of traces are beside it."""
    return rules.folder.parent / "fixtures/prebuilt"


def found_in(example: Example, rules: RuleSet) -> list[Finding]:
    """The findings of an example, read as the file whose name it gives: those of the audit, and
    where the rule is one of `convert` too, its own."""
    table = example.table
    name = table["file"]
    if "code" not in table:
        from hipport.prebuilt.binary_facts import examine
        from hipport.prebuilt.binary_findings import finding_of

        binary = finding_of(examine(binaries(rules) / name, name, rules), name, rules)
        return [binary] if binary else []
    if "binary" in table:
        from hipport.runs.trace import findings_against

        folder = binaries(rules).parent / "trace"
        old = folder / table["old"] if "old" in table else None
        return findings_against(name, table["code"].encode(), folder / table["binary"], rules, old)
    code = example.rule.id
    # A function that a helper replaces is another finding without the helpers.
    helpers = code in (CALLED, NO_PLACE)
    options = default_options(rules)._replace(helpers=helpers, reports_cuda=code == CODE)
    if "rocm" in table:
        options = options._replace(rocm=parse_version(table["rocm"]))
    if "targets" in table:
        options = options._replace(targets=tuple(table["targets"]))
    language = language_of(name)
    data, decisions = table["code"].encode(), Decisions(rules, options)
    found = findings_in(data, name, language or kind_of(name), language, decisions).findings
    converting = load()
    if language and code in converting.findings:
        decisions = Decisions(converting, options)
        found = [*found, *convert_source(data, name, language, decisions).findings]
    return without_named_folders(found, rules)


def fault(example: Example, rules: RuleSet) -> str:
    """What an example shows to be wrong with its rule; "" if nothing."""
    lines = [each.start.line for each in found_in(example, rules) if each.code == example.rule.id]
    if example.is_bad and not lines:
        return "is not found"
    if not example.is_bad and lines:
        return f"is found in line {lines[0]}" if lines[0] else "is found"
    wanted = example.table.get("line")
    if wanted is not None and wanted not in lines:
        return f"is found in line {lines[0]}, not in line {wanted}"
    return ""
