"""Files of a tree that commands read beside its sources: git's, reports, manifests, builds."""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
import tempfile
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import MEMORY
from hipport.gitindex import GitIndex, Tracked, commit_of
from hipport.ignore import parse
from hipport.model import FileReport
from hipport.report.readback import joined, read_report
from hipport.rulebook.load import load
from hipport.source.tree.file_task import Outcome, Task
from hipport.source.tree.manifest import SCHEMA, Manifest, recall
from hipport.trace.join import wanted_names
from hipport.trace.source_tree import read_tree
from hipport.verification.build_settings import Builds
from hipport.verification.compile_commands import Database

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
_NEXT = b"\0"
"""Between the files of one input."""
_PATHS = ("a", "a.cu", "src/a.cu", "src/deep/b.cu", "build/x/y/z.o", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa")
_BUILD_FILES = ("CMakeLists.txt", "Makefile", "sub/CMakeLists.txt", "common.mk")


def exercise_trace(data: bytes) -> None:
    """Two sources and a header, as `trace` reads them."""
    names = ("a.cu", "b.cu", "c.cuh")
    tree = read_tree(zip(names, data.split(_NEXT, 2), strict=False), load(is_audit=True))
    wanted_names(tree)
    for each in (*tree.definitions, *tree.launches):
        assert each.path in names


def trace_seeds() -> list[bytes]:
    files = [*(FIXTURES / "source").rglob("*.cu*"), *(FIXTURES / "trace").rglob("*.cu*")]
    return [path.read_bytes().replace(_NEXT, b"") for path in files if path.is_file()]


def exercise_git(data: bytes) -> None:
    """An index, `packed-refs` and HEAD: what cannot be read has no file and no commit."""
    index, _, rest = data.partition(b"\xff\xff")
    head, _, packed = rest.partition(b"\n")
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / ".git").mkdir()
        for name, content in (("config", b""), ("index", index), ("HEAD", head)):
            (top / ".git" / name).write_bytes(content)
        (top / ".git/packed-refs").write_bytes(packed)
        found = GitIndex(top)
        assert len(list(found.paths())) <= len(index)
        found.has(top / "a.cu", b"")
        tracked = Tracked(top)
        tracked.has_folder("src")
        commit_of(top)


def git_seeds() -> list[bytes]:
    """An index with two files (gitformat-index(5)), version 2."""
    rows = b""
    for name in (b"a.cu", b"src/b.cu"):
        row = bytes(40) + hashlib.sha1(name).digest() + struct.pack(">H", len(name)) + name
        rows += row + bytes(8 - len(row) % 8)
    index = b"DIRC" + struct.pack(">II", 2, 2) + rows
    refs = b"ref: refs/heads/main\n" + b"a" * 40 + b" refs/heads/main\n"
    return [index + hashlib.sha1(index).digest() + b"\xff\xff" + refs]


def exercise_ignore(data: bytes) -> None:
    """The lines of a .gitignore."""
    patterns = parse(data.decode("utf-8", "replace").splitlines())
    for path in _PATHS:
        patterns.verdict(path, is_folder=False)


def ignore_seeds() -> list[bytes]:
    return [b"*.o\n!a.o\n/build/\n**/x/**\n[a-c!]?[!x]\n\\#a\n a \\ \n", b"a**b/**/[[:alpha:]]*\n"]


def exercise_report(data: bytes) -> None:
    """Two parts of an audit, to be merged."""
    with _written(data.split(_NEXT, 1)) as paths, contextlib.suppress(HipportError):
        joined([(path, read_report(path)) for path in paths], by_name=True)


def report_seeds() -> list[bytes]:
    paths = (FIXTURES / "report/golden/audit.json", FIXTURES / "report/report.json")
    return [_compact(path.read_bytes()) for path in paths]


