"""The examples of the rules in Python, formatted and spelled otherwise: the findings are the same.

Each statement has the findings that it has as the rule's author wrote it. Nothing differs, so that
there is no list of what may.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.commands.ruleexamples import Example, examples, found_in
from hipport.rulebook.load import load

RULES = load(is_audit=True)
pytestmark = pytest.mark.slow

FORMS = {
    "short lines": ("--line-length=50",),
    "long lines": ("--line-length=200", "--config=format.skip-magic-trailing-comma=true"),
    "single quotes": ("--config=format.quote-style='single'",),
    "double quotes": ("--config=format.quote-style='double'",),
}


def cases() -> list[Example]:
    found = (each for rule in RULES.findings.values() for each in examples(rule))
    return [
        each for each in found if not each.needs_binaries and each.table["file"].endswith(".py")
    ]


def statements(code: str) -> dict[int, str]:
    """Line -> the first line of the innermost statement there, in one form."""
    found: dict[int, str] = {}
    waiting: list[ast.AST] = [ast.parse(code)]
    while waiting:
        children = list(ast.iter_child_nodes(waiting.pop(0)))
        waiting += children
        for each in children:
            if isinstance(each, ast.stmt):
                first = ast.unparse(each).partition("\n")[0]
                found.update(dict.fromkeys(range(each.lineno, (each.end_lineno or 0) + 1), first))
    return found


def found(example: Example, code: str) -> set[tuple[str, str]]:
    """The findings by code and statement: one of a line may be several over more lines."""
    changed = example._replace(table=example.table | {"code": code})
    at = statements(code)
    return {(each.code, at.get(each.start.line, "")) for each in found_in(changed, RULES)}


@pytest.fixture(scope="module")
def as_written() -> list[tuple[Example, set[tuple[str, str]]]]:
    """The examples that are valid Python, and what is found in them."""
    known = []
    for each in cases():
        try:
            known.append((each, found(each, each.table["code"])))
        except SyntaxError:
            continue
    return known


def test_the_examples_can_be_parsed(as_written: list[tuple[Example, set[tuple[str, str]]]]) -> None:
    assert len(as_written) > 1700


@pytest.mark.parametrize("form", FORMS)
def test_findings_are_the_same_in_each_form(
    form: str, as_written: list[tuple[Example, set[tuple[str, str]]]], tmp_path: Path
) -> None:
    for number, (example, _) in enumerate(as_written):
        (tmp_path / f"{number}.py").write_text(example.table["code"], "utf-8")
    command = ("ruff", "format", "--isolated", "--no-cache", "--target-version=py311")
    formatting = [sys.executable, "-m", *command, *FORMS[form], str(tmp_path)]
    subprocess.run(formatting, check=True, capture_output=True)
    changed = 0
    different = {}
    for number, (example, expected) in enumerate(as_written):
        code = (tmp_path / f"{number}.py").read_text("utf-8")
        if code != example.table["code"]:
            changed += 1
            if (now := found(example, code)) != expected:
                different[example.place] = (expected - now, now - expected)
    assert changed > 300
    assert different == {}


class _Annotated(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        if len(node.targets) > 1 or not isinstance(node.targets[0], ast.Name):
            return node
        kind = ast.Name("object")
        return ast.AnnAssign(target=node.targets[0], annotation=kind, value=node.value, simple=1)


class _Reversed(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if all(each.arg for each in node.keywords):
            node.keywords = node.keywords[::-1]
        return node


def annotated(code: str) -> str:
    """Each variable said to have a type where it gets a value."""
    return _unparsed(_Annotated().visit(ast.parse(code)))


def keywords_reversed(code: str) -> str:
    return _unparsed(_Reversed().visit(ast.parse(code)))


def commented(code: str) -> str:
    """A comment behind each line."""
    return _in_lines(code, r"(?<=\S)$", "  # so")


def with_tabs(code: str) -> str:
    """Levels of indentation as tabs."""
    deeper = code
    for level in range(8):
        deeper = _in_lines(deeper, rf"^(\t{{{level}}}) {{4}}", r"\1\t")
    return deeper


def _in_lines(code: str, shape: str, new: str) -> str:
    return code if "'''" in code or '"""' in code else re.sub(shape, new, code, flags=re.MULTILINE)


def _unparsed(tree: ast.AST) -> str:
    return f"{ast.unparse(ast.fix_missing_locations(tree))}\n"


@pytest.mark.parametrize("change", [annotated, keywords_reversed, commented, with_tabs])
def test_findings_are_the_same_spelled_otherwise(
    change: Callable[[str], str], as_written: list[tuple[Example, set[tuple[str, str]]]]
) -> None:
    changed = 0
    different = {}
    for example, _ in as_written:
        plain = _unparsed(ast.parse(example.table["code"]))
        if (code := change(plain)) != plain:
            changed += 1
            before, now = ({code for code, _ in found(example, each)} for each in (plain, code))
            if now != before:
                different[example.place] = (before - now, now - before)
    assert changed > 100
    assert different == {}
