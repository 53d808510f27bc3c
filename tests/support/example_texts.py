"""What is said of the bad examples of all findings; `python -m tests.support.example_texts` writes
it down anew."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.commands.ruleexamples import Example, examples, found_in
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from tests.support.folders import FIXTURES

FILE = FIXTURES / "audit" / "texts.txt"


def texts(example: Example, rules: RuleSet) -> list[str]:
    """Each finding of the example's rule: its place, and what the reports show."""
    return [
        f"{each.start.line}:{each.start.column} {each.severity.word} {each.symbol!r}"
        f" | {each.message} | {each.suggestion}".replace("\n", "\\n")
        for each in found_in(example, rules)
        if each.code == example.rule.id
    ]


def written_down() -> dict[str, list[str]]:
    """Example -> its texts, as the file has them."""
    found: dict[str, list[str]] = {}
    place = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[place].append(line[2:])
        else:
            place = line
            found[place] = []
    return found


def _lines() -> Iterator[str]:
    rules = load(is_audit=True)
    for rule in rules.findings.values():
        for example in examples(rule):
            if example.is_bad and not example.needs_binaries:
                yield example.place
                yield from (f"  {text}" for text in texts(example, rules))


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in _lines()), encoding="utf-8")
