"""What libclang said is remembered with the result: only what may have changed is asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hipport.rulebook.load import load
from hipport.semantic import name_facts
from hipport.semantic.name_facts import Request, with_semantics
from hipport.source.convert.pipeline import default_options
from hipport.source.tree.file_task import Task
from hipport.source.tree.task_list import Wishes, plan
from hipport.verification.parser_process import Child
from tests.commands.test_summary import on_a_terminal
from tests.support.command import make_tree
from tests.support.folders import FIXTURES

pytestmark = pytest.mark.toolchain

CUDA = FIXTURES / "semantic" / "cuda"
FILES = {
    "a.cu": '#include "own.h"\nint i = cudaFree(0);\n',
    "b.cu": "__device__ int f(int p) { unsigned m = __ballot_sync(-1, p); return __popc(m); }\n",
    "own.h": "namespace far { int cudaFree(int); }\n",
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that libclang parses, with the pass."""
    found = []

    class Recording(Child):
        def ask(self, job: dict[str, Any]) -> dict[str, Any]:
            kind = "device" if "--cuda-device-only" in job["arguments"] else "host"
            found.append(f"{Path(job['path']).name} {kind}")
            return super().ask(job)

    monkeypatch.setattr(name_facts, "Child", Recording)
    return found


def convert(tree: Path, *given: str, starts_over: bool = False) -> list[Task]:
    wishes = Wishes(output=tree.with_name("out"), writes=True)
    tasks = list(plan((str(tree),), wishes, print))
    request = Request(CUDA, None, given, starts_over=starts_over)
    found = with_semantics(tasks, {default_options(load()): tasks}, request)
    return [task for task in found if task.semantics]


def test_only_what_changed_is_asked_again(tmp_path: Path, asked: list[str]) -> None:
    tree = tmp_path / "in"
    make_tree(tree, FILES)
    first = convert(tree)
    assert asked == ["a.cu host", "b.cu host"]
    assert convert(tree) == first
    assert len(asked) == 2
    make_tree(tree, {"b.cu": FILES["b.cu"] + "\n"})
    assert convert(tree) == first
    assert asked[2:] == ["b.cu host"]
    make_tree(tree, {"own.h": "int cudaFree(int);\n"})
    again = convert(tree)
    assert asked[3:] == ["a.cu host"]
    assert [task.semantics for task in again] != [task.semantics for task in first]


@pytest.mark.parametrize("change", ["option", "names", "force", "damage"])
def test_what_else_an_answer_depends_on(tmp_path: Path, asked: list[str], change: str) -> None:
    tree = tmp_path / "in"
    make_tree(tree, {"b.cu": FILES["b.cu"]})
    first = convert(tree)
    if change == "names":
        make_tree(tree, {"new.h": ""})
    if change == "damage":
        (tmp_path / "out" / ".hipport" / "semantic").write_bytes(b"AAAA\n")
    again = convert(tree, *(["-DX"] if change == "option" else []), starts_over=change == "force")
    assert asked == ["b.cu host"] * 2
    assert again == first


def test_the_pass_for_the_device_is_remembered_too(tmp_path: Path, asked: list[str]) -> None:
    tree = tmp_path / "in"
    make_tree(
        tree,
        {"a.cu": '#include "h.h"\nint i = cudaFree(0);\n', "h.h": "#ifdef __CUDA_ARCH__\n#endif\n"},
    )
    assert convert(tree) == convert(tree)
    assert asked == ["a.cu host", "a.cu device"]


def test_what_the_parser_gave_up_on_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[dict[str, Any]] = []

    def give_up(_: Child, job: dict[str, Any]) -> dict[str, Any]:
        jobs.append(job)
        return {"problem": "took longer than 180 s"}

    monkeypatch.setattr(Child, "ask", give_up)
    make_tree(tmp_path / "in", {"a.cu": FILES["b.cu"]})
    assert convert(tmp_path / "in") == convert(tmp_path / "in")
    assert len(jobs) == 2


def test_progress_of_long_work(tmp_path: Path) -> None:
    make_tree(tmp_path / "in", {f"{number}.cu": "int i = cudaFree(0);\n" for number in range(20)})
    code, shown = on_a_terminal(tmp_path, "--semantic", "--cuda-path", str(CUDA), "in")
    assert code == 0
    assert shown.index("Parsing") < shown.index("Converting")
    end = shown.split("Converting")[-1]
    assert "Nothing is left to do by hand." in end
    assert "Parsing" not in end
