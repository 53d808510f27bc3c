"""Python in one layout: what it is laid out as, and where everything in it is."""

from __future__ import annotations

import ast

import pytest

from hipport.model import Finding, Position, Severity
from hipport.source.layouts.usual_form import usual_form
from hipport.source.text.source_text import Code


def laid_out(data: bytes) -> bytes:
    usual = usual_form(data, "a.py", "python")
    return usual.data if usual else data


LONG = "a" * 60
BROKEN = f'x = [\n    "{LONG}",\n    "{LONG}",\n    ("{LONG}", f(1, 2))\n]\n'

CASES = {
    "f(\n    a,\n    b,\n)\n": "f(a, b)\n",
    "x = (\n    a\n    and b  # why\n)  # what\n": "x = a and b\n",
    "x = 1  # what\n": "x = 1\n",
    "if (\n    a\n    or b\n):\n    pass\n": "if a or b:\n    pass\n",
    "return (torch.cuda.\n        device(\n    0).name)\n": "return torch.cuda.device(0).name\n",
    "x = (\n    torch.cuda\n    .device(0)\n    .name\n)\n": "x = torch.cuda.device(0).name\n",
    "x = (\n    1,\n)\n": "x = (1,)\n",
    "x = a[\n    0,\n]\n": "x = a[0,]\n",
    "x = (each\n     for each in y)\n": "x = (each for each in y)\n",
    "assert a in (b\n             or ())\n": "assert a in (b or ())\n",
    "for each in (\n    a + b\n):\n    pass\n": "for each in a + b:\n    pass\n",
    "from a import (\n    b,\n    c,\n)\n": "from a import b, c\n",
    "x = a + \\\n    b\n": "x = a + b\n",
    'x = ("a"\n     "b" f"c"\n     f"{d}")\n': 'x = "ab" f"c{d}"\n',
    f'x = ("{LONG}"\n  "{LONG}" "{LONG}")\n': (
        f'x = (\n    "{LONG}"\n    "{LONG}"\n    "{LONG}"\n)\n'
    ),
    "k = kernel(\n    r'''\n(\n''',\n    'k',\n)\n": 'k = kernel(r"""\n(\n""", "k")\n',
    "x = 'a' + 'say \"b\"' + \"it's\" + '\\''\n": 'x = "a" + \'say "b"\' + "it\'s" + "\\\'"\n',
    f'x = ["{LONG}", "{LONG}", (\n    "{LONG}", f(1,\n    2)),]\n': BROKEN,
    f'x = ["{LONG}", "{LONG}", ("{LONG}", f(1, 2))]\n': BROKEN,
    'def f():\n    """Doc\n    (string."""\n': 'def f():\n    """Doc\n    (string."""\n',
    "# (\nx = 1\n": "# (\nx = 1\n",
}


@pytest.mark.parametrize("text", CASES)
def test_the_layout(text: str) -> None:
    assert laid_out(text.encode()).decode() == CASES[text]


@pytest.mark.parametrize("text", CASES)
def test_it_is_the_same_program_and_final(text: str) -> None:
    data = laid_out(text.encode())
    if "return" not in text:
        assert ast.dump(ast.parse(data)) == ast.dump(ast.parse(text))
    assert laid_out(data) == data


@pytest.mark.parametrize(
    "text", ["f(\n    a\n", "f)\n", "f(\n    'a\n)\n", 'x = """\n(\n', "x = (\n"], ids=repr
)
def test_what_is_broken_stays(text: str) -> None:
    assert laid_out(text.encode()) == text.encode()


def test_what_is_before_something_broken_is_laid_out() -> None:
    assert laid_out(b"f(\n    a)\ng(\n") == b"f(a)\ng(\n"


def test_a_very_large_text_keeps_its_layout() -> None:
    data = b"f(\n    a)\n" + b"#" * (1 << 20)
    assert usual_form(data, "a.py", "python") is None


def test_a_text_in_the_layout_has_no_other() -> None:
    data = b"f(a, b)\n"
    assert usual_form(data, "a.py", "python") is None


def _found(data: bytes, word: bytes) -> Finding:
    start = data.index(word)
    position = Code.of_lines(data, "").position
    return Finding("", Severity.INFO, "", "", "", "", position(start), position(start + len(word)))


@pytest.mark.parametrize("word", ["müde", "last", "first", "(b", "behind"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_places_are_those_of_the_original(word: str, mark: str) -> None:
    text = (
        f"{mark}x = first(  # é\n    'größe', müde(\n        (b, ), 'é'\n    ),\n\n    last\n)"
        f'\nbehind = [\n    "{LONG}", "{LONG}", "{LONG}"]\n'
    )
    layout = usual_form(text.encode(), "a.py", "python")
    assert layout
    moved = layout.moved([_found(layout.data, word.encode())])[0]
    assert (moved.start, moved.end) == (
        _found(text.encode(), word.encode()).start,
        _found(text.encode(), word.encode()).end,
    )


def test_lines_are_those_of_the_layout() -> None:
    layout = usual_form(b"f(\n    a,\n    b,\n)\ng(\n    c)\n", "a.py", "python")
    assert layout
    assert [layout.new_line(Position(line, 1)) for line in range(1, 7)] == [1, 1, 1, 1, 2, 2]
    assert layout.new_line(Position(0, 0)) == 0
