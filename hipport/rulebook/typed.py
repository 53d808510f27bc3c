"""Tables of rule files as typed structures; what does not fit is named by file, key and place."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NewType, TypeVar, get_args, get_type_hints

import msgspec

from hipport.errors import RuleError
from hipport.lazy_regex import regex

_Shape = TypeVar("_Shape")
Regex = NewType("Regex", str)
"""A regular expression."""
_WRITTEN = {
    "Regex": Regex,
    "str": str,
    "bool": bool,
    "int": int,
    "tuple[str, ...]": tuple[str, ...],
    "tuple[Regex, ...]": tuple[Regex, ...],
    "frozenset[str]": frozenset[str],
    "dict[str, str]": dict[str, str],
    "dict[str, int]": dict[str, int],
    "Mapping[str, str]": Mapping[str, str],
    "Mapping[str, int]": Mapping[str, int],
}
"""Annotations as texts -> what they mean."""
_KINDS = {
    "array": "a list",
    "object": "a table",
    "str": "text",
    "bool": "true or false",
    "int": "a whole number",
}
_PLACE = regex(r" - at `(?:key in )?\$\.?(.*?)(?:\[\.\.\.\])?`\Z")
_UNWANTED = regex(r"Expected `(\w+)[^`]*`, got ")
_NAMED = regex(r"Object (missing required|contains unknown) field `([^`]+)`")


class RuleKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True, eq=False):
    """What a pattern reads from its rule file besides the keys that every rule may have."""

    def __init_subclass__(cls) -> None:
        # msgspec compiles each text among the annotations, which takes longer than all else here.
        texts = cls.__annotations__
        texts.update({key: _WRITTEN[text] for key, text in texts.items() if text in _WRITTEN})


class Keyed(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A table with `keys` that a pattern reads; `place` is the file."""

    place: str = ""
    keys: dict[str, Any] = msgspec.field(default_factory=dict)
    structures: dict[Any, Any] = msgspec.field(default_factory=dict)
    """The keys as they were read, by the type of the structure."""

    def read(self, shape: type[_Shape]) -> _Shape:
        """The keys as a structure, made once; RuleError if they do not fit it."""
        found: _Shape | None = self.structures.get(shape)
        if found is None:
            found = self.structures[shape] = typed(self.keys, shape, self.place)
        return found


def typed(table: object, shape: type[_Shape], place: str) -> _Shape:
    """A table as a structure; RuleError with place, key and reason if it does not fit."""
    try:
        found: _Shape = msgspec.convert(table, shape)
        return found
    except msgspec.ValidationError as error:
        raise malformed(place, _reason(str(error), table)) from error


def expressions(value: object) -> Iterator[tuple[str, str]]:
    """The regular expressions of a structure, each with its key."""
    for key, kind in get_type_hints(type(value)).items():
        yield from ((key, text) for text in _regexes(getattr(value, key), kind))


def pattern_faults(value: object) -> Iterator[str]:
    """What is wrong with the regular expressions of a structure: key, expression and reason."""
    for key, text in expressions(value):
        try:
            re.compile(text)
        except re.error as error:
            yield f"{key}: {text}: {error}"


def _regexes(value: Any, kind: Any) -> Iterator[str]:
    if kind is Regex:
        yield value
    elif Regex in get_args(kind):
        yield from value.values() if isinstance(value, dict) else value


def read_toml(path: Path, place: str) -> dict[str, Any]:
    """The table of a TOML file; RuleError if it is not TOML."""
    try:
        return toml(path.read_bytes().decode(), place)
    except UnicodeDecodeError as error:
        raise malformed(place, str(error)) from error


def toml(text: str, place: str) -> dict[str, Any]:
    """The table of a text; RuleError if it is not TOML."""
    import rtoml

    try:
        # Compiled: a tenth of tomllib's time, for some 150 files.
        return rtoml.loads(text)
    except ValueError as error:
        raise malformed(place, str(error)) from error


def malformed(place: str, reason: str) -> RuleError:
    return RuleError(f"{place}: {reason}", remedy="hipport help rules")


def _reason(said: str, table: object) -> str:
    """What msgspec reports about a table, worded like this program's other messages."""
    at = _PLACE.search(said)
    key, said = (at[1], said[: at.start()]) if at else ("", said)
    named = _NAMED.match(said)
    if named:
        key = f"{key}.{named[2]}" if key else named[2]
        return f"{key}: {'is missing' if named[1].startswith('missing') else 'nothing reads it'}"
    wanted = _UNWANTED.match(said)
    if wanted and wanted[1] in _KINDS:
        return f"{key}: {_value(table, key)!r} is not {_KINDS[wanted[1]]}"
    return f"{key}: {_value(table, key)!r} is unknown" if "Invalid enum" in said else said


def _value(table: Any, key: str) -> object:
    """The value in a table for a key such as `verdict[0].all`."""
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key):
        known = isinstance(table, dict) if name else isinstance(table, list)
        if not known:
            return table
        table = table.get(name) if name else table[int(index)]
    return table
