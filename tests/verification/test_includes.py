"""The folders that a tree's files need to find each other."""

from __future__ import annotations

from pathlib import Path

from hipport.verification.included_files import SourceTree
from tests.support.command import make_tree


def folders(root: Path, unit: str, files: dict[str, str]) -> list[str]:
    make_tree(root, files)
    tree = SourceTree(root, [root / name for name in files])
    return [str(each.relative_to(root)) for each in tree.include_folders(root / unit)]


def test_what_stands_beside_needs_no_folder(tmp_path: Path) -> None:
    assert folders(tmp_path, "src/a.cu", {"src/a.cu": '#include "b.h"\n', "src/b.h": ""}) == []


def test_angle_brackets_are_not_looked_for_beside_the_file(tmp_path: Path) -> None:
    files = {"src/a.cu": "#include <b.cu>\n#include <c.h>\n", "src/b.cu": "", "lib/c.h": ""}
    assert folders(tmp_path, "src/a.cu", files) == ["src", "lib"]


def test_headers_are_found_by_the_end_of_their_path_and_looked_through(tmp_path: Path) -> None:
    found = folders(
        tmp_path,
        "src/a.cu",
        {
            "src/a.cu": "#include <lib/b.h>\n#include <vector>\n",
            "include/lib/b.h": '  #  include "deep.h"\n',
            "other/util/deep.h": "",
        },
    )
    assert found == ["include", "other/util"]


def test_of_several_the_nearest_is_taken(tmp_path: Path) -> None:
    found = folders(
        tmp_path,
        "two/src/a.cu",
        {"one/include/x.h": "", "two/include/x.h": "", "two/src/a.cu": '#include "x.h"\n'},
    )
    assert found == ["two/include"]


def test_a_path_that_leaves_the_tree_is_not_searched(tmp_path: Path) -> None:
    text = '#include "../../x.h"\n#include "/x.h"\n'
    assert folders(tmp_path, "src/a.cu", {"x.h": "", "src/a.cu": text}) == []


def test_headers_of_the_system_are_not_looked_for_in_the_tree(tmp_path: Path) -> None:
    """What a tree carries of their names is for other systems, or for a compiler of its own."""
    found = folders(
        tmp_path,
        "a.cu",
        {
            "a.cu": "#include <getopt.h>\n#include <vector>\n#include <zlib.h>\n"
            '#include "string.h"\n#include <Eigen>\n',
            "windows/getopt.h": "",
            "libcxx/vector": "",
            "zlib/zlib.h": "",
            "own/string.h": "",
            "eigen/Eigen": "",
        },
    )
    assert found == ["zlib", "own", "eigen"]
