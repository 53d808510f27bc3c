"""The lines that the compiler wrote with -g decide which definition a kernel is from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hipport.fatbin.elf_file import Elf
from tests.support.binaries import only
from tests.support.command import make_tree
from tests.support.tracing import built, trace, traced

pytestmark = pytest.mark.toolchain

SOURCE = """\
#define MAKE(name, T) __global__ void name(T *x) { x[thread()] += 1; }
template <typename T>
__global__ void __launch_bounds__(256)
spread(T *x)
{
    x[thread()] += 2;
}
MAKE(made, float)
#line 100 "gen/rules.y"
__global__ void lined(float *x) { x[thread()] += 3; }
#line 12 "a.hip"
void run(float *x, double *d)
{
    spread<<<1, 64>>>(d);
    spread<float><<<1, 64>>>(x);
    made<<<1, 64>>>(x);
    lined<<<1, 64>>>(x);
}
"""
ALIKE = """\
namespace {
__global__ void tile(float *x)
{
    __shared__ float here[SIZE];
    here[thread()] = x[thread()];
    x[thread()] = here[thread() ^ 1];
}
}
void run_SIZE(float *x) { tile<<<1, 64>>>(x); }
"""


def declared(found: dict[str, Any]) -> list[tuple[str, str, int, str, int]]:
    """For each launch: certainty, definition and its line, and what the compiler says."""
    rows = []
    for each in found["launches"]:
        target = each["kernels"][0]["targets"][0]["declared"]
        rows.append(
            (
                each["certainty"],
                each["definition"]["path"],
                each["definition"]["line"],
                target["path"],
                target["line"],
            )
        )
    return rows


def test_lines_of_templates_macros_and_line_directives(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.hip": SOURCE})
    built(tmp_path, "a.hip", options=("-g",))
    path = str(tmp_path / "a.hip")
    generated = str(Path.cwd() / "gen" / "rules.y")
    assert declared(traced(tmp_path, "a.hip", "lib.so")) == [
        ("likely", "a.hip", 3, path, 4),  # without -p, which instance is not known
        ("certain", "a.hip", 3, path, 4),
        ("certain", "a.hip", 8, path, 8),
        ("certain", "a.hip", 10, generated, 100),
    ]


def alike(folder: Path, *options: str) -> list[tuple[str, str, str, list[int]]]:
    """For each launch: its file, certainty and reason, and the LDS of its kernel for gfx90a."""
    sources = {f"{size}.hip": ALIKE.replace("SIZE", str(size)) for size in (128, 512)}
    make_tree(folder, {f"src/{name}": text for name, text in sources.items()})
    built(folder, *(f"src/{name}" for name in sources), options=options)
    return [
        (
            each["path"],
            each["certainty"],
            each["reason"],
            [t["lds"] for t in each["kernels"][0]["targets"] if t["target"] == "gfx90a"],
        )
        for each in traced(folder, "src", "lib.so")["launches"]
    ]


def test_kernels_that_are_called_alike_are_those_of_their_files(tmp_path: Path) -> None:
    assert alike(tmp_path, "-g") == [
        ("src/128.hip", "certain", "", [512]),
        ("src/512.hip", "certain", "", [2048]),
    ]


def test_without_lines_they_are_not(tmp_path: Path) -> None:
    assert alike(tmp_path) == [
        ("src/128.hip", "likely", "2 files define it", [512, 2048]),
        ("src/512.hip", "likely", "2 files define it", [512, 2048]),
    ]


OPEN = """\
__global__ void over(REAL *y) { y[thread()] = 1; }
__global__ void over(int *y) { y[thread()] += 2; }
"""


@pytest.mark.parametrize(
    ("options", "kernels"),
    [
        ((), [["_Z4overPd", "_Z4overPi"], []]),
        (("-g",), [["_Z4overPd"], ["_Z4overPi"]]),
    ],
    ids=["guessed", "-g"],
)
def test_a_type_that_the_sources_leave_open(
    options: tuple[str, ...], kernels: list[list[str]], tmp_path: Path
) -> None:
    make_tree(tmp_path, {"a.hip": OPEN})
    built(tmp_path, "a.hip", options=("-DREAL=double", *options))
    found = traced(tmp_path, "a.hip", "lib.so")["definitions"]
    assert [each["kernels"] for each in found] == kernels


def test_a_binary_of_other_sources_is_said(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.hip": SOURCE})
    built(tmp_path, "a.hip", options=("-g",))
    (tmp_path / "a.hip").write_text("// A line more.\n" + SOURCE.replace("#line", "// #line"))
    found = traced(tmp_path, "a.hip", "lib.so")["launches"]
    place = f"{tmp_path / 'a.hip'}:8"
    assert (found[2]["certainty"], found[2]["reason"]) == (
        "likely",
        f"it was compiled from {place}, where these sources do not have it",
    )


def test_damaged_debug_information_is_a_fault(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.hip": SOURCE})
    library = built(tmp_path, "a.hip", options=("-g",))
    (bundle,) = only(library).bundles
    image = next(each for each in bundle.entries if "gfx90a" in each.id).source()
    section = Elf(image).find(".debug_info")
    assert section is not None
    data = bytearray(library.read_bytes())
    at = image.place(section.offset).offset
    data[at : at + 4] = b"\xf5\xff\xff\xff"
    (tmp_path / "bad.so").write_bytes(data)
    ran = trace(tmp_path, "--format", "json", "--fail-on", "never", "a.hip", "bad.so")
    assert ran.code == 2
    assert ".debug_info, offset 0x0: a unit of the reserved length 0xfffffff5" in ran.err
    assert json.loads(ran.out)["launches"][2]["certainty"] == "certain"
