"""Which headers of a tree an include means, and what follows from that for other files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.source.text.include_graph import IncludeGraph, include_graph
from hipport.source.text.tree_texts import TreeTexts
from tests.support.command import make_tree
from tests.support.work import lines_run


def graph_of(folder: Path, files: Mapping[str, str]) -> IncludeGraph:
    make_tree(folder, dict(files))
    return include_graph([str(folder / name) for name in files], TreeTexts(load()))


def below(folder: Path, paths: set[str]) -> set[str]:
    return {str(Path(path).relative_to(folder)) for path in paths}


FILES = {
    "a/lib.h": '#include "base.h"\n',
    "a/base.h": "",
    "b/lib.h": "",
    "main.cu": "#include <lib.h>\n",
    "b/main.cu": '#include "lib.h"\n',
    "other.cu": '#include "b/lib.h"\n',
}


def test_a_name_of_several_files_means_them_all_but_where_one_is_beside(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, FILES)
    main, beside, other = (str(tmp_path / name) for name in ("main.cu", "b/main.cu", "other.cu"))
    assert below(tmp_path, set(graph.headers(main))) == {"a/lib.h", "b/lib.h"}
    assert below(tmp_path, set(graph.headers(beside))) == {"b/lib.h"}
    assert below(tmp_path, set(graph.headers(other))) == {"b/lib.h"}
    assert not graph.node("nothing.h", main)


def test_headers_and_users_are_files_through_such_a_name_too(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, FILES)
    main, base, lib = (str(tmp_path / name) for name in ("main.cu", "a/base.h", "b/lib.h"))
    assert below(tmp_path, graph.with_headers([main])) == {
        "main.cu",
        "a/lib.h",
        "b/lib.h",
        "a/base.h",
    }
    assert below(tmp_path, graph.with_users([base])) == {"a/base.h", "a/lib.h", "main.cu"}
    assert below(tmp_path, set(graph.users(lib))) == {"main.cu", "b/main.cu", "other.cu"}
    facts = graph.handed_on({base: frozenset("1"), lib: frozenset("2")})
    assert facts[main] == {"1", "2"}
    assert below(tmp_path, set(facts)) == {*FILES}


@pytest.mark.slow
def test_twice_as_many_copies_of_a_tree_take_twice_the_work(tmp_path: Path) -> None:
    def work(count: int) -> int:
        folder = tmp_path / str(count)
        files = {}
        for number in range(count):
            files[f"{number}/include/lib.h"] = ""
            files[f"{number}/src/main.cu"] = "#include <lib.h>\n"
        make_tree(folder, files)
        paths = [str(folder / name) for name in files]
        texts = TreeTexts(load())

        def use() -> None:
            graph = include_graph(paths, texts)
            graph.handed_on({path: frozenset("1") for path in paths[::2]})
            assert len(graph.with_users([paths[0]])) == count + 1

        return lines_run(use)

    work(10)
    assert work(400) < 2.2 * work(200)
