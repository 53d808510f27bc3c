"""The usual form of build and settings files, and where what is in it was before."""

from __future__ import annotations

import pytest

from hipport.model import Span
from hipport.source.layouts.usual_form import usual_form

CASES = {
    "commands of CMake": (
        "CMakeLists.txt",
        "cmake",
        'Find_Package( CUDA\n  10 # oldest\n  REQUIRED)\nset (X "a" "b c" a"b" #[[note]]\n y)\n',
        'find_package(CUDA 10 REQUIRED)\nset(X a "b c" a"b" y)\n',
    ),
    "conditions of CMake": (
        "CMakeLists.txt",
        "cmake",
        'IF (A AND ("B"\n OR C))\nelse(A)\nendif(A AND\n ("B"))\n',
        'if(A AND ("B" OR C))\nelse()\nendif()\n',
    ),
    "what CMake says to people": (
        "CMakeLists.txt",
        "cmake",
        'project(a DESCRIPTION "CUDA")\n#[[\nfoo(\n a)\n]]\nmessage("a\nb(\n")\n',
        None,
    ),
    "a command of CMake that is not closed": ("a.cmake", "cmake", "set(A\n  b\n", None),
    "instructions of Docker": (
        "Dockerfile",
        "docker",
        "from  a\nRun b \\\n  # note\n\n    c && d\nENV E f\nRUN <<EOF\nadd g\nEOF\n",
        "FROM a\nRUN b c &&\n    d\nENV E=f\nRUN <<EOF\nadd g\nEOF\n",
    ),
    "commands of Docker": (
        "Dockerfile",
        "docker",
        'FROM a\nRUN b && c; d \'e && f\'\nRUN ["pip", "install", "g"]\n',
        "FROM a\nRUN b &&\n    c;\n    d 'e && f'\nRUN pip install g\n",
    ),
    "sections of Singularity": (
        "a.def",
        "docker",
        "Bootstrap: docker\nFrom: a\n%post\nadd b\n",
        None,
    ),
    "continued lines": (
        "run.sh",
        "shell",
        "#!/bin/sh\n# a \\\nsrun \\\n  -n 4 \\\n  ./b && \\\n  ./c\nab\\\ncd\n",
        "#!/bin/sh\n# a \\\nsrun -n 4 ./b &&\n    ./c\nabcd\n",
    ),
    "variables of csh": ("run.csh", "shell", "setenv  A  /b\n", "export  A=/b\n"),
    "variables of make": (
        "Makefile",
        "make",
        "  export A = ${B} \\\n    c $(D)\nall:\n\techo $${E}\n",
        "A = $(B) c $(D)\nall:\n\techo $${E}\n",
    ),
    "YAML in brackets": (
        "a.yml",
        "yaml",
        'a: { b: [c, "d", ${{ e }}], f: {"g":1}, h: [[i], {j: k}] }\n'
        "l: [m n,  # note\n    o]\np: {}\n",
        "a:\n  b:\n    - c\n    - d\n    - ${{ e }}\n  f:\n    g: 1\n  h:\n    - - i\n    - j: k\n"
        "l:\n  - m n\n  - o\np: {}\n",
    ),
    "YAML in quotation marks": (
        "a.yml",
        "yaml",
        '"a" :   \'b "c"\'\nd: "e: f"\ng: "h \\"i\\""\nj: "k\\tl"\n',
        'a: b "c"\nd: "e: f"\ng: h "i"\nj: "k\\tl"\n',
    ),
    "items and folded text of YAML": (
        "a.yml",
        "yaml",
        "-\n  a: >-\n    b\n    c\n\n    d\n  e: |\n    [f,\n    g]\n{{ h }}\n",
        "- a: >-\n    b c\n\n    d\n  e: |\n    [f,\n    g]\n{{ h }}\n",
    ),
    "YAML that is not closed": ("a.yml", "yaml", "a: [b, {c\n", None),
    "JSON": (
        "a.json",
        "yaml",
        '{"a":1,"b":["c","d"],"e":[{"f":[]}]}\n',
        '{\n  "a": 1,\n  "b": ["c", "d"],\n  "e": [\n    {\n      "f": []\n    }\n  ]\n}\n',
    ),
    "tables of TOML": (
        "pyproject.toml",
        "requirements",
        "a.b.c = 1\n[ d . 'e' ]\n  f.g = 'h'\ni = { j = [\"k\"], l = 2 }\nm = 'n \"o\"'\n",
        '[a.b]\nc = 1\n[d.e]\n[d.e.f]\ng = "h"\n[d.e.i]\nj = [\n    "k"\n]\nl = 2 \n'
        "[d.e]\nm = \"n 'o'\"\n",
    ),
    "packages of TOML": (
        "pixi.toml",
        "requirements",
        "dependencies.a.version = '1'\n"
        "[dependencies.b]\nversion = '2'  # note\nbuild = 'c'\n\n[d]\n",
        '[dependencies]\na = { version = "1" }\n'
        '[dependencies]\nb = { version = "2", build = "c" }\n\n[d]\n',
    ),
    "lists of TOML": (
        "pyproject.toml",
        "requirements",
        'a = ["b", "c[d]"]\ne = [1, 2]\nf = [\n  "g", "h" ]\n',
        'a = [\n    "b",\n    "c[d]"\n]\ne = [1, 2]\nf = [\n  "g",\n    "h"\n]\n',
    ),
    "requirements": (
        "requirements.txt",
        "requirements",
        "Ab_c.d == 1 \\\n    --hash=sha256:0\nE_f (>=2) ; g\nh_i[J] @ https://k_l\n--m_n o\n",
        "ab-c-d==1 --hash=sha256:0\ne-f>=2 ; g\nh-i[J] @ https://k_l\n--m_n o\n",
    ),
    "requirements in INI files": (
        "setup.cfg",
        "requirements",
        "[options]\ninstall_requires : A_b>=1\nname=C_d\n[options.extras_require]\nGPU = E_f\n",
        "[options]\ninstall_requires =\n    a-b>=1\nname = C_d\n"
        "[options.extras_require]\nGPU =\n    e-f\n",
    ),
    "requirements in TOML": (
        "pyproject.toml",
        "requirements",
        '[project]\nname = "A_b"\ndependencies = [\n  "C_d>=1",\n  "e @ https://F_g",\n]\n',
        '[project]\nname = "A_b"\ndependencies = [\n  "c-d>=1",\n  "e @ https://F_g",\n]\n',
    ),
    "calls of Meson": (
        "meson.build",
        "meson",
        "a(\n    'b',  # note\n    ['c',\n     'd',],\n    e : 'f',\n)\n",
        "a('b', ['c', 'd'],\n    e : 'f')\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_usual_form(case: str) -> None:
    path, kind, text, expected = CASES[case]
    usual = usual_form(text.encode(), path, kind)
    made = usual.data.decode() if usual else text
    assert made == (text if expected is None else expected)
    again = usual_form(made.encode(), path, kind)
    assert again is None or again.data.decode() == made


def test_what_is_found_is_where_it_was() -> None:
    text = "Ä = 1\nrun: >\n  a\n  bc\nd: [e, 'f']\n"
    usual = usual_form(text.encode("utf-8"), "a.yml", "yaml")
    assert usual is not None
    written = usual.data.decode("utf-8")
    assert written == "Ä = 1\nrun: >\n  a bc\nd:\n  - e\n  - f\n"
    for each in ("Ä", "a", "bc", "e", "f"):
        offset = usual.data.index(f" {each}".encode()) + 1 if each != "Ä" else 0
        assert usual.origin(offset) == text.encode().index(each.encode())
    assert usual.is_joined(Span(usual.data.index(b"  a bc"), usual.data.index(b"\nd:")))
