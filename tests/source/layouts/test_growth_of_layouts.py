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
}
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
