"""What a pattern cannot match without: never wrong, and known for nearly every rule."""

from __future__ import annotations

import re

import pytest

from hipport.rulebook.finding_rules import example_tables
from hipport.rulebook.load import load
from hipport.source.text.required_texts import is_found, may_match, may_match_among, required
from hipport.source.text.source_text import Code

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
        (r"\x61lpha\x27", {("alpha'",)}),
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
                words = Code(text.encode("latin-1", "replace")).vocabulary
                assert may_match_among(pattern, text, words), (pattern, text)
    assert matches > 250


@pytest.mark.parametrize(
    ("pattern", "text", "is_possible"),
    [
        (r"-l(?:alpha|beta)\b", "x -lbeta", True),
        (r"-l(?:alpha|beta)\b", "x -beta", False),
        (r"==\d", "==", True),
        (r"==\d", "= =", False),
        (r"\w+", "", True),
    ],
)
def test_words_of_a_text_say_the_same(pattern: str, text: str, is_possible: bool) -> None:
    words = Code(text.encode()).vocabulary
    assert may_match_among(pattern, text, words) == may_match(pattern, text) == is_possible


def test_nearly_every_rule_requires_something() -> None:
    without = [pattern for pattern in PATTERNS if not required(pattern)]
    assert len(without) < len(PATTERNS) / 10


@pytest.mark.parametrize(
    "pattern",
    [r"(?x) al pha", r"(a)?(?(1)beta|gamma)", r"\u0061lpha", r"(?s:.)alpha", r"\123alpha"],
)
def test_nothing_is_known_of_what_rules_do_not_use(pattern: str) -> None:
    assert required(pattern) == ()
