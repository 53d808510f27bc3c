"""Which findings in build files are done by `hipport convert`, as it marks them elsewhere."""

from __future__ import annotations

from pathlib import Path

from tests.support.auditing import audited


def test_sources_of_a_variable_are_marked_where_a_target_takes_them(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "project(waves LANGUAGES CXX CUDA)\n"
        "set(SHAPES a.cu)\n"
        "add_library(waves main.cpp ${SHAPES})\n"
        "set(OTHERS b.cu)\n"
        "waves_add_module(module ${OTHERS})\n"
    )
    found = audited(tmp_path)
    assert [(each.start.line, each.code, each.fixed_by) for each in found] == [
        (1, "HP-CMAKE-001", "convert"),
        (2, "HP-CMAKE-002", "convert"),
        (4, "HP-CMAKE-002", ""),
    ]
