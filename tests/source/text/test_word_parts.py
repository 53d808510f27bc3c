"""What a match has within a word: never wrong, and worth a look."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from hipport.rulebook.finding_rules import example_tables
from hipport.rulebook.load import load
from hipport.source.text.needed_words import NeededWords
from hipport.source.text.source_text import Code
from hipport.source.text.word_parts import word_part
from tests.source.text.test_quick_search import PATTERNS, TEXTS

FIRST_TEXTS = 20
"""More than are searched before words are looked at."""


def words_of(text: str) -> frozenset[str]:
    return Code(text.encode("latin-1")).words


def may_match(needed: NeededWords, pattern: str, text: str) -> bool:
    needed.add(words_of(text))
    return needed.may_match(pattern, words_of(text))


@pytest.mark.parametrize(
    ("pattern", "fitting", "others"),
    [
        (r"\w{0,9}?(?i:warps_?per_?sm)\s*=", ["kWarpsPerSM", "warps_per_sm"], ["warpsPerSmall"]),
        (r"\bsm\s*(?:[<>]=?|==)", ["sm", "asm"], ["small"]),
        (r"(?:\bNUM_?SMS?|smx{2,})(?:\[\w+\])?", ["NUMSMS", "NUM_SM_", "asmxx"], ["smx", "NUM"]),
        (r"(?:a|b+)c\w*::(?:lane|warp)s+", ["warps", "xlanes"], ["lane", "bc"]),
        (r"(?P<name>(?:\w+_)+arch)[^;]x", ["sm_arch"], ["archive", "arch"]),
        (r"(?:warp\w+;)+", ["warps"], ["warp"]),
    ],
)
def test_by_hand(pattern: str, fitting: list[str], others: list[str]) -> None:
    search = re.compile(word_part(pattern)).search
    assert all(map(search, fitting))
    assert not any(map(search, others))


@pytest.mark.parametrize(
    "pattern", ["", "word", r"\w+", r"\W+\s*", "(?:warps?|[^;]+)x?", "(?:warps?)*", "(?i)warps?"]
)
def test_nothing_is_known(pattern: str) -> None:
    assert word_part(pattern) == ""


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=TEXTS)
def test_a_text_that_matches_is_never_left_out(pattern: str, text: str) -> None:
    text = text.encode().decode("latin-1")
    needed = NeededWords()
    for number in range(FIRST_TEXTS):
        may_match(needed, pattern, f"text{number}")
    if re.search(pattern, text, re.MULTILINE):
        assert may_match(needed, pattern, text)


def test_a_text_without_the_word_is_left_out_after_a_few() -> None:
    needed = NeededWords()
    pattern = r"\w*(?:warps?|lanes)_sm\("
    few = [may_match(needed, pattern, f"warp({each})") for each in range(FIRST_TEXTS)]
    assert few[0] and not few[-1]
    assert may_match(needed, pattern, "the lanes_sm")
    assert not may_match(needed, pattern, "lanes")
    # A later text has the word from an earlier one.
    assert may_match(needed, pattern, "all lanes_sm")


def test_a_word_too_long_to_be_tried_may_be_the_one() -> None:
    needed = NeededWords()
    for number in range(FIRST_TEXTS):
        may_match(needed, "warps?_", f"text{number}")
    assert may_match(needed, "warps?_", "_" * 1_000_000)


@pytest.mark.slow
def test_no_example_of_a_rule_is_left_out() -> None:
    rules = load(is_audit=True).findings.values()
    matches = 0
    for rule in rules:
        codes = [each.get("code", "") for each in example_tables(rule, "bad")]
        for pattern in filter(word_part, rule.patterns):
            for code in codes:
                if re.search(pattern, code, re.MULTILINE):
                    matches += 1
                    text = code.encode().decode("latin-1")
                    search = re.compile(word_part(pattern)).search
                    assert any(map(search, words_of(text))), pattern
    assert matches > 100
