"""Where the values that Python compares come from."""

from __future__ import annotations

import pytest

from hipport.source.languages.python_references import References

ASKING = "import torch\n\n\ndef capability():\n    return torch.cuda.get_device_capability()\n\n\n"
FOUND = "torch.cuda.get_device_capability()"


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("a = capability() >= (8, 0)\n", [f"{FOUND} >= (8, 0)"]),
        ("a, b = capability()\nc = a * 10 + b\nd = c < 90\n", [f"{FOUND} < 90"]),
        ("a = capability()\nb = a[0] in (8, 9)\n", [f"{FOUND} in (8, 9)"]),
        ("a = float('.'.join(map(str, capability()))) < 7.5\n", [f"{FOUND} < 7.5"]),
        (
            "class A:\n    def __init__(self):\n        self.cc = capability()\n\n"
            "    @property\n    def wide(self):\n        return self.cc\n\n"
            "    def f(self):\n        return self.wide == 9\n",
            [f"{FOUND} == 9"],
        ),
        ("class A:\n    def cc(): return capability()\n\n\nb = A.cc() > 7\n", [f"{FOUND} > 7"]),
        # A name of another function, two sources, a text, and a name that is its own value.
        ("def f():\n    a = capability()\n\n\ndef g(a):\n    return a > 8\n", ["a > 8"]),
        ("a = capability()\na = memory()\nb = a > 8\n", [" > 8"]),
        ("a = capability() == 'wide'\n", []),
        ("a = a + 1\nb = a > 8\n", [" > 8"]),
    ],
)
def test_what_is_compared_is_followed_to_its_source(code: str, names: list[str]) -> None:
    assert [each.name for each in References((ASKING + code).encode()).compared()] == names


def test_a_loop_over_names_passes_each_of_them() -> None:
    code = b"for name in ('cudart', 'cufft'):\n    find_library(name)\n"
    found = [each.name for each in References(code).passed()]
    assert found == ["find_library(cudart)", "find_library(cufft)"]


def test_a_module_imported_by_name_is_known_by_that_name() -> None:
    code = b"import importlib\ncuda = importlib.import_module('numba.cuda')\ncuda.grid\n"
    assert [each.name for each in References(code).uses()][-1] == "numba.cuda.grid"
