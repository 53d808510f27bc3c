"""Python with imported names as the rules call them, and what is told of them."""

from __future__ import annotations

import pytest

from hipport.model import Span
from hipport.rulebook.load import load
from hipport.source.layouts.usual_form import usual_form
from hipport.source.patterns.python_files import python_findings
from tests.support.work import lines_run


def named(text: str) -> str:
    usual = usual_form(text.encode(), "a.py", "python")
    return usual.data.decode() if usual else text


CASES = {
    "import torch as th\nth.cuda.empty_cache()\n": "import torch\ntorch.cuda.empty_cache()\n",
    "from torch import cuda\ncuda.empty_cache()\n": (
        "from torch import cuda\ntorch.cuda.empty_cache()\n"
    ),
    "from torch.cuda import nvtx as n\nn.mark()\n": (
        "from torch.cuda import nvtx as n\ntorch.cuda.nvtx.mark()\n"
    ),
    "import torch.utils.cpp_extension as ext\next.load()\n": (
        "import torch.utils.cpp_extension as ext\ntorch.utils.cpp_extension.load()\n"
    ),
    "from torch.utils.cpp_extension import CUDAExtension as Ext\nExt()\n": (
        "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension()\n"
    ),
    "import triton.language as T\nT.dot(x)\n": "import triton.language as tl\ntl.dot(x)\n",
    "from triton import language\nlanguage.dot(x)\n": (
        "from triton import language as tl\ntl.dot(x)\n"
    ),
    "import triton\ntriton.language.dot(x)\n": "import triton\ntl.dot(x)\n",
    "import triton\njit = triton.jit\n\n@jit\ndef f(): pass\n": (
        "import triton\njit = triton.jit\n\n@triton.jit\ndef f(): pass\n"
    ),
    "from numba import cuda as c\nc.jit(f(c=1).c)\n": (
        "from numba import cuda\ncuda.jit(f(c=1).c)\n"
    ),
    "try:\n    import cupy as x\nexcept ImportError:\n    x = None\nif x: x.f()\n": (
        "try:\n    import cupy\nexcept ImportError:\n    cupy = None\nif cupy: cupy.f()\n"
    ),
    "def f():\n    import os as o, re\n    return o.environ\no.environ\n": (
        "def f():\n    import os, re\n    return os.environ\no.environ\n"
    ),
    "from os import (\n    environ as env,\n)\nenv['A']\n": (
        'from os import environ as env\nos.environ["A"]\n'
    ),
    "import torch as th\nf'{th.cuda}, th'\n": 'import torch\nf"{torch.cuda}, th"\n',
}
CERTAIN = {
    "a parameter": "import torch as th\ndef f(th, *, b=th): return th.cuda\nlambda th: th.x\n",
    "another value": "import torch as th\nif a: th = b\nth.cuda\n",
    "a loop": "import torch as th\nfor th in a: th.cuda\n",
    "a comprehension": "import torch as th\n[th.cuda for th in a]\n",
    "another import": "if a: import cupy as x\nelse: import numpy as x\nx.f()\n",
    "a global name": "import torch as th\ndef f():\n    global th\n    th = 1\nth.cuda\n",
    "a case": "import torch as th\nmatch a:\n    case th: th.cuda\n",
    "a deletion": "import torch as th\ndel th\nth.cuda\n",
    "a class": "import torch as th\nclass th: pass\nth.cuda\n",
    "a name that is taken": "import torch as th\ntorch = a\nth.cuda\n",
    "a module of the tree": "from . import torch as th\nth.cuda\n",
    "usual names": "import torch\nimport numpy as np\nimport cupy as cp\nfrom os import environ\n",
    "names of other modules": "import ours as o\nimport torch.distributed as dist\no.f(dist.g())\n",
    "automatic casts": "from torch.cuda.amp import autocast\nautocast()\n",
}


@pytest.mark.parametrize("text", CASES)
def test_names_are_those_of_the_rules(text: str) -> None:
    assert named(text) == CASES[text]
    assert named(CASES[text]) in (CASES[text], named(text))


@pytest.mark.parametrize("case", CERTAIN)
def test_what_is_not_certain_stays(case: str) -> None:
    assert named(CERTAIN[case]) == CERTAIN[case]


@pytest.mark.parametrize("text", ["(" * 300 + "th.a" + ")" * 300, "th" + ".a" * 300])
def test_names_in_very_much_else_stay(text: str) -> None:
    assert named(f"import torch as th\n{text}\n").startswith("import torch as th\n")


def test_a_class_has_names_of_its_own_but_its_methods_do_not_see_them() -> None:
    text = "import torch as th\nclass A:\n    th = 1\n    a = th.b\n    def f(self): return th.c\n"
    assert named(text).endswith("    a = th.b\n    def f(self): return torch.c\n")


def test_another_spelling_is_taken_where_the_first_is_something_else() -> None:
    text = "from torch import cuda\nfrom numba import cuda as nb\ncuda.x(nb.jit)\n"
    assert named(text).endswith("torch.cuda.x(numba.cuda.jit)\n")


def test_what_is_found_is_where_it_was_and_called_as_the_file_calls_it() -> None:
    text = "import torch as th\nx = 'é', f(\n    th . cuda.nvtx\n    .mark)\n"
    usual = usual_form(text.encode(), "a.py", "python")
    assert usual
    start = usual.data.index(b"torch . cuda")
    place = Span(start, len(usual.data) - 2)
    assert usual.data[slice(*place)] == b"torch . cuda.nvtx.mark"
    assert usual.as_named(place) == "th . cuda.nvtx.mark"
    assert usual.origin(start) == text.encode().index(b"th .")
    assert usual.end(place.end) == len(text.encode()) - 2
    assert usual.end(start + len("torch")) == text.encode().index(b" . cuda")
    assert usual.as_named(Span(0, 12)) == "import torch"


@pytest.mark.parametrize(
    ("text", "symbol", "told", "columns"),
    [
        (
            "import torch as th\nif th.cuda.get_device_capability()[0] >= 8: f()\n",
            "torch.cuda.get_device_capability",
            "`th.cuda.get_device_capability`",
            (4, 33),
        ),
        (
            "from torch.cuda import nvtx as n\n\nn.range_push('a')\n",
            "torch.cuda.nvtx.range_push",
            "`n.range_push`",
            (1, 13),
        ),
        (
            "from torch.utils.cpp_extension import CUDAExtension as E\nE('a', ['a.cpp'])\n",
            "CUDAExtension",
            "`E`",
            (1, 2),
        ),
    ],
)
def test_findings_say_what_the_file_says(
    text: str, symbol: str, told: str, columns: tuple[int, int]
) -> None:
    last = text.count("\n")
    found = python_findings(text.encode(), "a.py", load(is_audit=True))
    mine = [each for each in found if each.symbol == symbol and each.start.line == last]
    assert {(each.start.column, each.end.column) for each in mine} == {columns}
    assert all(told in each.message for each in mine)


@pytest.mark.parametrize(
    "piece",
    [
        "import torch as a\na.b\n",
        "import ",
        "import torch as a;",
        "import (",
        "from torch import cuda\n",
        "a = torch.cuda\n",
        "import torch\nb = torch.cuda ",
        "def f(a): import torch as a\n",
    ],
)
def test_work_grows_with_the_text(piece: str) -> None:
    def work(count: int) -> int:
        data = b"import torch as b\n" + piece.encode() * count
        return lines_run(lambda: usual_form(data, "a.py", "python"))

    assert work(400) < 2.5 * work(200) + 500
