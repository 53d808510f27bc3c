"""Whether a number that is asked for is only told to people, only caps another, or only ranks."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.brackets import closing_bracket, skip

_LONGEST = 4_000
_LONGEST_FUNCTION = 20_000
_LONGEST_FILE = 200_000
_MOST_USES = 50
_DEEPEST = 4
_LONGEST_OWNER = 100
_OWNER = regex(r"[A-Za-z_][\w\[\]]*(?:(?:\.|->)[A-Za-z_][\w\[\]]*)*(?:\.|->)\s*\Z")
_ADDRESS = regex(r"&\s*([A-Za-z_]\w*)\s*[,)]")
_TARGET = regex(r"(?:[\w:]+[\s*&]+)*?([A-Za-z_]\w*(?:(?:\.|->)\w+)?)\s*=(?!=)\s*(?=[^=])")
_TIMES = regex(r"(?:\b\d+\s*\*(?!\*)\s*(?=[A-Za-z_(])|(?<=[\w)])\s*\*\s*\d+\b(?!\s*[.*/+-]))")
"""So many for each."""
_LAUNCH = regex(
    r"\s*(?P<kernel>[A-Za-z_]\w*)\s*(?:<[^<>;]*>\s*)?<<[ \t]*<(?P<grid>[^,;]*),"
    r"(?P<rest>[^;]*)>>[ \t]*>(?P<given>[^;]*);\s*"
)
_INDEX = regex(
    r"blockIdx\.x\s*\*\s*blockDim\.x|blockDim\.x\s*\*\s*blockIdx\.x"
    r"|(?:(?:\+=|\bstride\w*\s*=)\s*)(?:blockDim\.x\s*\*\s*gridDim\.x|gridDim\.x\s*\*\s*blockDim\.x)"
)
_BLOCKS = regex(r"\b(?:blockIdx|gridDim)\b")
_PART = r"\(*\s*(?:static_cast\s*<\w+>\s*\(|\(\s*\w+\s*\)\s*)?%s(?:\s*\)|\s*[/%%]\s*\d+)*\s*;"
"""What is a value, or some of its digits."""
_COMPARISON = r"(?:(?<![<>])(?<!<< )(?<!>> )[<>](?![<>])=?|[=!]=)"


def is_only_told(text: str, place: Span, telling: str, capping: str) -> bool:
    """Whether all uses of what is asked for at a place are in statements that have `telling`.

    Or in those that have `capping`, with the name for its `%s`. What it is given to is followed, in
    the function; a member where the file has it elsewhere. Long files, and values of many uses, are
    not followed.
    """
    if len(text) > _LONGEST_FILE:
        return False
    statement = _statement(text, place)
    written = text[slice(*statement)]
    names = _ADDRESS.findall(written)
    if not names:
        names = _given_to(written, re.escape(text[slice(*place)]), r"[\w.\->()\[\]:]*")
    if len(names) != 1:
        return False
    return _is_told(text, names[0], statement, telling, capping, _DEEPEST)


def is_only_ranked(text: str, place: Span) -> bool:
    """Whether a member at a place only finds the object that has most, or least, of it.

    A variable is compared with it, is given it then, and is for nothing else in the function.
    """
    if len(text) > _LONGEST_FILE:
        return False
    owner = _OWNER.search(text[max(0, place.start - _LONGEST_OWNER) : place.start])
    if owner is None:
        return False
    value = rf"\(*\s*{re.escape(owner[0] + text[slice(*place)])}\b\s*\)*"
    body = text[slice(*_function(text, place))]
    given = re.search(rf"(?<![\w.>])(\w+)\s*=\s*{value}\s*;", body)
    if given is None:
        return False
    name = rf"(?<![\w.>]){given[1]}\b"
    ranked = rf"{name}\s*[<>]=?\s*{value}|{value}\s*[<>]=?\s*{name}"
    rest, count = re.subn(ranked, "", body)
    rest = re.sub(rf"{name}\s*=\s*(?:{value}|-?\d+|INT_M\w+)\s*(?=[;,])", "", rest)
    return count > 0 and re.search(name, rest) is None and not re.search(value, rest)


def _is_told(text: str, name: str, asked: Span, telling: str, capping: str, depth: int) -> bool:
    """Whether all uses of a name behind a statement tell it, or give it to what is told."""
    function = _function(text, asked)
    member = re.split(r"\.|->", name)[-1] if "." in name or "->" in name else ""
    if not member and not _is_local(text, name, Span(function.start, asked.end)):
        return False
    shape = rf"(?:\.|->){member}\b" if member else rf"(?<![\w.>]){name}\b"
    reach = Span(0, len(text)) if member else Span(asked.end, function.end)
    used = False
    for number, match in enumerate(re.compile(shape).finditer(text, *reach)):
        if number == _MOST_USES:
            return False
        statement = _statement(text, Span(*match.span()))
        if statement == asked:
            continue
        used = True
        written = text[slice(*statement)]
        uncapped = re.sub(capping.replace("%s", re.escape(name)), "", written)
        if _is_compared(uncapped, member or name):
            return False
        if uncapped != written or re.search(telling, written) or _strides(text, written, name):
            continue
        targets = _given_to(_TIMES.sub("", written), name, "")
        is_followed = depth and len(targets) == 1 and targets[0] != name
        if not (is_followed and _is_told(text, targets[0], statement, telling, capping, depth - 1)):
            return False
    return used


def _strides(text: str, statement: str, name: str) -> bool:
    """Whether a statement launches so many blocks of a kernel that works with any number of them.

    Its threads take every so many elements as there are threads, and it asks nothing else of its
    blocks: what they leave for another kernel may have room for some number.
    """
    launch = _LAUNCH.fullmatch(statement)
    used = rf"\b{name}\b"
    if launch is None or re.search(used, launch["rest"] + launch["given"]):
        return False
    heads = re.finditer(rf"\b__global__\b[^;{{}}]*\b{launch['kernel']}\s*\(", text)
    bodies = [_body(text, head.end() - 1) for head in heads]
    return bool(bodies) and all(
        len(_INDEX.findall(body)) > 1 and not _BLOCKS.search(_INDEX.sub("", body))
        for body in bodies
    )


def _body(text: str, opened: int) -> str:
    """The body of a function, from the parenthesis of its parameters on."""
    closed = closing_bracket(text, opened)
    start = skip(text, closed + 1) if closed is not None else len(text)
    end = closing_bracket(text, start) if text.startswith("{", start) else None
    return text[start:end] if end is not None else ""


def _given_to(statement: str, value: str, before: str) -> list[str]:
    """The variable or member that a statement gives a value, or a part of it, and nothing else."""
    match = _TARGET.match(statement.lstrip())
    if match is None:
        return []
    rest = statement.lstrip()[match.end() :]
    return [match[1]] if re.fullmatch(_PART % (before + value), rest) else []


def _statement(text: str, place: Span) -> Span:
    ends = (text.find(mark, place.end, place.end + _LONGEST) for mark in ";{}")
    end = min((each + 1 for each in ends if each >= 0), default=len(text))
    return Span(statement_start(text, place.start), end)


def statement_start(text: str, offset: int) -> int:
    """Where the statement around an offset begins."""
    first = max(0, offset - _LONGEST)
    return max(text.rfind(mark, first, offset) for mark in ";{}") + 1


def _is_compared(statement: str, name: str) -> bool:
    """Whether a statement decides something by a name's value, whatever else it does."""
    return re.search(rf"\b{name}\b\s*{_COMPARISON}|{_COMPARISON}\s*{name}\b", statement) is not None


def _is_local(text: str, name: str, function: Span) -> bool:
    return re.compile(rf"\w[\s*&]+{name}\s*[=;,{{]").search(text, *function) is not None


def _function(text: str, place: Span) -> Span:
    """The function around a place, by the braces that begin lines."""
    start = text.rfind("\n}", max(0, place.start - _LONGEST_FUNCTION), place.start)
    end = text.find("\n}", place.end, place.end + _LONGEST_FUNCTION)
    return Span(max(0, start), end if end >= 0 else len(text))
