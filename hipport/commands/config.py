"""`hipport config`: the configuration that counts, and where each value comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from hipport.commands.configured import config_options
from hipport.config import Config, Configurations, schema
from hipport.errors import UsageError, printable

EPILOG = """\b
Examples:
  hipport config
  hipport config --format json src/kernels/scan.cu
  hipport config --schema > hipport.schema.json
"""


@click.command(epilog=EPILOG)
@click.argument("path", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("--schema", "is_schema", is_flag=True, help="Print the JSON Schema, for editors.")
@config_options
def command(
    path: Path, form: str, is_schema: bool, config_file: Path | None, isolated: bool
) -> None:
    """Show the configuration for a file or folder (by default the working folder).

    Only the nearest hipport.toml, or pyproject.toml with [tool.hipport], is used. Options of other
    commands override it. Exit code 2 if the file is invalid.
    """
    if is_schema:
        click.echo(json.dumps(schema(), indent=2))
        return
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder", remedy="check the path")
    from hipport.runs.settings import Settings
    from hipport.source.options import Options

    inside = path / "any" if path.is_dir() else path
    configurations = Configurations(config_file, is_isolated=isolated)
    config = configurations.of(inside.parent)
    Settings(configurations, Options(rocm=()), {}).options(inside)  # Are its values known?
    click.echo(_json(config) if form == "json" else _text(config))


def _value(config: Config, key: str) -> Any:
    value = getattr(config, key.replace("-", "_"))
    return dict(value) if schema()["properties"][key]["type"] == "object" else value


def _text(config: Config) -> str:
    lines = [printable(str(config.file)) if config.file else "no configuration file: all defaults"]
    for key in schema()["properties"]:
        origin = config.file.name if config.file and key in config.given else "default"
        value = json.dumps(_value(config, key), ensure_ascii=False)
        lines.append(f"{key:<16} {origin:<14} {value}")
    return "\n".join(lines)


def _json(config: Config) -> str:
    values = {
        key: {
            "value": _value(config, key),
            "from": str(config.file) if key in config.given else "default",
        }
        for key in schema()["properties"]
    }
    file = str(config.file) if config.file else None
    return json.dumps({"schema": "hipport-config/1", "file": file, "values": values}, indent=1)
