"""What is loaded while nobody types, so that no text has to wait for it."""

from __future__ import annotations

import importlib
import re

from hipport.rulebook.load import load
from hipport.rulebook.pattern_modules import own_key_expressions, pattern_modules
from hipport.source.text.quick_search import search_of
from hipport.source.text.required_texts import required


def prepare_patterns() -> None:
    """Import all patterns, and compile the expressions of all findings."""
    for module in pattern_modules().values():
        importlib.import_module(module)
    rules = load(is_audit=True).findings.values()
    for pattern in (pattern for rule in rules for pattern in rule.patterns):
        search_of(pattern).of_ascii  # noqa: B018  (compiled when it is asked for)
        required(pattern)
    # Last, as `re` keeps only the few hundred that it compiled last.
    for expression in (each for rule in rules for each in own_key_expressions(rule)):
        re.compile(expression)
        required(expression)


def of_many_names() -> str:
    """A text with a name or a hint of each finding, which has each pattern look at it."""
    rules = load(is_audit=True)
    findings = rules.findings.values()
    headers = [f"#include <{min(each.headers)}>" for each in findings if each.headers]
    names = [f"{min(each.names)}(a, b);" for each in findings if each.names]
    hints = [f"{min(each.hints)} a;" for each in findings if each.hints]
    unknown = f"{min(rules.names)}_();"
    return "\n".join((*headers, "__global__ void f() {", *names, unknown, *hints, "}", ""))
