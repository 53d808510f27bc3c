"""A file of twice the length takes twice the work to bring into its usual form."""

from __future__ import annotations

import pytest

from hipport.source.layouts.usual_form import usual_form
from tests.support.work import lines_run

FILES = {
    "CMakeLists.txt": "cmake",
    "Dockerfile": "docker",
    "run.sh": "shell",
    "Makefile": "make",
    "a.yml": "yaml",
    "pyproject.toml": "requirements",
    "requirements.txt": "requirements",
    "a.json": "yaml",
    "BUILD": "bazel",
    "setup.cfg": "requirements",
}
KINDS = FILES | {"a.py": "python"}
"""The usual form of Python is remembered, so that its work is not counted here."""
PIECES = (
    *(
        "a(\n",
        "(",
        ")",
        '"',
        "'",
        "[",
        "{",
        "{{",
        " ",
        "\\\n",
        "- ",
        "a: ",
        'a: "x\n',
        "a: {",
        "#[[",
    ),
    *("a = [", "[a.", '"""', "a.b = {", "RUN a && ", 'RUN ["', "<<EOF\n", "a: >\n  b\n", "a: [b, "),
    *('{"a":', '["a",', "setenv a ", "${a", "a == ", "a(b c) d(e)\n", "'\n''\n", "endif(a\n"),
)
# What a search for an end, begun anew at each beginning, goes through again and again.
UNCLOSED = {
    "a.json": ("/*\n", '"\\'),
    "BUILD": ('"\\', "'\\"),
    "a.py": ("'\\",),
    "Dockerfile": ("RUN [\\\n", 'RUN ["a"\\\n'),
    "pyproject.toml": ('a = ["\\', "a = {b = [ "),
}
_MANY = 240_000
"""Characters. With the square of these, the texts would take minutes, or hours."""
DEEP = {
    "a.json": lambda n: "[" * n,
    "a.py": lambda n: "a = " + "[" * n + "'b', " * n + "]" * n + "\n",
    "b.py": lambda n: "if a:\n" + " " * n + "f(" + "a, " * n + "a)\n",
    "a.yml": lambda n: " " * n + "a: [" + "b, " * n + "b]\n",
    "b.yml": lambda n: "a: " + "[" * 39 + "b, " * n + "]" * 39 + "\n",
    "pyproject.toml": lambda n: f"[{'a' * n}]\n" + "a.b = 1\nc = 1\n" * n,
    "setup.cfg": lambda n: "install_requires = a\n" * n,
    "Dockerfile": lambda n: " " * n + "RUN a" + "; b" * n,
}
_LONGER = 80
"""How many times as long as its text a usual form may be."""
_COUNT = 300
_MOST = 2.3


@pytest.mark.parametrize("name", FILES)
def test_twice_the_length_takes_twice_the_work(name: str) -> None:
    grown = {}
    for piece in PIECES:
        counts = [
            lines_run(lambda: usual_form((piece * n).encode(), name, FILES[name]))  # noqa: B023
            for n in (_COUNT, 2 * _COUNT)
        ]
        if counts[1] > _MOST * counts[0] + _COUNT:
            grown[piece] = counts
    assert grown == {}


@pytest.mark.parametrize(
    ("name", "piece"), [(name, each) for name, pieces in UNCLOSED.items() for each in pieces]
)
def test_what_is_not_closed_is_passed_over_once(name: str, piece: str) -> None:
    """With a search from each place to the end, these would not end."""
    start = piece[:-2] if piece.startswith("a = ") else ""
    text = start + piece[len(start) :] * (_MANY // len(piece[len(start) :]))
    usual = usual_form(text.encode(), name, KINDS[name])
    assert usual is None or len(usual.data) < 2 * len(text)


@pytest.mark.parametrize("name", DEEP)
def test_indentation_is_bounded(name: str) -> None:
    data = DEEP[name](3000).encode()
    kind = KINDS.get(name) or KINDS["a" + name[1:]]
    usual = usual_form(data, name, kind)
    assert usual is None or len(usual.data) < _LONGER * len(data)
