"""Checks a value against the part of JSON Schema that this program's schemas use.

JSON Schema 2020-12, "Validation": type, enum, pattern, minLength, items, properties, required,
additionalProperties. The faults are worded for a TOML file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: dict[str, tuple[type, str]] = {
    "string": (str, "a text"),
    "array": (list, "a list"),
    "object": (dict, "a table"),
    "boolean": (bool, "true or false"),
    "integer": (int, "a whole number"),
}


def faults(value: object, schema: Mapping[str, Any], key: str = "") -> Iterator[str]:
    """What is wrong with a value, each as `key: reason`; nothing if it is valid."""
    wanted, word = _TYPES[schema["type"]]
    at = f"{key}: " if key else ""
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        yield f"{at}{_shown(value)} is not {word}"
    elif isinstance(value, str):
        yield from (f"{at}{reason}" for reason in _text_faults(value, schema))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from faults(item, schema["items"], f"{key}[{index}]")
    elif isinstance(value, dict):
        yield from _table_faults(value, schema, key)


def _text_faults(value: str, schema: Mapping[str, Any]) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        known = schema["enum"]
        yield f"{_shown(value)} is none of {', '.join(known)}{meant(value, known)}"
    elif "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{_shown(value)} is not {schema['description']}"
    elif len(value) < schema.get("minLength", 0):
        yield "is empty"


def _table_faults(value: dict[str, Any], schema: Mapping[str, Any], key: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{key}.{name}: is missing" if key else f"{name}: is missing"
    for name, item in value.items():
        below = f"{key}.{name}" if key else name
        if name in properties:
            yield from faults(item, properties[name], below)
        elif isinstance(others, dict):
            yield from faults(item, others, below)
        elif not others:
            yield f"{below}: no such key{meant(name, properties)}"


def meant(word: str, known: Mapping[str, Any] | list[str]) -> str:
    """`, did you mean gfx942?` or nothing, to end a message with."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1)
    return f", did you mean {close[0]}?" if close else ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
