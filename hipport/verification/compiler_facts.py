"""rules/verify.toml: what is known about compilers, headers and packages."""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hipport.rulebook.load import load
from hipport.rulebook.model import parse_version


@cache
def knowledge() -> dict[str, Any]:
    return tomllib.loads((load().folder / "verify.toml").read_text(encoding="utf-8"))


def clang_for(hip: tuple[int, ...]) -> int:
    """The major version of the clang that a HIP release was built with; 0 for an unknown one."""
    known = sorted((parse_version(text), major) for text, major in knowledge()["clang"].items())
    return int(max((major for version, major in known if version <= hip), default=0))


def in_packages(kind: str) -> Iterator[tuple[str, Path]]:
    """(package, folder) of installed Python packages that carry `headers` or `resources`.

    Nothing of a package is imported.
    """
    for row in knowledge()[kind]:
        try:
            spec = importlib.util.find_spec(row["package"])
        except (ImportError, ValueError):
            continue
        for place in (spec.submodule_search_locations or ()) if spec else ():
            folder = Path(place) / row["folder"]
            if folder.is_dir():
                yield row["package"], folder
