"""The examples of the rules in Python with names imported otherwise: the same is found.

`fixtures/audit/imports.tsv` names what differs, and how: findings that are lost (`-`) or come up
(`+`), each with its code and line. What is left there: values that an assignment takes from a
module, which are told there; `CUDA_HOME`, told where it is imported, or else where it is used;
imports that the file does without; modules that rules/python_names.toml does not have, such as the
project's own; and words of the import that a rule asks for.
`python -m tests.source.patterns.test_python_imports` writes it again: read what changes.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

import pytest

from hipport.commands.ruleexamples import Example, examples, found_in
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from tests.support.folders import FIXTURES

TABLE = FIXTURES / "audit" / "imports.tsv"
RULES = load(is_audit=True)


class Bound(NamedTuple):
    """A name that an import at the left edge of a file binds, and what to."""

    name: str
    full: str
    statement: ast.Import | ast.ImportFrom
    item: ast.alias


class Form(NamedTuple):
    """What stands for an import, and for the name that it binds; None where nothing does."""

    statement: str
    used: str


Change = Callable[[Bound], Form | None]


def renamed(bound: Bound) -> Form | None:
    """`import a.b as name_`, `from a import b as name_`."""
    new = f"{bound.name}_"
    return Form(f"{_written(bound)} as {new}", new)


def taken(bound: Bound) -> Form | None:
    """`from a import b` for `import a.b as name`."""
    above, _, last = bound.full.rpartition(".")
    if not above or isinstance(bound.statement, ast.ImportFrom):
        return None
    return Form(f"from {above} import {last}", last)


def whole(bound: Bound) -> Form | None:
    """`import a` for `from a import b`, which is `a.b` then."""
    above = bound.full.rpartition(".")[0]
    if not above or (bound.name == bound.full.partition(".")[0]):
        return None
    module = bound.full if isinstance(bound.statement, ast.Import) else above
    return Form(f"import {module}", bound.full)


def of_module(bound: Bound) -> Form | None:
    """`import a as a_` for `from a import b`, which is `a_.b` then."""
    above, _, last = bound.full.rpartition(".")
    if not above or isinstance(bound.statement, ast.Import):
        return None
    new = f"{above.rpartition('.')[2]}_"
    return Form(f"import {above} as {new}", f"{new}.{last}")


def assigned(bound: Bound) -> Form | None:
    """`name_ = a.b` behind `import a`."""
    new = f"{bound.name}_"
    above = bound.full.rpartition(".")[0]
    module = above if above and isinstance(bound.statement, ast.ImportFrom) else bound.full
    return Form(f"import {module}\n{new} = {bound.full}", new)


def tried(bound: Bound) -> Form | None:
    """What is None where it cannot be imported, by another name."""
    new = f"{bound.name}_"
    statement = f"{_written(bound)} as {new}"
    return Form(f"try:\n    {statement}\nexcept ImportError:\n    {new} = None", new)


FORMS: dict[str, Change] = {
    each.__name__: each for each in (renamed, taken, whole, of_module, assigned, tried)
}


def _alone(bound: Bound) -> ast.stmt:
    if isinstance(bound.statement, ast.Import):
        return ast.Import([bound.item])
    return ast.ImportFrom(bound.statement.module, [bound.item], 0)


def _written(bound: Bound) -> str:
    """The import of a name alone, without another name for it."""
    plain = bound._replace(item=ast.alias(bound.item.name))
    return ast.unparse(_alone(plain))


def bound_names(tree: ast.Module) -> Iterator[Bound]:
    """What imports at the left edge bind, but from the package itself."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for item in statement.names:
                if item.asname or "." not in item.name:
                    yield Bound(item.asname or item.name, item.name, statement, item)
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            for item in statement.names:
                full = f"{statement.module}.{item.name}"
                if item.name != "*" and statement.module != "__future__":
                    yield Bound(item.asname or item.name, full, statement, item)


