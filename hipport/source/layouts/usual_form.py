"""The usual form of a file of lines, which the patterns for its kind are written for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from hipport.rulebook.load import load
from hipport.source.layouts.changes import Change, Changed
from hipport.source.layouts.continued_lines import joined_lines

PYTHON = ("python", "cython")
_ANY_CASE = frozenset(("cmake", "docker", "requirements"))
_LARGEST = 1 << 20
_Layout = Callable[[str], Iterable[Change]]
_CONTINUED = frozenset(("shell", "docker", "make", "yaml", "autoconf", "configure", "requirements"))


def usual_form(data: bytes, path: str, kind: str) -> Changed | None:
    """A file's text as it is usually laid out; None if it is already, or is too large."""
    if len(data) > _LARGEST:
        return None
    if kind in PYTHON:
        return _python_form(data)
    text = data.decode("latin-1")
    changes: list[Change] = []
    for layout in _layouts(path, kind):
        changes += layout(text)
    if not changes:
        return None
    return Changed(data, sorted(changes), joins_words=kind in _CONTINUED)


# Asked about findings by name and by pattern, nets, and what cannot be parsed.
@lru_cache(maxsize=2)
def _python_form(data: bytes) -> Changed | None:
    from hipport.source.layouts.python_layout import statements, with_quotes
    from hipport.source.layouts.usual_names import usual_names

    named = usual_names(data, load().python_names)
    written = named.data if named else data
    # Quotation marks are as many as before, so that places stay.
    quoted = with_quotes(written.decode("latin-1"))
    changes = list(statements(quoted))
    changed = quoted.encode("latin-1")
    return Changed(changed, changes, of=named) if changes or changed != written else named


def words_of(data: bytes, kind: str) -> bytes:
    """The words of a file as they may be in its usual form, for a first look at it."""
    if kind not in _ANY_CASE:
        return data
    small = data.lower()
    hyphens = small.replace(b"_", b"-") if kind == "requirements" else b""
    return b"\n".join((data, small, hyphens))


def _is_ini(name: str) -> bool:
    return name.endswith((".cfg", ".ini"))


def _layouts(path: str, kind: str) -> Iterator[_Layout]:
    """What brings files of a kind into their usual form. Each is loaded where it is needed."""
    name = path.rpartition("/")[2]
    if name.endswith((".json", ".jsonc")):
        from hipport.source.layouts.json_lines import json_lines

        yield json_lines
        return
    if kind == "cmake":
        from hipport.source.layouts.cmake_commands import cmake_commands

        yield cmake_commands
    elif kind == "docker":
        from hipport.source.layouts.docker_instructions import commands_in_brackets, instructions

        yield from (instructions, commands_in_brackets)
    elif kind in ("meson", "bazel"):
        from hipport.source.layouts.one_line_calls import one_line_calls

        yield one_line_calls
    elif kind == "make":
        from hipport.source.layouts.make_variables import variables

        yield variables
    elif kind == "shell":
        from hipport.source.layouts.shell_settings import settings

        yield settings
    elif name.endswith((".yml", ".yaml")):
        from hipport.source.layouts.yaml_blocks import yaml_blocks

        yield yaml_blocks
    elif name.endswith(".toml") or name == "Pipfile":
        from hipport.source.layouts.toml_tables import toml_tables

        yield toml_tables
    elif kind == "requirements":
        from hipport.source.layouts.requirement_names import requirement_names, values_on_lines

        yield from (requirement_names, values_on_lines) if _is_ini(name) else (requirement_names,)
    if kind in _CONTINUED:
        yield lambda text: joined_lines(text, kind)
