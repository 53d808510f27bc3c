"""Planning a tree looks into the code of those files alone that an answer depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.source.text.source_text import Code
from hipport.source.tree.task_list import Wishes, plan
from tests.support.command import make_tree

HIP = "#include <hip/hip_runtime.h>\n"
CONSTANT = "#pragma once\nconstexpr int COUNT = 32;\n"


def looked_into(
    folder: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, int]:
    """File -> how many times its code is told from its comments to plan the conversion."""
    make_tree(folder, files)
    found: dict[str, int] = {}
    names = {text.encode(): name for name, text in files.items()}
    blanked = vars(Code)["_blanked"].func

    class Counted:
        def __get__(self, code: Code, _: type) -> object:
            if "blank" not in vars(code):
                found[names[code.data]] = found.get(names[code.data], 0) + 1
                vars(code)["blank"] = blanked(code)
            return vars(code)["blank"]

    monkeypatch.setattr(Code, "_blanked", Counted())
    list(plan([str(folder)], Wishes(converts=True, writes=False), print))
    return found


@pytest.mark.parametrize(
    ("code", "is_asked"), [("int n = COUNT;\n", False), ("int n = threadIdx.x % COUNT;\n", True)]
)
def test_constants_matter_to_code_that_follows_lanes(
    code: str, is_asked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"a.cpp": HIP + '#include "a.h"\n' + code, "a.h": CONSTANT}
    assert ("a.h" in looked_into(tmp_path, files, monkeypatch)) is is_asked


def test_what_only_mentions_a_declared_name_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "a.h": "#pragma once\n__device__ int found(int);\n",
        "mentions.h": '#include "a.h"\n// It is found here.\nint is_found(int);\n',
        "defines.h": '#include "a.h"\nint found(int x) { return x; }\n',
    }
    assert looked_into(tmp_path, files, monkeypatch).keys() == {"a.h", "defines.h"}


def test_a_directive_behind_a_macro_declares_no_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    macros = "#define HERE inline __device__\n#if defined(A) || defined(B)\nint a;\n#endif\n"
    files = {"macros.h": macros, "user.h": '#include "macros.h"\n#if defined(A)\n#endif\n'}
    assert looked_into(tmp_path, files, monkeypatch).keys() == {"macros.h"}


def test_headers_behind_the_one_that_settles_it_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "first.h": "#pragma once\ncudaError_t last();\n",
        "second.h": "#pragma once\ncudaStream_t stream();\n",
        "a.cu": '#include "first.h"\n#include "second.h"\n',
    }
    assert looked_into(tmp_path, files, monkeypatch) == {"a.cu": 1, "first.h": 1}
