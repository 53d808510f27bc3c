"""Drops findings about Python packages that the tree itself contains."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
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
_FILLED_IN = regex(r"\{[^{}]*\}")


def without_own_packages(found: Iterable[Finding], task: Task, rules: RuleSet) -> list[Finding]:
    """The findings except those about packages that are in the file's tree.

    Those about flags, which a conversion reports too, have rules that only an audit reads.
    """
    return [each for each in found if not (_is_foreign(each, rules) and _is_own(task, each.symbol))]


def _is_foreign(finding: Finding, rules: RuleSet) -> bool:
    rule = rules.findings.get(finding.code)
    return rule is not None and rule.foreign


def _is_own(task: Task, symbol: str) -> bool:
    package = re.split(r"[^\w-]", symbol, maxsplit=1)[0].replace("-", "_")
    if not package:
        return False
    folder = task.source.parent
    if (folder / f"{package}.py").is_file() and task.source.name != f"{package}.py":
        return True
    below = task.source.relative_to(task.root).parents
    return any(_has(task.root / each, package, each == Path()) for each in below)


@lru_cache(maxsize=4096)
def _has(project: Path, package: str, is_root: bool) -> bool:
    """Whether the project in a folder has a package, or builds an extension of that name."""
    if not (is_root or any((project / each).is_file() for each in _PROJECTS)):
        return False
    for below in _BELOW:
        if (project / below / package / "__init__.py").is_file():
            return True
    return any(re.fullmatch(each, package) for each in _extensions(project))


@lru_cache(maxsize=256)
def _extensions(project: Path) -> list[str]:
    """Patterns for the extensions that a project builds: `f"waves_{kind}"` may be any of these."""
    names: list[str] = []
    for each in _BUILDS:
        with suppress(HipportError):
            text = read(project / each, _LARGEST).decode("latin-1")
            names += (one or other for one, other in _EXTENSIONS.findall(text))
    plain = (name.split(".")[0].replace("-", "_") for name in names)
    known = (each for each in plain if each and not each.startswith("{"))
    return [r"\w+".join(map(re.escape, _FILLED_IN.split(each))) for each in known]
