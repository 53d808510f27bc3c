"""What a pattern cannot match without: never wrong, and known for nearly every rule."""

from __future__ import annotations

import re

import pytest

from hipport.rulebook.finding_rules import example_tables
from hipport.rulebook.load import load
from hipport.source.text.required_texts import is_found, may_match, required

RULES = load(is_audit=True).findings.values()
PATTERNS = [pattern for rule in RULES for pattern in rule.patterns]
TEXTS = [
    str(example["code"])
    for rule in RULES
    for example in (*example_tables(rule, "bad"), *example_tables(rule, "good"))
    if "code" in example
]


@pytest.mark.parametrize(
    ("pattern", "choices"),
    [
        (r"==[\d.]+\+cu\d+", {("==",), ("+cu",)}),
        (r"\b(?:alpha|beta)\w*\(", {("alpha", "beta")}),
        (r"(?:alpha|b)", set()),
        (r"(?i:alpha) beta", {(" beta",)}),
        (r"(?i)alpha", set()),
        (r"(?:alpha)?beta", {("beta",)}),
        (r"(?:alpha){2}x", {("alpha",)}),
        (r"(?<!alpha)beta(?!gamma)(?=delta)", {("beta",)}),
        (r"[ab]c", set()),
        (r"al\bpha(?=b)x", {("alphax",)}),
        (r"alpha+?bet{0,}a{,2}", {("alph",), ("be",)}),
        (r"alpha{2,}x{}y{z", {("alph",), ("x{}y{z",)}),
        (r"(\w+) alpha\1(?P<b>beta)(?P=b)", {(" alpha",), ("beta",)}),
        (r"(?:al(?:p|ph)a|\[be\.ta)", {("al", "[be.ta")}),
        (r"[]al]pha[^]be]ta", {("pha",), ("ta",)}),
        (r"", set()),
    ],
)
def test_by_hand(pattern: str, choices: set[tuple[str, ...]]) -> None:
    assert set(required(pattern)) == choices


@pytest.mark.slow
def test_a_text_that_matches_is_never_left_out() -> None:
    matches = 0
    for pattern in PATTERNS:
        expression = re.compile(pattern, re.MULTILINE)
        for text in TEXTS:
            if expression.search(text):
                matches += 1
                assert may_match(pattern, text) and is_found(pattern, text), (pattern, text)
    assert matches > 250


def test_nearly_every_rule_requires_something() -> None:
    without = [pattern for pattern in PATTERNS if not required(pattern)]
    assert len(without) < len(PATTERNS) / 10


@pytest.mark.parametrize(
    "pattern", [r"(?x) al pha", r"(a)?(?(1)beta|gamma)", r"\x61lpha", r"(?s:.)alpha", r"\123alpha"]
)
def test_nothing_is_known_of_what_rules_do_not_use(pattern: str) -> None:
    assert required(pattern) == ()
