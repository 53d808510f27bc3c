"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from hipport.lazy_regex import regex


def test_it_is_the_compiled_expression() -> None:
    lazy, compiled = regex(r"(?P<word>a+)\b", re.IGNORECASE), re.compile(r"(?P<word>a+)\b", re.I)
    assert lazy.findall("AA b aaa") == compiled.findall("AA b aaa") == ["AA", "aaa"]
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (
        compiled.pattern,
        compiled.flags,
        compiled.groupindex,
    )
    assert regex(rb"\d+").search(b"a12")[0] == b"12"


def test_what_is_no_expression_is_an_error_where_it_is_used() -> None:
    lazy = regex("(")
    with pytest.raises(re.error):
        lazy.search("(")
