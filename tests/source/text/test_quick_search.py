"""A quick search finds what `re` finds."""

from __future__ import annotations

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.rulebook.finding_rules import example_tables
from hipport.rulebook.load import load
from hipport.source.text.quick_search import matches
from hipport.source.text.required_texts import is_found
from tests.support.folders import FIXTURES

PATTERNS = [
    r"\w\s*(?:a+|b)cab\w?",
    r"(?<!a)[^;b]*?(?:abc|cab){1,2}(?!a)",
    r"(?:a|b)?(?:\(abc|\.cab)+",
    r"(b|c)\1abc|\Wcba",
    r"(?:ab|(?i:A)b)+abc",
    r"(?<![\w.>:])(?P<symbol>assert)\s*\(",
    r"\b(?:cuda|hip)Host\b|\bcuMem\b",
    r"^ab|(?:ab)+c",
    r"^[^\n;]*?(?:abc|cab)",
    r"^\s*[ab]*(?i:abc)[^;]*",
    r"^(?=[^\n]*b).*cab|^a\s+",
    r"a[bc]+(?=\s)",
    r"(?:ab?)+b",
    r"(?i:ab)c",
    r"(?:aa|a)b",
    r"[ab]c(?<!bc)",
    r"(?i:(?P<symbol>\b\w*)\s*[^;]{0,5}?(?:cAb|1|abcé)\b)",
    r"\w*(?i:[^B]*aBC(?-i:c)|.Cab)+",
    r"(?P<symbol>\b\w{0,4}?(?i:cab)\w*)\s*[.(]?",
    r"(?:[.(]|\bcab|\b[^a])\s*\w*(?:abc|assert)",
    r"^[ac]?\s*\w*abc|^(?:;*\(cab)",
    r"(?s:a.b)|c\\|(?=a|b)x|\bcab",
    r"\A(?![\s\S]*B)[\s\S]*\babc",
    r"\Aabc|cab",
]


TEXTS = st.lists(
    st.sampled_from(["abc", "cab", "aBC", "CAB", *"abcB1É \n.(é€", ";" * 20, "assert("]),
    max_size=30,
).map("".join)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=TEXTS, places=st.sampled_from(["", "abc\n\n" * 20]))
def test_it_finds_what_re_finds(pattern: str, text: str, places: str) -> None:
    text += places
    wanted = [match.span() for match in re.finditer(pattern, text, re.MULTILINE)]
    assert [match.span() for match in matches(pattern, text)] == wanted
    assert is_found(pattern, text) == bool(wanted)


@pytest.mark.slow
def test_it_finds_what_re_finds_with_every_pattern_of_the_rules() -> None:
    rules = load(is_audit=True).findings.values()
    pages = {
        rule.id: [
            str(each["code"])
            for kind in ("bad", "good")
            for each in example_tables(rule, kind)  # type: ignore[arg-type]
            if "code" in each
        ]
        for rule in rules
    }
    sources = [path.read_text("utf-8") for path in sorted((FIXTURES / "cuda").rglob("*.cu"))]
    others = [*chain.from_iterable(pages.values()), *sources][::10]
    found = 0
    for rule in rules:
        text = "\n".join([*pages[rule.id], *others])
        for pattern in rule.patterns:
            wanted = [match.span() for match in re.finditer(pattern, text, re.MULTILINE)]
            assert [match.span() for match in matches(pattern, text)] == wanted, pattern
            found += len(wanted)
    assert found > 300
