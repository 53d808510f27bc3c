"""The examples of the rules for C++ code in other layouts: what is found of each, and where.

`fixtures/audit/variants.tsv` has a line for each example and layout: the code twice, statements and
arguments on lines of their own, more spaces, within `#if 0`, with
conditions in their other form, and among the rule's good examples.
`python -m tests.source.patterns.test_example_variants` writes it again.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

from hipport.commands.ruleexamples import Example, examples, found_in
from hipport.rulebook.load import load
from hipport.source.tree.file_task import language_of
from tests.support.folders import FIXTURES

TABLE = FIXTURES / "audit" / "variants.tsv"
RULES = load(is_audit=True)
# Comments, directives, literals and what goes on in the next line keep their layout.
_KEPT = re.compile(r"//|/\*|\*/|^\s*#|[\"'\\]")
# New directives are marked, so that they are not changed back.
_CONDITIONS = {
    r"^#ifdef (\w+)": r"#!if defined(\1)",
    r"^#ifndef (\w+)": r"#!if !defined(\1)",
    r"^#if defined\((\w+)\)$": r"#!ifdef \1",
    r"^#if !defined\((\w+)\)$": r"#!ifndef \1",
    r"^#elif defined\((\w+)\)$": r"#!elifdef \1",
    r"^#elif !defined\((\w+)\)$": r"#!elifndef \1",
}


def twice(example: Example) -> str:
    code: str = example.table["code"]
    return code + code


def on_lines(example: Example) -> str:
    return _lines_with(example.table["code"], r"(?<=[,;{]) ", "\n    ")


def spaced(example: Example) -> str:
    return _lines_with(example.table["code"], r"(?<=\S) (?=\S)", "  ")


def left_out(example: Example) -> str:
    return f"#if 0\n{example.table['code'].rstrip()}\n#endif\n"


def other_conditions(example: Example) -> str:
    """`#ifdef X` as `#if defined(X)`, and the other way round."""
    code: str = example.table["code"]
    for shape, new in _CONDITIONS.items():
        code = re.sub(shape, new, code, flags=re.MULTILINE)
    return code.replace("#!", "#")


def behind_good(example: Example) -> str:
    """Behind all good examples of the rule, and before them."""
    good = [
        each.table["code"]
        for each in examples(example.rule)
        if not each.is_bad and language_of(each.table["file"]) not in ("", "python")
    ]
    return "".join([*good, example.table["code"], *reversed(good)])


VARIANTS = {
    each.__name__: each
    for each in (twice, on_lines, spaced, left_out, other_conditions, behind_good)
}


def _lines_with(code: str, shape: str, text: str) -> str:
    lines = code.split("\n")
    return "\n".join(each if _KEPT.search(each) else re.sub(shape, text, each) for each in lines)


def cases() -> Iterator[Example]:
    for rule in RULES.findings.values():
        for example in examples(rule):
            if not example.needs_binaries and language_of(example.table["file"]) not in (
                "",
                "python",
            ):
                yield example


def row(example: Example, variant: str) -> str:
    """The findings of the example's rule: line, column, severity, symbol, and hash of the text."""
    code = VARIANTS[variant](example)
    changed = example._replace(table=example.table | {"code": code})
    found = [each for each in found_in(changed, RULES) if each.code == example.rule.id]
    places = [
        f"{each.start.line}:{each.start.column} {each.severity.word} {each.symbol!r} "
        + hashlib.sha256(f"{each.message}\n{each.suggestion}".encode()).hexdigest()[:4]
        for each in found
    ]
    return "\t".join((example.place, variant, *places))


def rows() -> dict[str, list[str]]:
    found = defaultdict(list)
    for line in TABLE.read_text("utf-8").splitlines():
        found[line.partition(":")[0]].append(line)
    return found


EXPECTED = rows()


@pytest.mark.parametrize("code", EXPECTED)
def test_what_is_found_in_each_layout(code: str) -> None:
    mine = examples(RULES.findings[code])
    known = {example.place: example for example in mine}
    assert [
        row(known[place], variant)
        for place, variant, *_ in (line.split("\t") for line in EXPECTED[code])
    ] == EXPECTED[code]


def test_every_example_is_there() -> None:
    written = [line.split("\t")[:2] for lines in EXPECTED.values() for line in lines]
    assert sorted(written) == sorted([each.place, name] for each in cases() for name in VARIANTS)


@pytest.mark.parametrize(
    "example",
    [each for each in cases() if "<<<" in each.table["code"]],
    ids=lambda example: example.place,
)
def test_launches_may_be_written_as_formatters_do(example: Example) -> None:
    code = example.table["code"].replace("<<<", "<< <").replace(">>>", ">> >")
    changed = example._replace(table=example.table | {"code": code})
    as_written, as_formatted = (
        [(found.start.line, found.code) for found in found_in(each, RULES)]
        for each in (example, changed)
    )
    assert as_formatted == as_written


if __name__ == "__main__":
    lines = (row(each, name) for each in cases() for name in VARIANTS)
    TABLE.write_text("".join(f"{line}\n" for line in lines), "utf-8")