def _names(tree: ast.Module) -> Counter[str]:
    """What else is said to be a value of each name."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, ast.arg):
            found[node.arg] += 1
        elif isinstance(node, ast.alias):
            found[(node.asname or node.name).partition(".")[0]] += 1
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found[node.name] += 1
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
    return found


def changed(code: str, change: Change) -> tuple[str, list[int]] | None:
    """The code with names imported otherwise, and each of its lines as it was numbered."""
    tree = ast.parse(code)
    counts = _names(tree)
    new: dict[str, Form] = {}
    lines: dict[int, list[str]] = defaultdict(list)
    replaced: dict[int, ast.stmt] = {}
    for each in bound_names(tree):
        form = change(each) if counts[each.name] == 1 else None
        if form and counts[form.used.partition(".")[0]]:
            form = None
        if form:
            new[each.name] = form
        lines[each.statement.lineno].append(form.statement if form else ast.unparse(_alone(each)))
        replaced[each.statement.lineno] = each.statement
    if not new:
        return None
    data = code.encode()
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    edits = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in new:
            start = starts[node.lineno - 1] + node.col_offset
            if data[start : start + len(node.id)] != node.id.encode():
                return None
            edits.append((start, start + len(node.id), new[node.id].used))
    for number, statement in replaced.items():
        end = starts[(statement.end_lineno or 0) - 1] + (statement.end_col_offset or 0)
        edits.append((starts[number - 1], end, "\n".join(lines[number])))
    pieces, places, done = [], [0], 0
    for start, end, text in sorted(edits):
        pieces += [data[done:start], text.encode()]
        done = end
    made = b"".join([*pieces, data[done:]]).decode()
    for number in range(1, code.count("\n") + 2):
        count = "\n".join(lines[number]).count("\n") + 1 if number in replaced else 1
        places += [number] * count
    return made, places


def cases() -> Iterator[tuple[Example, str]]:
    for rule in RULES.findings.values():
        for example in examples(rule):
            if example.needs_binaries or not example.table["file"].endswith(".py"):
                continue
            for name, change in FORMS.items():
                try:
                    has_form = changed(example.table["code"], change)
                except SyntaxError:
                    break
                if has_form:
                    yield example, name


def difference(example: Example, name: str) -> str:
    """What is found otherwise in a form; "" where nothing is.

    What an import takes is said at the import where that names it, or else where it is used.
    """
    code: str = example.table["code"]
    form = changed(code, FORMS[name])
    assert form
    new, lines = form
    before, after = _found(example, code), _found(example, new)
    after = {(code, lines[line]) for code, line in after}
    if name not in ("renamed", "tried"):
        imports = {each.statement.lineno for each in bound_names(ast.parse(code))}
        before = {each for each in before if each[1] not in imports}
        after = {each for each in after if each[1] not in imports}
    lost, more = sorted(before - after), sorted(after - before)
    return " ".join(
        [*(f"-{code}:{line}" for code, line in lost), *(f"+{code}:{line}" for code, line in more)]
    )


def _found(example: Example, code: str) -> set[tuple[str, int]]:
    made = example._replace(table=example.table | {"code": code})
    return {(each.code, each.start.line) for each in found_in(made, RULES)}


def known() -> dict[tuple[str, str], str]:
    lines = (line.split("\t") for line in TABLE.read_text("utf-8").splitlines())
    return {(place, name): what for place, name, what in lines}


def by_code() -> dict[str, list[tuple[Example, str]]]:
    found = defaultdict(list)
    for example, name in cases():
        found[example.rule.id].append((example, name))
    return found


CASES = by_code()


@pytest.mark.slow
@pytest.mark.parametrize("code", CASES)
def test_names_imported_otherwise_are_found_alike(code: str) -> None:
    expected = {key: what for key, what in known().items() if key[0].startswith(f"{code}:")}
    found = {(each.place, name): difference(each, name) for each, name in CASES[code]}
    assert {key: what for key, what in found.items() if what} == expected


if __name__ == "__main__":
    rows = ((each.place, name, difference(each, name)) for each, name in cases())
    TABLE.write_text("".join("\t".join(row) + "\n" for row in rows if row[2]), "utf-8")
