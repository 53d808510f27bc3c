"""Python in one layout, whatever lines its author or a formatter broke it into.

What is in brackets is one line here if that is short, and otherwise has a line for each element, so
that expressions over lines find the same in each layout. Brackets that are there for a line break
alone are left out, as are comments behind code. Offsets are known in the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.source.layouts.changes import Change

_LONGEST = 160
"""Characters in brackets that are one line."""
_INDENTATION = "    "
_DEEPEST = 10
"""Brackets in brackets, each of which is indented more than the one around it."""
_FARTHEST = 100
"""Blanks before a statement that are also before the lines of it."""
_QUIET = r"[^()\[\]{}\"'#\\\n]"
_TEXT = r"(?:\"(?!\"\")[^\"\\\n]*+\"|'(?!'')[^'\\\n]*+')(?![ ]*[a-zA-Z]{0,2}[\"'])"
_OPENED = (
    r"(?:[\[{]|(?<!= )(?<!return )(?<!if )(?<!while )(?<!assert )(?<! in )(?<!import )\()(?!\s)"
)
_CLOSED = r"(?<![\s,])[)\]}]"
_INNERMOST = rf"{_OPENED}(?:{_QUIET}|{_TEXT})*+{_CLOSED}"
_INNER = rf"{_OPENED}(?:{_QUIET}|{_TEXT}|{_INNERMOST})*+{_CLOSED}"
# Lines that are in this layout already, as most are, but for those with more brackets in brackets.
_PLAIN = regex(
    rf"(?:(?=[^\n]{{0,{_LONGEST}}}\n)(?:(?:{_QUIET}++|{_TEXT}|{_INNER})*+|[ \t]*+#[^\n]*+)\n)++"
)
_WORD = r"(?:(?!(?<!\w)[rRbBuUfF]{1,2}[\"'])[^()\[\]{},\"'#\\\s])++"
_TOKEN = regex(
    r"(?P<string>(?<!\w)[rRbBuUfF]{0,2}"
    r"(?:\"\"\".*?\"\"\"|'{3}.*?'{3}"
    r"|\"(?!\"\")(?:[^\"\\\n]|\\.)*+\"|'(?!'')(?:[^'\\\n]|\\.)*+'|\"\"|''))"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)"
    r"|(?P<gap>[ \t\f]++|\\\n|#[^\n]*+)|(?P<end>\n)"
    rf"|(?P<other>{_WORD}(?:[ ]++{_WORD})*+)|(?P<unknown>.)",
    re.DOTALL,
)
# What is before brackets that are redundant if they go on to the end of the statement.
_BEFORE_REDUNDANT = regex(r"(?:(?<![=!<>])=|\b(?:return|if|elif|while|assert|in|import))\Z")
_LOOP = regex(r"(?:async )?for\b")
_NEEDING_BRACKETS = regex(r"\b(?:for|yield)\b|:=")
_CALLED = regex(r"[\w\])]\Z")
_STRING = regex(
    r"#[^\n]*+|\"{3}.*?(?:\"{3}|\Z)|\"(?:[^\"\\\n]|\\.)*+\"?+|'{3}(?P<long>.*?)'{3}"
    r"|'(?P<short>(?:[^'\"\\\n]|\\[^\"\n])*+)'|'(?:[^'\\\n]|\\.)*+'?+",
    re.DOTALL,
)
_PREFIX = regex(r"[a-zA-Z]*(?!\"\"\"|\'\'\')[\"\']")


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    gap: str
    """What is before it, comments aside: blanks, or a line break."""


_END = _Token("end", "", 0, "")


def with_quotes(text: str) -> str:
    """Strings in double quotation marks, where nothing in them is otherwise in these."""
    if "'" not in text:
        return text
    pieces: list[str] = []
    done = 0
    for each in _STRING.finditer(text):
        if each.lastgroup and _may_have_double_quotes(content := each[each.lastgroup]):
            marks = '"' * (each.start(each.lastgroup) - each.start())
            pieces += text[done : each.start()], marks, content, marks
            done = each.end()
    return "".join((*pieces, text[done:])) if pieces else text


def statements(text: str) -> Iterator[Change]:
    """Lay each statement out; nothing is certain behind brackets that do not match."""
    at = 0
    while at < len(text):
        if plain := _PLAIN.match(text, at):
            at = plain.end()
            continue
        tokens, end = _statement(text, at)
        if not tokens:
            return
        yield from _joined(tokens, text, at, end)
        at = end + 1


def _statement(text: str, start: int) -> tuple[list[_Token], int]:
    """The tokens of the statement that begins at an offset, and where its line ends."""
    tokens: list[_Token] = []
    depth, gap = 0, ""
    for match in _TOKEN.finditer(text, start):
        kind, written = match.lastgroup, match[0]
        if kind == "gap" or kind == "end":
            if written[-1] == "\n":
                if kind == "end" and depth == 0:
                    return tokens or [_Token("other", "", start, "")], match.start()
                gap = "\n"
            elif gap != "\n" and written[0] != "#":
                gap += written
            continue
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
        if kind is None or kind == "unknown" or depth < 0:
            return [], start
        tokens.append(_Token(kind, written, match.start(), gap))
        gap = ""
    return (tokens if depth == 0 else []), len(text)


def _may_have_double_quotes(content: str) -> bool:
    return '"""' not in content and content[-1:] != '"'


