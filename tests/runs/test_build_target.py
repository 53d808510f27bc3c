"""A target's sources and headers, converted into a folder: places, lines, dependencies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.cmake.target_properties import converted_properties, elements
from hipport.errors import HipportError
from hipport.model import Explanation, Position
from hipport.runs.build_target import TargetConversion, TargetSources, convert_target
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.depfile import depfile
from hipport.source.text.line_directives import with_line_directives
from tests.support.command import hipport, make_tree

TREE = {
    "src/a.cu": '#include "near.h"\n#include <far.h>\n#include <vector>\nvoid f() { near(); }\n',
    "src/near.h": "inline void near() { cudaDeviceReset(); }\n",
    "include/far.h": '#include "deep/x.h"\n',
    "include/deep/x.h": "inline void deep() { cudaFree(0); }\n",
    "include/unused.h": "inline void unused() { cudaFree(0); }\n",
    "vendor/vendor.h": "void vendor();\n",
}


def converted(folder: Path, *sources: str) -> TargetConversion:
    target = TargetSources(
        sources=tuple(folder / each for each in sources),
        output=folder / "build",
        base=folder,
        roots=(folder / "src", folder / "include"),
        includes=(folder / "include", folder / "vendor"),
    )
    return convert_target(target, ConvertRequest())


def made(folder: Path) -> set[str]:
    files = (path for path in (folder / "build").rglob("*") if path.is_file())
    return {each.relative_to(folder / "build").as_posix() for each in files}


def test_headers_come_along_if_they_are_included(tmp_path: Path) -> None:
    make_tree(tmp_path, dict(TREE))
    done = converted(tmp_path, "src/a.cu")
    assert made(tmp_path) == {
        "hipport-files.txt",
        "include/far.h",
        "include/deep/x.h",
        "src/src/a.cu",
        "src/src/near.h",
        "src/include/far.h",
        "src/include/deep/x.h",
    }
    assert "hipFree(0)" in (tmp_path / "build/src/include/deep/x.h").read_text()
    place = tmp_path / "build/src/include/far.h"
    assert (tmp_path / "build/include/far.h").read_text() == f'#include "{place}"\n'
    names = {"src/a.cu", "src/near.h", "include/far.h", "include/deep/x.h"}
    assert {tmp_path / each for each in names} < set(done.inputs)
    assert {each.name for each in done.inputs} >= {"edition.toml"}


def test_only_what_changes_is_written_and_a_source_changes_with_its_headers(tmp_path: Path) -> None:
    make_tree(tmp_path, {**TREE, "src/b.cu": "void g() { cudaFree(0); }\n"})
    converted(tmp_path, "src/a.cu", "src/b.cu")

    def times() -> dict[str, int]:
        return {name: (tmp_path / "build" / name).stat().st_mtime_ns for name in made(tmp_path)}

    for name in made(tmp_path):
        os.utime(tmp_path / "build" / name, ns=(0, 0))
    converted(tmp_path, "src/a.cu", "src/b.cu")
    assert set(times().values()) == {0}
    (tmp_path / "include/deep/x.h").write_text("inline void deep() { cudaFree(nullptr); }\n")
    converted(tmp_path, "src/a.cu", "src/b.cu")
    changed = {name for name, time in times().items() if time}
    assert changed == {"src/include/deep/x.h", "src/src/a.cu"}


def test_what_goes_is_removed_and_nothing_else(tmp_path: Path) -> None:
    make_tree(tmp_path, dict(TREE))
    converted(tmp_path, "src/a.cu")
    (tmp_path / "build/own.txt").write_text("")
    (tmp_path / "src/a.cu").write_text("void f() { cudaFree(0); }\n")
    converted(tmp_path, "src/a.cu")
    assert made(tmp_path) == {"hipport-files.txt", "own.txt", "src/src/a.cu"}


def test_a_list_of_files_leads_out_of_nothing(tmp_path: Path) -> None:
    make_tree(tmp_path, {**TREE, "precious": "1"})
    converted(tmp_path, "src/a.cu")
    (tmp_path / "build/hipport-files.txt").write_text("../precious\n")
    converted(tmp_path, "src/a.cu")
    assert (tmp_path / "precious").is_file()


def test_the_configuration_counts(tmp_path: Path) -> None:
    make_tree(tmp_path, {**TREE, "hipport.toml": 'exclude = ["src/near.h"]\nlaunch = "keep"\n'})
    done = converted(tmp_path, "src/a.cu")
    assert (tmp_path / "build/src/src/near.h").read_text() == TREE["src/near.h"]
    assert tmp_path / "hipport.toml" in done.inputs


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match=r"none\.cu: no such source"):
        converted(tmp_path, "none.cu")


def edit(line: int, column: int, old: str, new: str) -> Explanation:
    end = Position(line + old.count("\n"), column if "\n" not in old else 1)
    return Explanation("a.cu", Position(line, column), end, old, new, "rule", "syntax")


@pytest.mark.parametrize(
    ("new", "edits", "expected"),
    [
        ("a;\nb;\n", [], '#line 1 "a.cu"\na;\nb;\n'),
        (
            "#include <x>\na;\n",
            [edit(1, 1, "", "#include <x>\n")],
            '#line 1 "a.cu"\n#include <x>\n#line 1 "a.cu"\na;\n',
        ),
        (
            "a;\nf(1,\n  2);\nb;\nc;",
            [edit(2, 1, "f(1, 2)", "f(1,\n  2)")],
            '#line 1 "a.cu"\na;\nf(1,\n  2);\n#line 3 "a.cu"\nb;\nc;',
        ),
        (
            "#define X f(1,\\\n  2); \\\n  g\nb;\n",
            [edit(1, 11, "f(1,2)", "f(1,\\\n  2)")],
            '#line 1 "a.cu"\n#define X f(1,\\\n  2); \\\n  g\nb;\n#line 4 "a.cu"\n',
        ),
        ("\r\na;\r\n", [], '#line 1 "a.cu"\n\r\na;\r\n'),
    ],
)
def test_lines(new: str, edits: list[Explanation], expected: str) -> None:
    assert with_line_directives(new.encode(), edits, "a.cu").decode() == expected


def test_a_path_with_quotes() -> None:
    assert with_line_directives(b"", [], 'a"\\.cu') == b'#line 1 "a\\"\\\\.cu"\n'


def test_depfile() -> None:
    text = depfile("out/a b", [Path("b $x"), Path("a#1"), Path("a#1")]).decode()
    assert text == "out/a\\ b: \\\n  a\\#1 \\\n  b\\ $$x\n\na\\#1:\n\nb\\ $$x:\n"
    with pytest.raises(HipportError, match="a line break"):
        depfile("a", [Path("b\nc")])


def test_depfile_option(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": "cudaCtxResetPersistingL2Cache();\n", "hipport.toml": ""})
    arguments = ("convert", "src", "-o", "out", "--depfile", "out.d")
    assert hipport(*arguments, cwd=tmp_path).code == 1
    assert not (tmp_path / "out.d").exists() and not (tmp_path / "out").is_file()
    ran = hipport(*arguments[:4], "--depfile", "done.d", "--fail-on", "never", cwd=tmp_path)
    assert ran.code == 0
    first, _, rest = (tmp_path / "done.d").read_text().partition("\n")
    assert first == "done: \\" and "  src/a.cu\n" in rest
    assert f"  {tmp_path}/hipport.toml \\\n" in rest
    assert (tmp_path / "done").read_bytes() == b""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("src", "--depfile", "x"), "end it in .d"),
        (("src", "--in-place", "--depfile", "x.d"), "name files, and -o"),
        (("-", "--depfile", "x.d"), "name files, and -o"),
        (("src", "--check", "--depfile", "x.d"), "name files, and -o"),
    ],
)
def test_depfile_is_refused(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": "int a;\n"})
    ran = hipport("convert", *arguments, cwd=tmp_path)
    assert ran.code == 2 and said in ran.err
    assert not (tmp_path / "x.d").exists()


def properties(*records: tuple[str, str]) -> str:
    return "".join(f"TARGET k\x1f{name}\x1f{value}\x1e" for name, value in records)


def test_properties_of_a_target() -> None:
    given = properties(
        ("LINK_LIBRARIES", "CUDA::cublas;$<LINK_ONLY:CUDA::curand>;m"),
        ("COMPILE_OPTIONS", '$<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math;-lineinfo>;-DA="b"\\c'),
        ("CUDA_STANDARD", "17"),
    )
    found = converted_properties(given, "hip")
    assert found.text == (
        "find_package(hip REQUIRED)\n"
        "find_package(hipblas REQUIRED)\n"
        "find_package(hiprand REQUIRED)\n"
        "find_package(rocrand REQUIRED)\n"
        'set_property(TARGET k PROPERTY LINK_LIBRARIES "roc::hipblas"'
        ' "$<LINK_ONLY:hip::hiprand;roc::rocrand>" "m")\n'
        'set_property(TARGET k PROPERTY COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:HIP>:'
        "-fcuda-approx-transcendentals;-fgpu-flush-denormals-to-zero;"
        '-fno-hip-fp32-correctly-rounded-divide-sqrt;-gline-tables-only>" "-DA=\\"b\\"\\\\c")\n'
        'set_property(TARGET k PROPERTY HIP_STANDARD "17")\n'
    )
    assert found.findings == ()
    assert '"roc::rocblas"' in converted_properties(given, "roc").text


def test_a_property_that_names_hip_stays() -> None:
    options = "$<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math>;$<$<COMPILE_LANGUAGE:HIP>:-ffast-math>"
    found = converted_properties(properties(("COMPILE_OPTIONS", options)), "hip")
    assert "--use_fast_math" in found.text


def test_elements() -> None:
    assert list(elements("a;$<$<A:b>:c;d>;;e\\;f;")) == ["a", "$<$<A:b>:c;d>", "e\\;f"]
    assert list(elements("")) == []
