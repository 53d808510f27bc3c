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
        (1, "HP-CMAKE-372", ""),
        (1, "HP-CMAKE-001", "convert"),
        (2, "HP-CMAKE-002", "convert"),
        (4, "HP-CMAKE-002", ""),
    ]


def test_tests_and_documentation_build_nothing(tmp_path: Path) -> None:
    asked = 'def test_unknown():\n    parse_cuda_arch_token("10.5")\n'
    site = "site_name: Waves\nsite_author: NVIDIA\nextra_css: [nvcc.css]\n"
    for name, text in (("test_archs.py", asked), ("archs.py", asked), ("mkdocs.yml", site)):
        (tmp_path / name).write_text(text)
    (tmp_path / "nvidia.yml").write_text(site)
    assert {each.path.rpartition("/")[2] for each in audited(tmp_path)} == {
        "archs.py",
        "nvidia.yml",
    }


def test_sources_that_a_function_of_another_file_gets(tmp_path: Path) -> None:
    function = "function({0} name)\n  {1}(${{name}} STATIC ${{ARGN}})\nendfunction()\n"
    (tmp_path / "cmake").mkdir()
    (tmp_path / "cmake" / "functions.cmake").write_text(
        "# For CUDA.\n"
        + function.format("waves_add_module", "add_library")
        + function.format("waves_add_tool", "tool_run")
    )
    (tmp_path / "CMakeLists.txt").write_text("waves_add_module(a a.cu)\nwaves_add_tool(b b.cu)\n")
    found = audited(tmp_path)
    assert [(each.start.line, each.code, each.fixed_by) for each in found] == [
        (1, "HP-CMAKE-002", "convert"),
        (2, "HP-CMAKE-002", ""),
    ]
