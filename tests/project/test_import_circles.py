"""No module of hipport imports itself through others, within functions counted too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tests.support.folders import CHECKOUT

PACKAGE = CHECKOUT / "hipport"


def modules() -> dict[str, Path]:
    """Name -> file, for every module of hipport."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(module: str, known: dict[str, Path]) -> Iterator[str]:
    """The modules of hipport that a module imports, wherever in its file the import is.

    `from a import b` is an import of `a.b` where that is a module, else one of `a`. Importing
    `a.b` imports `a` first, which is left out for modules that are below `a` themselves.
    """
    for name in named(known[module], known):
        yield name
        for parent in PurePosixPath(name.replace(".", "/")).parents:
            package = str(parent).replace("/", ".")
            if package in known and not f"{module}.".startswith(f"{package}."):
                yield package


def named(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of hipport that the import statements of a file name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: line {node.lineno}: a relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name in known or node.module in known:
                    yield name if name in known else str(node.module)


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that reach each other (Tarjan's strongly connected components)."""
    found: list[list[str]] = []
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in sorted(imports[name]):
            if other not in order:
                visit(other)
            if other in stack:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == order[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1 or name in imports[name]:
                found.append(sorted(group))

    for name in sorted(imports):
        if name not in order:
            visit(name)
    return sorted(found)


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d"}}) == [["b", "c"], ["d"]]


def test_no_module_imports_itself_through_others() -> None:
    known = modules()
    imports = {name: set(imported(name, known)) for name in known}
    # What the package offers is imported when it is asked for: only a type checker sees it before.
    imports["hipport"] = set()
    assert circles(imports) == []