def _compact(data: bytes) -> bytes:
    """A report with few findings: the rest says nothing new."""
    report = json.loads(data)
    report["findings"] = report["findings"][:3]
    report["files"] = report["files"][:2]
    return json.dumps(report, separators=(",", ":")).encode()


def exercise_manifest(data: bytes) -> None:
    """What a conversion remembers in its output folder, or a part of one (--shard)."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, MEMORY)
        place.mkdir()
        (place / "manifest").write_bytes(SCHEMA + b"\n" + data)
        with contextlib.suppress(HipportError):
            manifest = Manifest(Path(folder))
            assert manifest.stamp("missing") is None and manifest.generated("missing") is None
            for path in manifest:
                task = Task(str(place), f"{place}/a.cu", path, "cuda", "")
                for read in (
                    manifest.stamp,
                    manifest.generated,
                    lambda path, task=task: recall(_outcome(path), manifest.said(path), task),
                ):
                    with contextlib.suppress(HipportError):
                        read(path)


def _outcome(path: str) -> Outcome:
    return Outcome(FileReport(path, "cuda", "failed"))


def manifest_seeds() -> list[bytes]:
    kept = b64encode(zlib.compress(b"hipFree(p);")).decode()
    finding = [
        "HP-X-001",
        "m",
        "s",
        "x",
        "",
        1,
        [1, 1],
        [1, 2],
        ["r", "safe", [[[1, 1], [1, 2], "t"]]],
    ]
    said = {"status": "converted", "edits": 1, "reason": "", "findings": [finding]}
    said |= {"counts": [["runtime", True, 1]], "declared": ["x"], "helpers": []}
    return [f'"a.cu"\t["1","2","3"]\t{json.dumps(said)}\t{kept}\n'.encode()]


def exercise_database(data: bytes) -> None:
    """compile_commands.json."""
    with _written([data]) as (path,), contextlib.suppress(HipportError):
        database = Database(path, None, None)
        for file in list(database.commands)[:9]:
            database.arguments(file)
            database.command(file)


def database_seeds() -> list[bytes]:
    row = {"directory": "/b", "file": "a.cu", "command": "nvcc -Xcompiler '-a,-b' -c a.cu -I x"}
    words = {"directory": "/b", "file": "b.cu", "arguments": ["nvcc", "-arch=sm_80", "-Dx=1"]}
    return [json.dumps([row, words]).encode()]


def exercise_builds(data: bytes) -> None:
    """CMake files and makefiles, as `verify` reads folders, macros and standards out of them."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        (top / "sub").mkdir()
        files = [top / "a.cu", top / "sub/b.cpp"]
        for name, content in zip(_BUILD_FILES, data.split(_NEXT), strict=False):
            (top / name).write_bytes(content)
            files.append(top / name)
        builds = Builds(files)
        for source in files[:2]:
            assert all(isinstance(each, str) for each in builds.arguments(source))
        builds.unknown()
        list(builds.lines())


def builds_seeds() -> list[bytes]:
    cmake = b"""project(x)
set(F "-DA=1" -I${CMAKE_CURRENT_SOURCE_DIR}/i)
if(NOT DEFINED B AND (C OR "${D}" STREQUAL "e"))
add_library(x a.cu)
target_compile_definitions(x PUBLIC $<$<COMPILE_LANGUAGE:CUDA>:E> ${F})
endif()
include(common.mk)
add_subdirectory(sub)
"""
    make = b"""include common.mk
F := -I$(dir $(abspath a/b)) $(patsubst %,-I%,x y) $(A:=.o)
ifeq ($(B),1)
F += -DX='a b'
else
endif
%.o: %.cu
\tnvcc $(F) -c $< -o $@
"""
    return [cmake, _NEXT + make, _NEXT.join((cmake, make, b"add_executable(y b.cpp)\n", b"A=1\n"))]


@contextlib.contextmanager
def _written(contents: list[bytes]) -> Iterator[list[Path]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{number}.json") for number, _ in enumerate(contents)]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        yield paths
