"""Finds CUDA's headers on this machine."""

from __future__ import annotations

import importlib.util
import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.programs import find_program
from hipport.rulebook.load import load


@cache
def knowledge() -> dict[str, Any]:
    return tomllib.loads((load().folder / "semantic.toml").read_text(encoding="utf-8"))


def find_headers(named: Path | None, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """The include folders of one CUDA, that with the runtime's header first; none if there is none.

    Raises HipportError where the folder that the user named has none.
    """
    if named:
        found = _folders(named)
        if not found:
            raise HipportError(
                f"{named}: no include/{knowledge()['header']} there", remedy="check --cuda-path"
            )
        return found
    return next(filter(None, map(_folders, _candidates(environment))), _packaged())


def _candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    for name in knowledge()["environment"]:
        if environment.get(name):
            yield Path(environment[name])
    program = find_program(knowledge()["program"])
    if program:
        yield Path(program).resolve().parents[1]
    for place in knowledge()["places"]:
        yield from sorted(Path("/").glob(place.lstrip("/")), reverse=True)


def _folders(place: Path) -> list[Path]:
    """The include folder of an installation, or the place itself."""
    header = knowledge()["header"]
    for folder in (place / "include", place):
        if (folder / header).is_file():
            return [_plain(folder)]
    return []


def _plain(folder: Path) -> Path:
    """The path as the compiler's answers are compared with it: absolute, without `..`."""
    return Path(os.path.normpath(folder.absolute()))


def _packaged() -> list[Path]:
    """The include folders of NVIDIA's Python packages; nothing of them is imported."""
    try:
        spec = importlib.util.find_spec(knowledge()["package"])
    except (ImportError, ValueError):
        return []
    folders = [
        _plain(folder)
        for place in ((spec.submodule_search_locations or ()) if spec else ())
        for folder in sorted(Path(place).glob(knowledge()["package_folders"]))
    ]
    header = knowledge()["header"]
    folders.sort(key=lambda folder: not (folder / header).is_file())
    return folders if folders and (folders[0] / header).is_file() else []
