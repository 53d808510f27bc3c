"""The reference of the configuration: every key of the schema that the program validates with."""

from __future__ import annotations

import json
from typing import Any

from page import Page, block, code, plain, table

from hipport.config import schema


def configuration_pages() -> list[Page]:
    """One page: the keys, then the schema itself."""
    text = json.dumps(schema(), indent=1)
    rows = [
        (code(key), _kind(value), plain(value["description"]), code(json.dumps(value["default"])))
        for key, value in schema()["properties"].items()
    ]
    keys = table(("key", "type", "what", "default"), rows)
    body = (
        "# Configuration keys\n\nKeys of `hipport.toml`, or of `[tool.hipport]` in"
        " `pyproject.toml`. [Configuration](../configuration.md) says which file counts.\n\n"
        f"{keys}\n## JSON Schema\n\n{block(text, 'json')}"
    )
    return [Page("Configuration keys", "reference/configuration.md", body)]


def _kind(value: dict[str, Any]) -> str:
    if "enum" in value:
        return " or ".join(map(code, value["enum"]))
    return plain({"array": "list of texts", "object": "table", "string": "text"}[value["type"]])