def _joined(tokens: list[_Token], text: str, line: int, stop: int) -> Iterator[Change]:
    """What is between the tokens of a statement, and behind them in its last line, laid out."""
    behind = tokens[-1].start + len(tokens[-1].text)
    indentation = text[line : tokens[0].start][:_FARTHEST]
    tokens = _needed(tokens, indentation)
    broken = _broken(tokens)
    depth, end = 0, tokens[0].start
    is_behind_break = False
    for number, (kind, written, at, before) in enumerate(tokens):
        is_broken = number in broken
        if is_broken and kind == "close":
            depth -= 1
        if is_behind_break or (is_broken and kind == "close"):
            before = "\n" + indentation + _INDENTATION * min(depth, _DEEPEST)
        if text[end:at] != before:
            yield Change(end, at, before)
        end = at + len(written)
        is_behind_break = is_broken and kind != "close"
        depth += is_broken and kind == "open"
    behind = stop if "#" in text[behind:stop] else behind
    if end < behind:
        yield Change(end, behind, "")


def _needed(tokens: list[_Token], indentation: str) -> list[_Token]:
    """The tokens without brackets and commas that decide nothing, strings in parts as one.

    Before each is what is between it and the one before it in one line.
    """
    merged: set[int] = set()
    apart: set[int] = set()
    for is_short, run in _runs(tokens):
        (merged if is_short else apart).update(run)
    left_out = _left_out(tokens, apart)
    kept: list[_Token] = []
    last = tokens[0]
    is_behind_open = True
    depth = 0
    for number, each in enumerate(tokens):
        kind, text, start, gap = each
        if number in left_out:
            if kind == "open":
                last = each
            continue
        if is_behind_open or kind == "close" or kind == "comma":
            gap = ""
        elif number in merged:
            cut = len(_quote(text))
            kept[-1] = kept[-1]._replace(text=kept[-1].text[:-1])
            text, start, gap = text[cut:], start + cut, ""
        elif number in apart and depth:
            gap = "\n" + indentation + _INDENTATION
        elif last.kind == "open":
            gap = " "
        elif gap == "\n":
            is_member = text[0] == "." and text[1:2].isidentifier()
            gap = "" if is_member or last.text[-1] == "." else " "
        kept.append(
            each if gap == each.gap and start == each.start else _Token(kind, text, start, gap)
        )
        last = each
        is_behind_open = kind == "open"
        depth += is_behind_open - (kind == "close")
    return kept


def _runs(tokens: list[_Token]) -> Iterator[tuple[bool, list[int]]]:
    """The numbers of strings that go on with the one before, and whether they fit into a line."""
    kinds = " ".join([each.kind for each in tokens])
    if "string string" not in kinds:
        return
    run: list[int] = []
    width, quote = 0, ""
    for number, (kind, text, _, _) in enumerate((*tokens, _END)):
        mine = _quote(text) if kind == "string" else ""
        if mine and mine == quote:
            run.append(number)
            width += len(text)
            continue
        if run:
            yield width <= _LONGEST, run
        run, width, quote = [], len(text), mine


def _groups(tokens: list[_Token]) -> Iterator[tuple[int, int, list[int]]]:
    """The numbers of brackets, outermost last, and of the commas between their elements."""
    opened: list[tuple[int, list[int]]] = [(-1, [])]
    for number, each in enumerate(tokens):
        kind = each.kind
        if kind == "open":
            opened.append((number, []))
        elif kind == "comma":
            opened[-1][1].append(number)
        elif kind == "close":
            first, commas = opened.pop()
            yield first, number, commas


def _left_out(tokens: list[_Token], apart: set[int]) -> set[int]:
    """The numbers of brackets and commas that decide nothing."""
    left_out: set[int] = set()
    for first, last, commas in _groups(tokens):
        is_trailing = commas and commas[-1] == last - 1
        if is_trailing and (len(commas) > 1 or not _is_tuple(tokens, first)):
            left_out.add(commas.pop())
        if _is_redundant(tokens, first, last, len(commas), apart):
            left_out.update((first, last))
    return left_out


def _broken(tokens: list[_Token]) -> set[int]:
    """The numbers of brackets in which each element has a line, and of the commas between these."""
    broken: set[int] = set()
    if tokens[-1].start + len(tokens[-1].text) - tokens[0].start <= _LONGEST:
        return broken
    widths = [0]
    for _, text, _, before in tokens:
        widths.append(widths[-1] + len(before) + len(text.partition("\n")[0]))
    if widths[-1] > _LONGEST:
        for first, last, commas in _groups(tokens):
            if widths[last] - widths[first + 1] > _LONGEST:
                broken.update((first, last, *commas))
    return broken


def _is_tuple(tokens: list[_Token], first: int) -> bool:
    """Whether a comma makes a tuple of what is in brackets, or an index."""
    before = tokens[first - 1].text if first else ""
    if before.endswith("import"):
        return False
    is_called = not tokens[first].gap and _CALLED.search(before) is not None
    return tokens[first].text != "{" and is_called == (tokens[first].text == "[")


def _is_redundant(
    tokens: list[_Token], first: int, last: int, commas: int, apart: set[int]
) -> bool:
    """Whether brackets around all that is left of a statement only allow a line to break."""
    behind = tokens[last + 1 : last + 3]
    if not first or len(behind) > 1 or tokens[first].text != "(":
        return False
    before = _BEFORE_REDUNDANT.search(tokens[first - 1].text)
    if before is None or (behind and behind[0].text != ":"):
        return False
    within = tokens[first + 1 : last]
    if before[0] == "import":
        return sum([len(each.text) for each in within]) <= _LONGEST
    if commas or not within or not apart.isdisjoint(range(first, last)):
        return False
    if before[0] == "in" and not _LOOP.match(tokens[0].text):
        return False
    return not any(each.kind == "other" and _NEEDING_BRACKETS.search(each.text) for each in within)


def _quote(string: str) -> str:
    """What a string begins with; nothing for one with three quotation marks."""
    match = _PREFIX.match(string)
    return match[0] if match else ""
