"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
import subprocess
import sys

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


@pytest.mark.slow
def test_all_of_the_program_are_expressions() -> None:
    code = (
        "import importlib, pkgutil, hipport\n"
        "from hipport.lazy_regex import _Uncompiled\n"
        "named = [each.name for each in pkgutil.walk_packages(hipport.__path__, 'hipport.')]\n"
        "modules = [importlib.import_module(each) for each in named if 'main' not in each]\n"
        "values = [value for each in modules for value in vars(each).values()]\n"
        "print(sum(hasattr(each, 'search') for each in values if type(each) is _Uncompiled))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert int(done.stdout) > 300
