"""Where CUDA's headers are looked for, and what holds where there are none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.rulebook.load import load
from hipport.semantic import cuda_headers, name_facts
from hipport.semantic.name_facts import Request, with_semantics
from hipport.source.convert.pipeline import default_options
from hipport.source.tree.task_list import Wishes, plan
from tests.support.command import make_tree


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without CUDA."""
    monkeypatch.setitem(cuda_headers.knowledge(), "places", [])
    monkeypatch.setitem(cuda_headers.knowledge(), "program", "no-such-compiler")
    monkeypatch.setitem(cuda_headers.knowledge(), "package", "no_such_package")


@pytest.mark.usefixtures("bare")
def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(tmp_path, {f"{each}/include/cuda_runtime.h": "" for each in ("a", "b", "c")})
    include = {each: [tmp_path / each / "include"] for each in ("a", "b", "c")}
    assert cuda_headers.find_headers(None, {}) == []
    assert cuda_headers.find_headers(None, {"CUDA_HOME": str(tmp_path / "b")}) == include["b"]
    both = {"CUDA_HOME": str(tmp_path / "b"), "CUDA_PATH": str(tmp_path / "a")}
    assert cuda_headers.find_headers(None, both) == include["a"]
    assert cuda_headers.find_headers(None, {"CUDA_PATH": str(tmp_path / "nothing")}) == []
    assert cuda_headers.find_headers(tmp_path / "b/include", both) == include["b"]
    with pytest.raises(HipportError, match=r"nothing: no include/cuda_runtime\.h there"):
        cuda_headers.find_headers(tmp_path / "nothing", both)
    monkeypatch.setitem(cuda_headers.knowledge(), "places", [f"{tmp_path}/?"])
    assert cuda_headers.find_headers(None, {}) == include["c"]


@pytest.mark.usefixtures("bare")
def test_headers_of_python_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["cublas/include/cublas_v2.h", "cuda_runtime/include/cuda_runtime.h"]
    make_tree(tmp_path, {f"some_vendor/{name}": "" for name in names})
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setitem(cuda_headers.knowledge(), "package", "some_vendor")
    folder = tmp_path / "some_vendor"
    found = cuda_headers.find_headers(None, {})
    assert found == [folder / "cuda_runtime/include", folder / "cublas/include"]


def test_without_headers_each_file_with_names_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(tmp_path, {"a.cu": "int i = cudaFree(0);\n", "b.cpp": "int i;\n", "c.txt": ""})
    monkeypatch.setattr(name_facts, "find_headers", lambda _: [])
    tasks = list(plan((str(tmp_path),), Wishes(writes=False), print))
    found = with_semantics(tasks, {default_options(load()): tasks}, Request())
    problems = {task.name: task.semantics.problem for task in found if task.semantics}
    assert problems == {"a.cu": "cuda_runtime.h was not found on this machine"}
