"""Drops findings about Python packages that the tree itself contains."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.patterns.own_paths import is_own
from hipport.source.tree.file_task import Task

_LARGEST = 1 << 20
_BELOW = ("", "src", "python")
"""Where projects keep their packages, relative to the project's folder."""
_BUILDS = ("setup.py", "CMakeLists.txt")
_PROJECTS = ("setup.py", "pyproject.toml", "setup.cfg")
_EXTENSIONS = regex(
    r"Extension\(\s*(?:name\s*=\s*)?f?[\"']([\w.{}-]+)[\"']"
    r"|\b(?:pybind11|nanobind|python3?)_add_(?:module|library)\s*\(\s*([\w.-]+)",
    re.IGNORECASE,
)
_EXTENSION_BY_VARIABLE = regex(r"Extension\(\s*(?:name\s*=\s*)?[A-Za-z_]\w*\s*[,.(\[)]")
# Of several words, each with letters: what has only a number behind the first is no module.
_IN_TABLE = regex(r"[\"']\w+[\"']\s*:\s*[\"']([A-Za-z]{2,}_[A-Za-z]\w*)[\"']")
_NAMED = regex(r"(?<![\w.])name\s*=\s*[\"']?([\w.-]+)")
_VARIABLE = regex(r"(?:-D)?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)")
_FEWEST_WORDS = 2
"""A name of one word may be that of what the project uses."""
_OF_BUILDS = regex(r"ARCH|CAPABILIT|COMPILER|FLAGS|GENCODE|HOME|ROOT|TOOLKIT|VERSION")
_FILLED_IN = regex(r"\{[^{}]*\}")
_ON_PATH = regex(r"^[ \t]*sys\.path\.(?:append|insert)\(([^\n]*)", re.MULTILINE)
_FOLDER = regex(r"[\"']([\w./-]+)[\"']")


def without_own_packages(found: Iterable[Finding], task: Task, rules: RuleSet) -> list[Finding]:
    """The findings except those about packages that are in the file's tree; a text has none."""
    if not task.source.is_relative_to(task.root):
        return list(found)
    known = _rules_for(task, rules)
    return [each for each in found if not (_is_foreign(each, known) and _is_own(task, each.symbol))]


def without_named_folders(found: Iterable[Finding], rules: RuleSet) -> list[Finding]:
    """The findings of a file by itself, except those about a package that has a folder's name."""
    return [
        each
        for each in found
        if not (_is_foreign(each, (rules.findings,)) and is_own(each.symbol, each.path))
    ]


def _rules_for(task: Task, rules: RuleSet) -> tuple[Mapping[str, FindingRule], ...]:
    """The rules for a file: a conversion has some of the audit's for build files alone."""
    if rules.is_audit or not task.is_build_file:
        return (rules.findings,)
    from hipport.rulebook.build_words import build_words
    from hipport.source.buildfiles.build_file import findings_for

    borrowed = findings_for(rules, build_words(rules).finding_folders(task.language))
    return rules.findings, borrowed


def _is_foreign(finding: Finding, rules: tuple[Mapping[str, FindingRule], ...]) -> bool:
    return any(rule.foreign for each in rules if (rule := each.get(finding.code)))


def _is_own(task: Task, symbol: str) -> bool:
    if variable := _VARIABLE.fullmatch(symbol):
        return _is_of_project(task, variable[1])
    package = re.split(r"[^\w-]", symbol, maxsplit=1)[0].replace("-", "_")
    if not package:
        return False
    if _is_in(task, symbol):
        return True
    source, root = task.source, task.root
    folder, is_python = source.parent, source.suffix == ".py"
    if (folder / f"{package}.py").is_file() and source.name != f"{package}.py":
        return True
    if is_python and (_is_beside(folder, symbol) or _is_on_path(source, root, package)):
        return True
    *below, top = source.relative_to(root).parents
    if is_python and any(_has_inside(root / each, symbol) for each in (*below, top)):
        return True
    return any(_has(root / each, package, False) for each in below) or _has(root, package, True)


def _is_in(task: Task, symbol: str) -> bool:
    """Whether a file is in a folder of a package's name, unless that is a part of another package.

    `waves/warp` is a package that is imported as `waves.warp`, and may import `warp`.
    """
    if not is_own(symbol, task.name):
        return False
    above = task.source.parents
    *folders, _ = task.name.split("/")
    names = enumerate(reversed(folders), 1)
    around = (above[number] for number, each in names if is_own(symbol, f"{each}/"))
    return not all((each / "__init__.py").is_file() for each in around)


