"""The reference of the findings: every file of rules/checks, with its examples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from page import Page, block, plain, prose, table

from hipport.rulebook.finding_rules import FindingRule, example_tables
from hipport.rulebook.load import load


def finding_pages() -> list[Page]:
    """An overview, then one page for each family of codes (`HP-WARP`)."""
    rules = sorted(load(is_audit=True).findings.values(), key=lambda rule: rule.id)
    families = {
        family: list(members)
        for family, members in groupby(rules, key=lambda rule: rule.id.rpartition("-")[0])
    }
    overview = [
        f'<a href="{family}.html#{rule.id.lower()}">{rule.id}</a>'
        for family, members in families.items()
        for rule in members
    ]
    rows = [
        (link, rule.severity.word, prose(rule.title))
        for link, rule in zip(overview, rules, strict=True)
    ]
    text = f"# All findings\n\n{len(rules)} findings. `hipport audit explain CODE` shows one.\n\n"
    pages = [Page("All findings", "reference/findings/all.md", text + table(_HEADING, rows))]
    for family, members in families.items():
        body = "\n".join(line for rule in members for line in _section(rule))
        pages.append(Page(family, f"reference/findings/{family}.md", f"# {family}\n\n{body}"))
    return pages


_HEADING = ("code", "severity", "what")
_FENCES = {"py": "python", "sh": "sh", "cu": "cpp", "cuh": "cpp", "cpp": "cpp", "h": "cpp"}


def _section(rule: FindingRule) -> Iterator[str]:
    yield f"## {rule.id} {{: #{rule.id.lower()} }}\n"
    yield f"**{plain(rule.title)}** ({rule.severity.word})\n"
    yield f"{prose(rule.message)}.\n"
    if rule.suggestion:
        yield f"{prose(rule.suggestion)}\n"
    for kind, heading in (("bad", "Reported"), ("good", "Not reported")):
        for example in example_tables(rule, kind):
            yield f"{heading}{_where(example)}\n"
            if "code" in example:
                yield block(example["code"], _FENCES.get(_ending(example), "text"))


def _where(example: dict[str, Any]) -> str:
    name = f" in `{example['file']}`" if "file" in example else ""
    return f"{name}, line {example['line']}" if "line" in example else name


def _ending(example: dict[str, Any]) -> str:
    return str(example.get("file", "")).rpartition(".")[2]
