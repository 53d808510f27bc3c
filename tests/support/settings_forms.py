"""YAML, JSON, TOML, and lists of requirements in other forms, which mean the same."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from typing import Any

import yaml

Form = Callable[[str], str]


class _Blocks(yaml.SafeDumper):
    """Writes strings without quotation marks where that is possible."""

    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


class _Quoted(_Blocks):
    """Writes values in double quotation marks."""


class _FlowInside(_Blocks):
    """Writes collections of plain values in brackets."""


def _is_plain(value: Any) -> bool:
    return isinstance(value, str) and "\n" not in value


def _text(style: str | None) -> Callable[[Any, str], yaml.Node]:
    def written(dumper: Any, value: str) -> yaml.Node:
        shape = style if _is_plain(value) else "|"
        node: yaml.Node = dumper.represent_scalar("tag:yaml.org,2002:str", value, style=shape)
        return node

    return written


def _table(dumper: Any, value: dict[str, Any]) -> yaml.Node:
    is_flow = isinstance(dumper, _FlowInside) and all(map(_is_plain, value.values()))
    node = dumper.represent_mapping("tag:yaml.org,2002:map", value.items(), flow_style=is_flow)
    for key, _ in node.value:
        key.style = None
    made: yaml.Node = node
    return made


def _list(dumper: Any, value: list[Any]) -> yaml.Node:
    is_flow = isinstance(dumper, _FlowInside) and all(map(_is_plain, value))
    node: yaml.Node = dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=is_flow)
    return node


for _dumper, _style in ((_Blocks, None), (_Quoted, '"'), (_FlowInside, None)):
    _dumper.add_representer(str, _text(_style))
    _dumper.add_representer(dict, _table)
    _dumper.add_representer(list, _list)


def _yaml(text: str, dumper: type[yaml.SafeDumper], **options: Any) -> str:
    """The same written again; as it is where that is no YAML, or would lose what `|` keeps."""
    try:
        values = list(yaml.load_all(text, yaml.BaseLoader))
    except yaml.YAMLError:
        return text
    if not values or not all(isinstance(each, dict | list) for each in values):
        return text
    return yaml.dump_all(values, Dumper=dumper, sort_keys=False, width=10**6, **options)


def blocks(text: str) -> str:
    return _yaml(text, _Blocks)


def deep_blocks(text: str) -> str:
    return _yaml(text, _Blocks, indent=6)


def quoted_values(text: str) -> str:
    return _yaml(text, _Quoted)


def flow_inside(text: str) -> str:
    return _yaml(text, _FlowInside)


def all_flow(text: str) -> str:
    if re.search(r"[|>]-?[ ]*\n", text):
        return text
    return _yaml(text, yaml.SafeDumper, default_flow_style=True)


def dashes_alone(text: str) -> str:
    made = _yaml(text, _Blocks)
    return text if "|" in made else re.sub(r"^( *)- (?=[\w\"'])", r"\1-\n\1  ", made, flags=re.M)


def minified(text: str) -> str:
    return _json(text, separators=(",", ":"))


def four_blanks(text: str) -> str:
    return _json(text, indent=4)


def blanks_around_colons(text: str) -> str:
    return _json(text, indent=1, separators=(" ,", " : "))


def _json(text: str, **options: Any) -> str:
    try:
        return json.dumps(json.loads(text), **options) + "\n"
    except ValueError:
        return text


def _toml(text: str, write: Callable[[dict[str, Any]], str]) -> str:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return text
    return write(table)


def _value(value: Any, quote: str = '"', lines: bool = False) -> str:
    if isinstance(value, list):
        between = ",\n    " if lines else ", "
        inside = between.join(_value(each, quote) for each in value)
        return f"[\n    {inside},\n]" if lines and value else f"[{inside}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v, quote)}" for k, v in value.items()) + " }"
    if isinstance(value, str) and quote == "'" and "'" not in value and "\n" not in value:
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key) else json.dumps(key)


def _sections(table: dict[str, Any], path: tuple[str, ...] = (), **how: Any) -> str:
    """Tables under headers; lists of tables stay in brackets."""
    plain = {key: each for key, each in table.items() if not isinstance(each, dict)}
    lines = [f"[{'.'.join(map(_key, path))}]"] if path and (plain or not table) else []
    lines += [f"{_key(key)} = {_value(each, **how)}" for key, each in plain.items()]
    inner = [
        _sections(each, (*path, key), **how)
        for key, each in table.items()
        if isinstance(each, dict)
    ]
    return "".join(f"{line}\n" for line in lines) + "".join(inner)


def _dotted(table: dict[str, Any], path: tuple[str, ...] = ()) -> str:
    return "".join(
        _dotted(each, (*path, key))
        if isinstance(each, dict) and each
        else f"{'.'.join(map(_key, (*path, key)))} = {_value(each)}\n"
        for key, each in table.items()
    )


def sections(text: str) -> str:
    return _toml(text, _sections)


def literal_strings(text: str) -> str:
    return _toml(text, lambda table: _sections(table, quote="'"))


def lists_on_lines(text: str) -> str:
    return _toml(text, lambda table: _sections(table, lines=True))


def dotted_keys(text: str) -> str:
    return _toml(text, _dotted)


def indented_tables(text: str) -> str:
    return re.sub(r"^(?=.)", "  ", lists_on_lines(text), flags=re.MULTILINE)


def _names(text: str, change: Callable[[str], str]) -> str:
    shape = r"^[A-Za-z][\w-]*(?![\w+:/-])"
    return re.sub(shape, lambda each: change(each[0]), text, flags=re.MULTILINE)


def capital_names(text: str) -> str:
    return _names(text, str.capitalize)


def underscores(text: str) -> str:
    return _names(text, lambda name: name.replace("-", "_"))


def spaced_versions(text: str) -> str:
    return re.sub(r"^([A-Za-z][\w.-]*)[ ]*([=<>!~]=)[ ]*", r"\1 \2 ", text, flags=re.MULTILINE)


def versions_in_parentheses(text: str) -> str:
    shape = r"^([A-Za-z][\w.-]*)((?:[=<>!~]=|[<>])[^\s;#\\]+)"
    return re.sub(shape, r"\1 (\2)", text, flags=re.MULTILINE)


def hashed(text: str) -> str:
    shape = r"^([A-Za-z][^\n#;@\\]*==[^\n#;@\\ ]*)$"
    return re.sub(shape, rf"\1 \\\n    --hash=sha256:{'ab' * 32}", text, flags=re.MULTILINE)


SETTINGS: dict[str, tuple[Form, ...]] = {
    "yaml": (blocks, deep_blocks, quoted_values, flow_inside, all_flow, dashes_alone),
    "json": (minified, four_blanks, blanks_around_colons),
    "toml": (sections, literal_strings, lists_on_lines, dotted_keys, indented_tables),
    "requirements": (capital_names, underscores, spaced_versions, versions_in_parentheses, hashed),
}
