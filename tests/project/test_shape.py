"""The shape of the code: small files, short functions, no name for two different things."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.support.folders import CHECKOUT

PACKAGE = CHECKOUT / "hipport"
LONGEST_FILE, LONGEST_FUNCTION = 400, 60
# A command, its run, its report and its view have the name of what they are all about.
# `convert.py` is the command under the name that `python -m` takes.
FRONT = ("commands", "runs", "report", "tui", "convert.py")
# In each package, the nouns that its parts share.
NOUNS = "model"


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_no_file_is_long() -> None:
    lengths = {str(path): len(path.read_text("utf-8").splitlines()) for path in sources()}
    assert {path: count for path, count in lengths.items() if count > LONGEST_FILE} == {}


def test_no_function_is_long() -> None:
    found = {}
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    found[f"{path}:{node.name}"] = lines
    assert found == {}


def test_no_two_modules_have_one_name() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sources():
        name = path.relative_to(PACKAGE)
        if name.parts[0] not in FRONT and name.stem not in ("__init__", "__main__", NOUNS):
            found[name.stem].append(str(name))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_module_has_the_name_of_a_package() -> None:
    """`hipport/source/text/` beside a `text.py` elsewhere would be two things of one name."""
    packages = {path.parent.name for path in PACKAGE.rglob("__init__.py")}
    packages -= {path.name for front in FRONT for path in (PACKAGE / front).rglob("*")}
    named = {
        str(path.relative_to(PACKAGE))
        for path in sources()
        if path.stem in packages and path.relative_to(PACKAGE).parts[0] not in FRONT
    }
    assert named == set()


def test_a_pattern_finds_or_fixes() -> None:
    for path in sorted((PACKAGE / "source/patterns").glob("*/[a-z]*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert names & {"find", "fix"}, path
