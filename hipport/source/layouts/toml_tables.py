"""TOML with its tables under headers, and plain keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change
from hipport.source.layouts.requirement_names import equal_name

_STRING = r"\"\"\".*?\"\"\"|'''.*?'''|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'"
_UNCLOSED = r"\"(?:[^\"\\\n]|\\.)*+|'[^'\n]*+"
_KEY = r"(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_KEYS = rf"{_KEY}(?:[ \t]*+\.[ \t]*+{_KEY})*+"
_LINE = regex(
    rf"(?P<indent>[ \t]*+)(?P<whole>\[(?P<array>\[)?+(?P<header>[ \t]*+{_KEYS}[ \t]*+)\]"
    rf"|(?P<keys>{_KEYS})(?P<equals>[ \t]*+=[ \t]*+))"
)
_PART = regex(_KEY)
_TOKEN = regex(
    rf"(?P<string>{_STRING})|{_UNCLOSED}|#[^\n]*+|(?P<open>[\[{{])|(?P<close>[\]}}])|.", 16
)
_ITEM = regex(
    rf"(?P<string>{_STRING})|{_UNCLOSED}|(?P<open>[\[{{])|(?P<close>[\]}}])"
    r"|(?P<comma>[ \t]*+,[ \t]*+)|[ \t]++|.",
    16,
)
_PLAIN = regex(r"[\w-]+")
# What says where one package is from, is written in braces by its name.
_OF_PACKAGE = frozenset(
    "version path git url workspace source index branch rev tag features extras markers python"
    " optional default-features channel build file".split()
)
# A table of its own for one package: lines until the next table.
_OF_TABLE = (
    rf"[ \t]*(?:{'|'.join(sorted(_OF_PACKAGE))})[ \t]*=[ \t]*"
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|true|false|\[[^\[\]\n]*\])"
)
_REST = r"[ \t]*(?:#[^\n]*)?\n"
_PACKAGE = regex(rf"(?:{_OF_TABLE}{_REST})++(?=\s*(?:\[|\Z))")
_LINE_OF_TABLE = regex(rf"{_OF_TABLE}(?P<rest>{_REST})")
_PLACE = regex(
    rf"(?P<string>{_STRING})|{_UNCLOSED}|#[^\n]*+|(?P<open>[\[{{])|(?P<close>[\]}}])"
    r"|(?P<comma>,)|\s++|.",
    16,
)
_IN_TABLE = 2
_OF_PACKAGES = ("dependencies", "packages")
# Lists of requirements, by the last name of their table and their own.
_REQUIRED = regex(
    r".*\.(?:dependencies|requires|[\w-]+-dependencies|constraint-dependencies)"
    r"|(?:optional-dependencies|dev-dependencies|dependency-groups|extras)\..*"
)
_NAME = regex(r"[A-Za-z][\w.-]*(?![\w.+:/-])")
_INDENT = "\n    "
_LARGEST = 1 << 18
_LONGEST = 400
"""Characters of a name: that of a table is written before each of its dotted keys."""


def toml_tables(text: str) -> Iterator[Change]:
    """Write dotted keys and inline tables as tables, but those that say what one package is."""
    if len(text) > _LARGEST:
        return
    table: tuple[str, ...] = ()
    shown = table
    at = 0
    while at < len(text):
        match = _LINE.match(text, at)
        if match is None or len(match["whole"]) > _LONGEST:
            at = _after_line(text, at)
            continue
        if match["indent"]:
            yield Change(*match.span("indent"), "")
        if match["header"]:
            table = shown = _parts(match["header"])
            at = _after_line(text, match.end())
            of_package = None if match["array"] else _PACKAGE.match(text, at)
            if of_package and len(table) > 1 and table[-2].endswith(_OF_PACKAGES):
                *above, name = table
                header = f"[{_dotted((*above,))}]\n{_dotted((name,))} = {{ "
                yield Change(match.start("whole"), at, header)
                for line in _LINE_OF_TABLE.finditer(text, at, of_package.end()):
                    yield from _plain_strings(text, *line.span())
                    is_last = line.end() == of_package.end()
                    yield Change(*line.span("rest"), " }\n" if is_last else ", ")
                table = shown = (*above,)
                at = of_package.end()
            else:
                yield Change(*match.span("header"), _dotted(table))
            continue
        *above, key = _parts(match["keys"])
        written = _dotted((key,))
        if above and key in _OF_PACKAGE:
            written = f"{_dotted((above.pop(),))} = {{ {key}"
        value = match.end()
        end = _end_of_value(text, value)
        is_required = _REQUIRED.fullmatch(f"{table[-1:] and table[-1]}.{key}") is not None
        yield from _plain_strings(text, value, end, is_required=is_required)
        place = (*table, *above)
        if _is_table(text, value, end):
            yield from _opened(text, match.start("keys"), value, end, (*place, key))
            shown = (*place, key)
        else:
            header = "" if place == shown else f"[{_dotted(place)}]\n"
            yield Change(*match.span("keys"), header + written)
            yield Change(*match.span("equals"), " = ")
            yield from _on_lines(text, value, end)
            if written.endswith(f"{{ {key}"):
                yield Change(end, end, " }")
            shown = place
        at = _after_line(text, end)


def _parts(keys: str) -> tuple[str, ...]:
    return tuple(each.strip("\"'") for each in _PART.findall(keys))


def _dotted(parts: tuple[str, ...]) -> str:
    return ".".join(each if _PLAIN.fullmatch(each) else f'"{each}"' for each in parts)


def _after_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end + 1 if end >= 0 else len(text)


def _end_of_value(text: str, at: int) -> int:
    """The end of a value: that of its line, of its string, or behind its brackets."""
    depth = 0
    while token := _TOKEN.match(text, at):
        if token[0] == "\n" and not depth:
            break
        depth += bool(token["open"]) - bool(token["close"])
        at = token.end()
    return at


def _is_table(text: str, start: int, end: int) -> bool:
    """Whether a value is a table in braces of lists or tables, and not what one package is."""
    if text[start : start + 1] != "{" or "\n" in text[start:end]:
        return False
    keys = re.findall(rf"(?:^\{{|,)[ \t]*({_KEY})[ \t]*=[ \t]*", text[start:end])
    return bool(keys) and _OF_PACKAGE.isdisjoint(each.strip("\"'") for each in keys)


def _opened(text: str, key: int, start: int, end: int, table: tuple[str, ...]) -> Iterator[Change]:
    """The changes that make a table in braces one under a header; the tables in it stay."""
    yield Change(key, start, f"[{_dotted(table)}]\n")
    depth, at = 0, start
    while at < end and (token := _ITEM.match(text, at)):
        depth += bool(token["open"]) - bool(token["close"])
        if token["open"] and depth == 1:
            blanks = re.compile(r"\{[ \t]*").match(text, at)
            stop = blanks.end() if blanks else token.end()
            yield Change(at, stop, "")
            at = stop
            continue
        if token["open"] == "[" and depth == _IN_TABLE:
            yield from _on_lines(text, at, _end_of_value(text, at))
        if token["close"] and not depth:
            yield Change(at, token.end(), "")
        elif token["comma"] and depth == 1:
            yield Change(*token.span(), "\n")
        at = token.end()


def _on_lines(text: str, start: int, end: int) -> Iterator[Change]:
    """Begin a line at each value of a list of strings, and at the bracket that closes it."""
    if text[start : start + 1] != "[":
        return
    found: list[Change] = []
    depth, has_string, gap, last = 0, False, start, ""
    for token in _PLACE.finditer(text, start, end):
        if not token[0].strip():
            continue
        is_first = depth == 1 and last in ("[", ",")
        if token["close"]:
            depth -= 1
        is_end = not depth and token["close"] and last != "["
        is_broken = not is_end and "\n" in text[gap : token.start()]
        if (is_first or is_end) and not is_broken and token[0][0] != "#":
            found.append(Change(gap, token.start(), "\n" if is_end else _INDENT))
        has_string |= depth == 1 and token["string"] is not None
        depth += bool(token["open"])
        last, gap = token[0], token.end()
    if has_string:
        yield from found


def _plain_strings(
    text: str, start: int, end: int, *, is_required: bool = False
) -> Iterator[Change]:
    """Put strings of one line into double quotes, and what they quote into single ones.

    Those of a list of requirements begin with a name as PEP 503 makes names equal.
    """
    for token in _TOKEN.finditer(text, start, end):
        string = token["string"]
        if string is None or string[:3] in ('"""', "'''"):
            continue
        plain = string[1:-1]
        if string[0] == '"':
            plain = plain.replace('\\"', "'")
        elif "\\" not in plain:
            plain = plain.replace('"', "'")
        else:
            continue
        if is_required and text[start] == "[" and (name := _NAME.match(plain)):
            plain = equal_name(name[0]) + plain[name.end() :]
        yield Change(*token.span(), f'"{plain}"')
