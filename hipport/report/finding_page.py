"""What a finding means, as `hipport audit explain` and editors show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hipport.report.effort import duration, weights
from hipport.rulebook.finding_rules import FindingRule, example_tables


def finding_page(rule: FindingRule) -> Iterator[str]:
    """The lines: severity, message, what to do, code that has it and code that does not, links."""
    yield f"{rule.id}: {rule.title}"
    yield f"Severity: {rule.severity.word}" + (f" ({effort})" if (effort := _effort(rule)) else "")
    yield f"Message: {rule.message}"
    if rule.suggestion:
        yield f"What to do: {rule.suggestion}"
    yield f"Read in: {', '.join(rule.languages)}"
    if rule.names:
        yield f"About: {', '.join(sorted(rule.names))}"
    yield from (line for each in example_tables(rule, "bad") for line in _example("Found in", each))
    yield from (
        line for each in example_tables(rule, "good") for line in _example("Not found in", each)
    )
    hiding = (
        "--exclude the file, or write a baseline"
        if "binary" in rule.languages
        else f"// hipport: ignore[{rule.id}]: why"
    )
    yield f"To hide one: {hiding}"
    for link in rule.links:
        yield f"See: {link}"


def _effort(rule: FindingRule) -> str:
    minutes = weights().minutes[rule.severity]
    if not minutes["kind"].likely:
        return ""
    step, where = ("same", "place") if weights().is_of_tree(rule.id) else ("file", "file")
    first, again = duration(minutes["kind"].likely), duration(minutes[step].likely)
    return f"about {first} in a tree, and {again} for each further {where}"


def _example(word: str, example: dict[str, Any]) -> Iterator[str]:
    yield ""
    if "code" not in example:
        yield f"{word} fixtures/prebuilt/{example['file']}"
        return
    yield f"{word} {example['file']}:"
    for number, line in enumerate(str(example["code"]).splitlines(), start=1):
        mark = ">" if example.get("line") == number else " "
        yield f"  {mark} {line}"
