"""Finds the projects and folders of a tree that support AMD already."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from fnmatch import filter as matching
from functools import lru_cache
from pathlib import PurePosixPath

from msgspec.structs import replace

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import Finding, Severity
from hipport.rulebook.branch_words import PortedProjects
from hipport.rulebook.build_words import build_words
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.source.buildfiles.build_kinds import LARGEST
from hipport.source.tree.file_task import Task
from hipport.source.tree.ports_beside import is_in_ported_package

_PROJECTS = {"cmake": ("CMakeLists.txt",), "make": ("Makefile", "makefile", "GNUmakefile")}
_PACKAGE = "pyproject.toml"
_BUILT_OTHERWISE = {
    "python": ("setup.py",),
    "autoconf": ("configure.ac", "configure.in"),
    "meson": ("meson.build",),
    "requirements": (_PACKAGE,),
    "rust": ("Cargo.toml",),
    "go": ("go.mod",),
    "julia": ("Project.toml",),
    "zig": ("build.zig",),
}
"""Files that say that a project is built for AMD, too, though nothing converts them."""
_HEAD = 3_000
"""Bytes of a file that have its copyright."""
_PARTS = {"cmake": ("cmake/*.cmake",), "make": ("Makefile.*",)}
"""What a project's build file usually includes."""


def ported_folders(tasks: Iterable[Task]) -> dict[str, set[str]]:
    """Kind of build file -> the folders of projects that support AMD already.

    Reads project files before anything is converted: a file must not count as ported because
    this run converted it.
    """
    ported: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        if not task.is_build_file or task.is_link:
            continue
        path = task.source_path
        is_project = path.rpartition("/")[2] in _PROJECTS.get(task.language, ())
        if is_project and _is_ported(path, task.language):
            ported[task.language].add(_folder_of(path))
    return ported


def is_file_of_port(task: Task, kind: str) -> bool:
    """Whether a build file is in a project that supports AMD and whose tree is not converted."""
    folder = task.below
    while folder:
        folder = folder.rpartition("/")[0]
        if _has_port(task.root_path, folder, kind):
            return True
    return False


@lru_cache(maxsize=4096)
def _has_port(root: str, below: str, kind: str) -> bool:
    folder = f"{root}/{below}" if below else root
    names = _listed(folder)
    projects = _PROJECTS.get(kind) or _BUILT_OTHERWISE.get(kind, ())
    files = [f"{folder}/{each}" for each in projects if each in names]
    if kind == "cmake" and _PACKAGE in names:
        files += _built_from(folder)
    files += (each for shape in _PARTS.get(kind, ()) for each in _files(folder, shape))
    return any(_is_ported(each, kind) for each in files)


def _built_from(folder: str) -> list[str]:
    """The CMake project in a folder of its own that a Python package is built from.

    https://scikit-build-core.readthedocs.io/en/stable/reference/configs.html: cmake.source-dir
    """
    import tomllib

    try:
        table = tomllib.loads(read(f"{folder}/{_PACKAGE}", LARGEST).decode())
        source = table["tool"]["scikit-build"]["cmake"]["source-dir"]
    except (HipportError, ValueError, LookupError, TypeError):
        return []
    inner = PurePosixPath(source) if isinstance(source, str) else None
    if inner is None or inner.is_absolute() or ".." in inner.parts:
        return []
    return [f"{folder}/{inner / name}" for name in _PROJECTS["cmake"]]


def _files(folder: str, shape: str) -> list[str]:
    """The files in a folder, or in one in it, with names of a shape such as `cmake/*.cmake`."""
    inside, _, name = shape.rpartition("/")
    if inside and inside not in _listed(folder):
        return []
    folder = f"{folder}/{inside}" if inside else folder
    return [f"{folder}/{each}" for each in matching(_listed(folder), name)]


@lru_cache(maxsize=8)
def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208  (A Path for each name would take ten times as long.)
    except OSError:
        return []


def _is_ported(project: str, kind: str) -> bool:
    from hipport.source.buildfiles.build_conversion import is_ported

    try:
        data = read(project, LARGEST)
    except HipportError:
        return False  # The file is missing, or its conversion will report why it cannot be read.
    return is_ported(data, kind, build_words(load()))


def is_below(path: str, folders: set[str]) -> bool:
    """Whether a file is in one of the folders or their subfolders."""
    while path not in ("", "/"):
        path = _folder_of(path)
        if path in folders:
            return True
    return False


def _folder_of(path: str) -> str:
    folder, slash, _ = path.rpartition("/")
    return folder or slash


def seen_from_port(found: list[Finding], task: Task, kind: str, rules: RuleSet) -> list[Finding]:
    """The findings; those which a project for AMD answers somewhere are notes, or a look.

    What builds the tree elsewhere, scripts and CI, is not answered by its build files.
    """
    words = rules.branches.projects
    asking = [
        each for each in found if each.needs_person and re.fullmatch(words.answered, each.code)
    ]
    if not asking:
        return found
    because = words.because
    is_compiled = any(is_file_of_port(task, each) for each in _PROJECTS)
    if not is_compiled and not any(is_file_of_port(task, each) for each in _BUILT_OTHERWISE):
        because = _said_of_module(task, words) if kind == "python" else ""
        if not because:
            return found
        asking = [each for each in asking if not rules.findings[each.code].net]
    settles = is_compiled and kind in words.settled_in
    return [_seen(each, settles, because, rules) if each in asking else each for each in found]


def _said_of_module(task: Task, words: PortedProjects) -> str:
    """Why a module of Python is for AMD's GPUs already, in a project that is not; or ""."""
    if is_in_ported_package(task.root_path, task.below):
        return words.because
    with open(task.source_path, "rb") as file:  # noqa: PTH123
        head = file.read(_HEAD).decode("utf-8", "replace")
    return words.written if re.search(words.copyright, head) else ""


def _seen(found: Finding, settles: bool, because: str, rules: RuleSet) -> Finding:
    words = rules.branches.projects
    is_settled = settles and re.fullmatch(words.settled, found.code)
    if is_settled or rules.findings[found.code].net:
        return rules.findings[words.note].finding(found.path, found.symbol, found.start, found.end)
    lower = Severity.parse(words.severity)
    if found.severity <= lower:
        return found
    return replace(found, severity=lower, message=f"{found.message} ({because})")
