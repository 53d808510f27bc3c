"""The reference of the findings: every file of rules/checks, with its examples and links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from page import Page, block, code, plain, prose, table

from hipport.rulebook.finding_rules import FindingRule, example_tables
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet


def finding_pages() -> list[Page]:
    """An overview, a page for each family of codes (`HP-WARP`), and one for each finding, which
    the navigation leaves out."""
    rules = load(is_audit=True)
    every = sorted(rules.findings.values(), key=lambda rule: rule.id)
    families = {
        family: list(members)
        for family, members in groupby(every, key=lambda rule: rule.id.rpartition("-")[0])
    }
    text = (
        f"# All findings\n\n{len(every)} findings in {len(families)} families."
        " `hipport help CODE` shows one in the terminal.\n\n"
    )
    pages = [Page("All findings", "reference/findings/all.md", text + _overview(every))]
    for family, members in families.items():
        body = f"# {family}\n\n{_overview(members)}"
        pages.append(Page(family, f"reference/findings/{family}.md", body))
    for members in families.values():
        for rule in members:
            path = f"reference/findings/{rule.id}.md"
            text = "\n".join(_page(rule, members, rules))
            pages.append(Page(rule.id, path, text, is_in_navigation=False))
    return pages


_FENCES = {"py": "python", "sh": "sh", "cu": "cpp", "cuh": "cpp", "cpp": "cpp", "h": "cpp"}
_MOST_NAMES = 40
_PLACE = re.compile(r"\{\w+\}")
"""What a message fills in."""


def _overview(rules: Iterable[FindingRule]) -> str:
    rows = [(_link(rule.id), _severity(rule), prose(rule.title)) for rule in rules]
    return table(("code", "severity", "what"), rows)


def _link(finding: str) -> str:
    return f'<a href="{finding}.html">{finding}</a>'


def _severity(rule: FindingRule) -> str:
    return f'<span class="severity {rule.severity.word}">{rule.severity.word}</span>'


def _page(rule: FindingRule, family: list[FindingRule], rules: RuleSet) -> Iterator[str]:
    yield f"# {rule.id}: {plain(rule.title)} {{: #{rule.id.lower()} }}\n"
    yield f"{_severity(rule)} in {', '.join(rule.languages)}\n"
    yield f"> {prose(_PLACE.sub('…', rule.message))}.\n"
    if rule.suggestion:
        yield f"## What to do\n\n{prose(rule.suggestion)}\n"
    for kind, heading in (("bad", "Reported"), ("good", "Not reported")):
        examples = example_tables(rule, kind)
        if examples:
            yield f"## {heading}\n"
        for example in examples:
            yield from _example(example)
    if rule.links:
        yield "## See also\n"
        yield "\n".join(f"- <{link}>" for link in rule.links) + "\n"
    if rule.names:
        yield f"## Names it is about\n\n{_names(rule, rules)}\n"
    yield "## To see these only, or not at all\n"
    yield block(
        f"hipport audit --select {rule.id} src/\nhipport audit --ignore {rule.id} src/", "sh"
    )
    if "binary" not in rule.languages:
        mark = "#" if set(rule.languages).isdisjoint(("cuda", "cpp", "c")) else "//"
        yield f"At one line: `{mark} hipport: ignore[{rule.id}]: why`\n"
    others = [each for each in family if each is not rule]
    name = rule.id.rpartition("-")[0]
    if others:
        yield f'## Others of <a href="{name}.html">{name}</a>\n\n{_overview(others)}'


def _example(example: dict[str, Any]) -> Iterator[str]:
    """An example; the line that the finding is at is lit."""
    if "code" not in example:
        yield f"In {code(str(example.get('file', '')))}, a file of fixtures/prebuilt.\n"
        return
    language = _FENCES.get(str(example.get("file", "")).rpartition(".")[2], "text")
    options = f'title="{example["file"]}"' if "file" in example else ""
    if "line" in example:
        options += f' hl_lines="{example["line"]}"'
    yield block(example["code"], f"{language} {options}".strip())


def _names(rule: FindingRule, rules: RuleSet) -> str:
    """The names, each with a link to the table of its library."""
    shown = []
    for name in sorted(rule.names)[:_MOST_NAMES]:
        library = rules.libraries.get(rules.names.get(name, ""))
        has_table = library is not None and library.policy != "none"
        page = f"../api/{library.name}.html" if library and has_table else ""
        shown.append(f'<a href="{page}">{code(name)}</a>' if page else code(name))
    more = len(rule.names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
