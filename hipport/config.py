"""What a project wants on every run: hipport.toml, or [tool.hipport] in pyproject.toml.

Only the nearest file above a source file counts. Its keys are those of config.schema.json.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.files import read
from hipport.named_tuples import NamedTuple

_LARGEST = 1 << 20
_TABLE = "hipport"


class Config(NamedTuple):
    """The keys of a configuration file, `-` written `_`; those it leaves out have the default."""

    file: Path | None = None
    """Where it is, absolute; None for the defaults."""
    root: Path | None = None
    """What its patterns are relative to."""
    given: frozenset[str] = frozenset()
    """The keys that the file has."""
    rocm: str = ""
    targets: tuple[str, ...] = ()
    libs: str = "hip"
    launch: str = "ggl"
    exclude: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    extend_rules: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """What the paths in the file are relative to."""
        return self.file.parent if self.file else Path.cwd()

    def error(self, key: str, reason: str) -> HipportError:
        """The error that names this file, a key and what is wrong with its value."""
        return _error(self.file or Path(), f"{key}: {reason}")


class Configurations:
    """Finds the configuration of each folder. `file` counts for all of them; so do no files."""

    def __init__(self, file: Path | None = None, *, is_isolated: bool = False) -> None:
        self._for_all = Config() if is_isolated else None
        if file:
            self._for_all = read_config(file)._replace(root=Path.cwd())
        # Of many folders the paths are plain texts: Path objects take longer than the look.
        self._found: dict[str, Config] = {}

    def of(self, folder: str | Path) -> Config:
        """The configuration for the files of a folder; raises HipportError for a faulty one."""
        if self._for_all:
            return self._for_all
        folder = os.fspath(folder)
        if folder not in self._found:
            self._found[folder] = self._above(os.path.abspath(folder))  # noqa: PTH100
        return self._found[folder]

    def _above(self, folder: str) -> Config:
        """The configuration of an absolute folder. All folders passed on the way are remembered."""
        passed = []
        config = self._found.get(folder)
        while config is None:
            passed.append(folder)
            config = _in_folder(folder)
            above = os.path.dirname(folder)  # noqa: PTH120
            if config is None and folder == above:
                config = Config()
            folder = above
            config = config or self._found.get(folder)
        self._found.update(dict.fromkeys(passed, config))
        return config


def absolute(path: Path) -> Path:
    """The absolute path without `..`; symbolic links stay."""
    return Path(os.path.normpath(path.absolute()))


def _in_folder(folder: str) -> Config | None:
    for name in ("hipport.toml", "pyproject.toml"):
        place = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isfile(place):  # noqa: PTH113
            path = Path(place)
            table = _table(path)
            if table is not None:
                return _config(path, table)
    return None


def read_config(path: Path) -> Config:
    """The configuration in a file; raises HipportError if there is none, or a faulty one."""
    path = absolute(path)
    table = _table(path)
    if table is None:
        raise _error(path, f"no table [tool.{_TABLE}]")
    return _config(path, table)


def _table(path: Path) -> Any:
    """The table with our keys; None for a pyproject.toml that has none."""
    data = read(path, _LARGEST)
    is_ours = path.name != "pyproject.toml"
    # Most pyproject.toml are not about us; parsing one takes longer than all the rest here.
    if not is_ours and _TABLE.encode() not in data:
        return None
    # Where there is no such file, which is the rule, nothing has to be parsed.
    content = _parsed(data, path)
    if is_ours:
        return content
    tool = content.get("tool")
    return tool.get(_TABLE) if isinstance(tool, dict) else None


def _parsed(data: bytes, path: Path) -> Any:
    import rtoml

    try:
        # Compiled: a tenth of the time of tomllib, which names the line of a mistake.
        return rtoml.loads(data.decode("utf-8-sig"))
    except ValueError:
        import tomllib

        try:
            return tomllib.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise _error(path, str(error)) from error


def _config(path: Path, table: Any) -> Config:
    from hipport.schema import faults

    for fault in faults(table, schema(), "" if isinstance(table, dict) else f"tool.{_TABLE}"):
        raise _error(path, fault)
    fields = {key.replace("-", "_"): _frozen(value) for key, value in table.items()}
    return Config(path, path.parent, frozenset(table), **fields)


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, _frozen(item)) for key, item in value.items())
    return tuple(value) if isinstance(value, list) else value


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a configuration."""
    import json

    text = Path(__file__).with_suffix(".schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _error(path: Path, reason: str) -> HipportError:
    return HipportError(f"{path}: {reason}", remedy="hipport help configuration")
