"""Whether HIP's headers fit the clang, and each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.verification.error_causes import Kind, explain
from hipport.verification.header_compatibility import Fit, fit
from hipport.verification.hip_headers import Headers
from hipport.verification.known_files import Origin, UserFiles
from hipport.verification.libclang import Library, Resources
from hipport.verification.model import CompilerError, Note, Parsed, Place, Unit
from hipport.verification.toolchain import Toolchain
from tests.support.command import make_tree

HEADER = "include/hip/hip_version.h"


def version(major: int, minor: int) -> str:
    return f"#define HIP_VERSION_MAJOR {major}\n#define HIP_VERSION_MINOR {minor}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_tree(tmp_path, {f"new/{HEADER}": version(7, 1), f"old/{HEADER}": version(5, 2)})


def fitted(folder: Path, clang: int, *included: str) -> Fit:
    named = Headers(folder / "old" / ".." / "new" / "include", (7, 1), "--rocm-path")
    toolchain = Toolchain(Library("", clang), "", Resources(Path("/r"), clang), named)
    return fit([f"{folder}/{each}" for each in included], toolchain)


@pytest.mark.parametrize(
    ("clang", "included", "reason"),
    [
        (20, ["new/include/hip/hip_runtime.h", "old/include/stdio.h", "x/hip/y.h"], ""),
        (18, [], "HIP 7.1 in {new} needs clang 20, and this is 18"),
        (20, ["old/include/hiprand/hiprand.h"], "HIP 7.1 in {new} and HIP 5.2 in {old} are mixed"),
        (
            18,
            ["old/include/hip/amd_detail/amd_hip_fp16.h"],
            "HIP 7.1 in {new} and HIP 5.2 in {old} are mixed; HIP 7.1 in {new} needs clang 20, and"
            " this is 18",
        ),
    ],
)
def test_the_reason(folder: Path, clang: int, included: list[str], reason: str) -> None:
    found = fitted(folder, clang, *included)
    assert found.reason == reason.format(new=folder / "new/include", old=folder / "old/include")


def test_what_both_have(folder: Path) -> None:
    assert fitted(folder, 20).version == (7, 1)
    assert fitted(folder, 20, "old/include/hip/a.h").version == (5, 2)


def test_an_error_that_the_user_asked_for_inside_headers_that_do_not_fit(folder: Path) -> None:
    """It is in a template of theirs: no fault of the user's code, unless the headers fit."""
    place = Place(f"{folder}/new/include/hip/a.h", 3, 1)
    asked = Note(Place(f"{folder}/a.hip", 1, 1), "in instantiation of f")
    make_tree(folder, {"a.hip": "int x = f<int>();\n"})
    unit = Unit(folder / "a.hip", "a.hip", "hip")
    parsed = Parsed(unit, "", [CompilerError(place, "no member", notes=(asked,))])

    def kinds(clang: int) -> list[Kind]:
        files = UserFiles({unit.path: Origin("a.hip", "cuda")}, lambda origin, data: ())
        return [each.kind for each in explain([parsed], files, fitted(folder, clang))]

    assert kinds(18) == [Kind.HEADERS]
    assert kinds(20) == [Kind.SILENT]
