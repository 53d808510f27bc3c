"""The audit of whole source distributions: nothing fails, changes, differs or is missed."""

from __future__ import annotations

import ast
import json
import shutil
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.command import hipport, make_tree
from tests.support.fetch import sha256_of
from tests.support.folders import CHECKOUT
from tests.support.real_trees import trees, whole
from tests.support.wheels import wheel

NAMES = (
    "deepspeed",
    "flash-attn",
    "horovod",
    "megatron-core",
    "xformers",
    "xgboost",
    "pycuda",
    "mpi4py",
)
SCHEMA = CHECKOUT / "hipport/report/report.schema.json"
ABSTRACT = {"OpBuilder", "CUDAOpBuilder", "CPUOpBuilder", "TorchCPUOpBuilder"}

pytestmark = pytest.mark.real


def files(folder: Path) -> dict[str, Path]:
    paths = (path for path in sorted(folder.rglob("*")) if not path.is_symlink())
    return {str(path): path for path in paths if path.is_file()}


def state(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Size, time and content of every file."""
    return {
        name: (path.stat().st_size, path.stat().st_mtime_ns, sha256_of(path))
        for name, path in files(folder).items()
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Where the report of a real tree is, made once by two processes; it changes nothing there."""
    out = tmp_path_factory.mktemp("reports")

    @cache
    def report(name: str) -> Path:
        folder = whole(trees()[name])
        before = state(folder)
        audited(folder, out / f"{name}.json", jobs=2)
        assert state(folder) == before
        return out / f"{name}.json"

    return report


@pytest.fixture(scope="module")
def report_of(written: Callable[[str], Path]) -> Callable[[str], dict[str, Any]]:
    @cache
    def report(name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(written(name).read_text("utf-8"))
        return found

    return report


def audited(folder: Path, out: Path, jobs: int) -> dict[str, Any]:
    """The report of a tree; stderr tells of files left out, never of a mistake of our own."""
    options = ("--format", "json", "-o", out, "--jobs", str(jobs), "--isolated")
    ran = hipport("audit", "report", ".", *options, "--fail-on", "never", cwd=folder, timeout=900)
    assert (ran.code, ran.out) == (0, "")
    assert "internal error" not in ran.err and "Traceback" not in ran.err
    report: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return report


# Of the others each run takes up to minutes.
@pytest.mark.parametrize("name", ["horovod", "xgboost", "pycuda", "mpi4py"])
def test_two_jobs_report_the_same_as_one(
    name: str, written: Callable[[str], Path], tmp_path: Path
) -> None:
    one = tmp_path / "1.json"
    audited(whole(trees()[name]), one, jobs=1)
    assert one.read_bytes() == written(name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_tree(name: str, report_of: Callable[[str], dict[str, Any]]) -> None:
    folder = whole(trees()[name])
    report = report_of(name)
    jsonschema.validate(report, json.loads(SCHEMA.read_text("utf-8")))
    listed = {path.removeprefix(f"{folder}/") for path in files(folder)}
    assert listed <= {each["path"] for each in report["files"]} | ignored(report, listed)
    assert report["findings"] or name == "mpi4py"
    for each in report["findings"]:
        if each["line"] is not None:
            shown = each["excerpt"]
            assert shown["line"] <= each["line"] < shown["line"] + len(shown["lines"])


def ignored(report: dict[str, Any], listed: set[str]) -> set[str]:
    """The files in folders that the tree's own .gitignore leaves out: they are not listed."""
    folders = {str(Path(each["path"]).parent) for each in report["files"]}
    return {path for path in listed if str(Path(path).parent) not in folders}


def test_every_op_builder_of_deepspeed_is_found(
    report_of: Callable[[str], dict[str, Any]],
) -> None:
    folder, report = whole(trees()["deepspeed"]), report_of("deepspeed")
    found = {
        (place["path"], place["line"]): each["suggestion"]
        for each in report["findings"]
        for place in (each, *each.get("places", ()))
        if each["code"] in ("HP-PY-015", "HP-PY-016")
    }
    builders = [
        (f"op_builder/{path.name}", node.lineno)
        for path in sorted((folder / "op_builder").glob("*.py"))
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef)
        and node.name.endswith("Builder")
        and node.name not in ABSTRACT
    ]
    assert len(builders) == 20
    assert [each for each in builders if each not in found] == []
    # Each says how it is built ahead of time, or that it is to be left out.
    assert all("DS_BUILD_" in found[each] for each in builders)


def test_apex_is_told_with_its_remedy(report_of: Callable[[str], dict[str, Any]]) -> None:
    """Megatron imports APEX: the report names what takes its place on ROCm."""
    apex = [
        each
        for each in report_of("megatron-core")["findings"]
        if each["code"] in ("HP-PY-011", "HP-PY-012")
    ]
    assert apex
    assert any("ROCm/apex" in each["suggestion"] for each in apex)
    assert any("torch" in each["suggestion"] for each in apex)


def test_a_wheel_in_a_tree(tmp_path: Path) -> None:
    """bitsandbytes ships libraries for CUDA and for ROCm; one of those for CUDA stands alone."""
    package = wheel("bitsandbytes")
    make_tree(tmp_path, {"requirements.txt": "numpy\n"})
    (tmp_path / package.name).symlink_to(package)  # not followed
    (tmp_path / "vendor").mkdir()
    shutil.copy(package, tmp_path / "vendor" / package.name)
    with zipfile.ZipFile(package) as archive:
        names = [each for each in archive.namelist() if "bitsandbytes_cuda12" in each]
        archive.extract(min(names), tmp_path)
    report = audited(tmp_path, tmp_path / "report.json", jobs=1)
    told = {each["path"]: (each["code"], each["message"]) for each in report["findings"]}
    assert set(told) == {f"vendor/{package.name}", min(names)}
    code, message = told[f"vendor/{package.name}"]
    assert code == "HP-BIN-003"
    assert message.startswith("prebuilt zip with code for AMD GPUs (gfx90a, gfx908, gfx942, ")
    assert " in bitsandbytes/libbitsandbytes_rocm64.so, " in message
    assert "; needs libhipblas.so.2, libhipblas.so.3, " in message and "cuda" not in message
    code, message = told[min(names)]
    assert code == "HP-BIN-001"
    assert "sm_80" in message and "libcudart.so.12" in message and "libcublas.so.12" in message
