"""The examples of the rules for build and settings files in other forms: the same is found."""

from __future__ import annotations

from collections import defaultdict

import pytest

from hipport.commands.ruleexamples import Example, examples, found_in
from hipport.rulebook.load import load
from hipport.source.audit.audit_file import kind_of
from hipport.source.tree.file_task import language_of
from tests.support.build_forms import Form, forms_of

RULES = load(is_audit=True)
# Nets speak of the lines of a file, so that they may say more of several lines than of one.
NETS = {code for code, rule in RULES.findings.items() if rule.net}
# What rightly has other findings in another form: (example, form) -> why.
DIFFERENT = {
    (
        "HP-MAKE-002: bad example 1",
        "values_on_lines",
    ): "what is at one place is asked for each line: the option is in one, its value in the next",
}


def cases() -> dict[str, list[tuple[Example, Form]]]:
    found = defaultdict(list)
    for rule in RULES.findings.values():
        for example in examples(rule):
            name = example.table["file"]
            if example.needs_binaries or language_of(name):
                continue
            for form in forms_of(name, kind_of(name)):
                if form(example.table["code"]) != example.table["code"]:
                    found[rule.id].append((example, form))
    return found


CASES = cases()


def codes(example: Example, code: str) -> list[str]:
    changed = example._replace(table=example.table | {"code": code})
    return sorted({each.code for each in found_in(changed, RULES)} - NETS)


@pytest.mark.parametrize("rule", CASES)
def test_the_same_is_found_in_each_form(rule: str) -> None:
    different = {}
    for example, form in CASES[rule]:
        code = example.table["code"]
        before, after = codes(example, code), codes(example, form(code))
        if before != after:
            different[example.place, form.__name__] = (before, after)
    expected = {each for each in DIFFERENT if each[0].partition(":")[0] == rule}
    assert set(different) == expected, different


def test_each_difference_is_of_an_example_and_a_form() -> None:
    known = {(example.place, form.__name__) for all_ in CASES.values() for example, form in all_}
    assert known >= DIFFERENT.keys()


def test_forms_change_many_examples() -> None:
    assert sum(map(len, CASES.values())) > 3000