def _is_of_project(task: Task, variable: str) -> bool:
    """Whether a variable begins with the project's name, of several words, and is its own affair.

    `CUDA_WAVES_CACHE` is in the project cuda-waves, `CUDA_WAVES_ARCH` holds architectures there.
    """
    words = variable.lower().split("_")
    # The working folder has no name by itself.
    folder = _plain(task.root.absolute().name)
    for count in range(_FEWEST_WORDS, len(words)):
        project = "_".join(words[:count])
        is_named = folder == project or _has(task.root, project, True)
        if is_named and not _OF_BUILDS.search(variable, len(project)):
            return True
    return False


def _plain(folder: str) -> str:
    """A project's name by the folder of its sources: `cuda_waves` for `cuda-waves-1.2`."""
    return re.sub(r"-\d[\w.]*$", "", folder).replace("-", "_").lower()


def _is_beside(folder: Path, module: str) -> bool:
    """Whether a script's folder has a package's module; in a package, such names are of others."""
    if not re.fullmatch(r"\w+(?:\.\w+)*", module) or (folder / "__init__.py").is_file():
        return False
    inside = folder.joinpath(*module.split("."))
    return (inside / "__init__.py").is_file() or (
        "." in module and inside.with_suffix(".py").is_file()
    )


def _is_on_path(source: Path, root: Path, package: str) -> bool:
    """Whether a folder of the tree that a script puts on Python's path has a module."""
    return any(
        (folder / f"{package}.py").is_file() or (folder / package).is_dir()
        for folder in _folders_on_path(source, root)
    )


@lru_cache(maxsize=64)
def _folders_on_path(source: Path, root: Path) -> list[Path]:
    """What `sys.path.append(os.path.join(os.path.dirname(__file__), "tools"))` puts there."""
    try:
        text = read(source, _LARGEST).decode("latin-1")
    except HipportError:
        return []
    found = (_FOLDER.findall(given) for given in _ON_PATH.findall(text))
    folders = (Path(os.path.normpath(source.parent.joinpath(*each))) for each in found if each)
    return [each for each in folders if each.is_relative_to(root)]


@lru_cache(maxsize=4096)
def _has_inside(project: Path, module: str) -> bool:
    """Whether a module is one of the project's behind another name: `old.waves.cuda`."""
    parts = module.split(".")
    behind = (parts[number:] for number in range(1, len(parts) - 1))
    folders = [project / below for below in _BELOW]
    return re.fullmatch(r"\w+(?:\.\w+)+", module) is not None and any(
        (folder / each[0] / "__init__.py").is_file() and _is_module(folder.joinpath(*each))
        for each in behind
        for folder in folders
    )


def _is_module(path: Path) -> bool:
    return (path / "__init__.py").is_file() or path.with_suffix(".py").is_file()


@lru_cache(maxsize=4096)
def _has(project: Path, package: str, is_root: bool) -> bool:
    """Whether the project in a folder has a package, its own name, or an extension of that name."""
    if not (is_root or any((project / each).is_file() for each in _PROJECTS)):
        return False
    for below in _BELOW:
        # A folder that is a package itself has only parts of it.
        is_top = not (project / below / "__init__.py").is_file()
        if is_top and (project / below / package / "__init__.py").is_file():
            return True
    if package.lower() in _names(project):
        return True
    return any(re.fullmatch(each, package) for each in _extensions(project))


@lru_cache(maxsize=256)
def _names(project: Path) -> set[str]:
    """What a project calls itself, as its modules would be called."""
    found = set()
    for each in _PROJECTS:
        with suppress(HipportError):
            named = _NAMED.search(read(project / each, _LARGEST).decode("latin-1"))
            found |= {_plain(named[1])} if named else set()
    return found


@lru_cache(maxsize=256)
def _extensions(project: Path) -> list[str]:
    """Patterns for the extensions that a project builds: `f"waves_{kind}"` may be any of these."""
    names: list[str] = []
    for each in _BUILDS:
        with suppress(HipportError):
            text = read(project / each, _LARGEST).decode("latin-1")
            names += (one or other for one, other in _EXTENSIONS.findall(text))
            if _EXTENSION_BY_VARIABLE.search(text):
                names += _IN_TABLE.findall(text)
    plain = (name.split(".")[0].replace("-", "_") for name in names)
    known = (each for each in plain if each and not each.startswith("{"))
    return [r"\w+".join(map(re.escape, _FILLED_IN.split(each))) for each in known]
