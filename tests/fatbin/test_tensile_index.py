"""Tensile's index, as TensileCreateLibrary writes it: counted, named, and never a crash."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import msgpack
import pytest

from tests.support.binaries import run

NAME = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk"


def solution(processor: str = "") -> dict[str, Any]:
    predicate: dict[str, Any] = {"type": "TruePred"}
    if processor:
        predicate = {"type": "AMDGPU", "value": {"type": "Processor", "value": processor}}
    return {"name": "Cijk_Ailk_Bjlk_SB", "hardwarePredicate": predicate, "index": 7}


def index(*solutions: dict[str, Any], library: object = None, **more: object) -> bytes:
    tree = library or {"type": "Hardware", "rows": []}
    data = msgpack.packb({"solutions": list(solutions), "library": tree, **more})
    assert isinstance(data, bytes)
    return data


def lazy(*processors: str) -> bytes:
    places = [{"type": "Placeholder", "value": f"{NAME}_{n}"} for n in range(3)]
    rows = [
        {
            "predicate": {"type": "Processor", "value": processor},
            "library": {"type": "Problem", "map": {str(n): p for n, p in enumerate(places)}},
        }
        for processor in processors or ("",)
    ]
    return index(library={"type": "Hardware", "rows": rows}, version=1)


MIXED = index(solution("gfx90a"), solution("gfx942"), solution("gfx90a"))
CASES = {
    f"{NAME}_gfx90a.dat": (MIXED, "3 solutions for gfx90a, gfx942"),
    f"{NAME}_gfx1030.dat": (index(solution()), "1 solutions for gfx1030"),
    f"{NAME}_fallback.dat": (index(solution(), solution()), "2 solutions for any processor"),
    "TensileLibrary_lazy_gfx1100.dat": (lazy("gfx1100"), "names 3 other indexes for gfx1100"),
    "TensileLibrary_lazy_gfx1010.dat": (lazy(), "names 3 other indexes for gfx1010"),
    "many.dat": (index(*[solution("gfx1201")] * 20), "20 solutions for gfx1201"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said(name: str, tmp_path: Path) -> None:
    data, said = CASES[name]
    path = tmp_path / name
    path.write_bytes(data)
    lines = [
        f"{path}: Tensile index, {len(data)} bytes, no device code",
        f"  note: Tensile index: {said}",
    ]
    assert run("list", path).stdout.splitlines() == lines
    assert run("list", tmp_path).stdout.splitlines() == lines
    with tarfile.open(tmp_path / "package.tar.gz", "w:gz") as package:
        member = tarfile.TarInfo(f"library/{name}")
        member.size = len(data)
        package.addfile(member, io.BytesIO(data))
    assert f"note: Tensile index: {said}" in run("list", tmp_path / "package.tar.gz").stdout
    assert run("check", path).exit_code == 0


DAMAGED = {
    "cut": MIXED[:-90],
    "count of 4 G": MIXED[:11] + b"\xdd\xff\xff\xff\xff" + MIXED[12:],
    "no array": MIXED[:11] + b"\x01",
    "solutions that are numbers": msgpack.packb({"solutions": [1, 2], "library": {}}),
    "no tree": msgpack.packb({"solutions": [], "library": [1]}),
    "deep": MIXED[:11] + b"\x91" * 4000,
    "a solution of 2 MB": index(solution() | {"name": "k" * (2 << 20)}),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "TensileLibrary.dat"
    path.write_bytes(DAMAGED[name])
    result = run("list", path)
    assert result.exit_code == 2
    assert "damaged Tensile index" in result.stderr, result.output


def test_names_of_other_things_are_no_processors(tmp_path: Path) -> None:
    path = tmp_path / "index.dat"
    path.write_bytes(index(solution("\x1b[2J"), solution("gfx90a; rm")))
    assert "2 solutions for any processor" in run("list", path).stdout
