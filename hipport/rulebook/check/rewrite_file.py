"""Checks rules/rewrites.toml: what each rewrite must say, and that its pattern can be used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.rulebook.rules import RuleSet

_PLACE = "rules/rewrites.toml"
_TEXTS = ("title", "safety", "why", "source")


def rewrite_faults(rules: RuleSet) -> Iterator[str]:
    """What is wrong, a line each; nothing for a rulebook without the file."""
    if not (rules.folder / "rewrites.toml").is_file():
        return
    for name, rule in rules.rewrites.items():
        if name == "words":
            continue
        for key in _TEXTS:
            if not isinstance(rule.get(key), str) or not rule[key]:
                yield f"{_PLACE}: {name}: {key}: is missing"
        if rule.get("safety") not in ("safe", "unsafe"):
            yield f"{_PLACE}: {name}: safety: {rule.get('safety')!r} is neither safe nor unsafe"
        if "pattern" in rule:
            yield from _pattern_faults(name, rule["pattern"], rule.get("hint"))


def _pattern_faults(name: str, pattern: object, hint: object) -> Iterator[str]:
    try:
        groups = re.compile(str(pattern)).groupindex
    except re.error as error:
        yield f"{_PLACE}: {name}: pattern: {error}"
        return
    if "symbol" not in groups:
        yield f"{_PLACE}: {name}: pattern: names no group `symbol`"
    if not hint:
        yield f"{_PLACE}: {name}: hint: is missing"
