"""Names of kernels as sources write them, taken apart."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.rulebook.load import load
from hipport.trace.model import Name

_CAST = regex(r"\((?:const\s+void|void\s+const|void|const\s+char)\s*\*\s*(?:const\s*)?\)\s*")
_NAMED_CAST = regex(r"(?:reinterpret|static|const)_cast\s*<")
_WORD = regex(r"\s*([A-Za-z_]\w*)\s*")
_MARK = regex(r"[()\[\]{}<,]")
_BRACKET = regex(r"[()\[\]{}<]")
_MOST_UNCLOSED = 20
_OPENING, _CLOSING = "([{", ")]}"


def template_end(text: str, opened: int, end: int | None = None) -> int | None:
    """The offset behind the `>` that closes the `<` at `opened`; None if nothing does."""
    depth = round_depth = 0
    for at in range(opened, len(text) if end is None else end):
        char = text[at]
        if char in _OPENING:
            round_depth += 1
        elif char in _CLOSING:
            round_depth -= 1
            if round_depth < 0:
                return None
        elif round_depth == 0 and char == "<":
            depth += 1
        elif round_depth == 0 and char == ">" and text[at - 1] != "-":
            depth -= 1
            if depth == 0:
                return at + 1
        elif round_depth == 0 and char == ";":
            return None
    return None


def split_list(text: str) -> list[str]:
    """What the commas outside all brackets separate; `<` counts where it is closed."""
    if not _BRACKET.search(text):
        return [each.strip() for each in text.split(",")] if text.strip() else []
    pieces: list[str] = []
    depth = start = done = unclosed = 0
    for match in _MARK.finditer(text):
        at, mark = match.start(), match[0]
        if at < done:
            continue
        if mark == ",":
            if depth == 0:
                pieces.append(text[start:at].strip())
                start = at + 1
        elif mark == "<":
            # What nothing closes is a comparison: of many of them the rest is not looked at.
            end = template_end(text, at) if unclosed < _MOST_UNCLOSED else None
            done = end or done
            unclosed += end is None
        else:
            depth += 1 if mark in _OPENING else -1
    last = text[start:].strip()
    return [*pieces, last] if last or pieces else []


def parse_name(text: str) -> Name | None:
    """What an expression names, casts and parentheses around it left out; None for no name."""
    text = _bare(text)
    scope: list[str] = []
    is_global = text.startswith("::")
    at = 2 if is_global else 0
    while True:
        word = _WORD.match(text, at)
        if word is None:
            return None
        if word[1] == "template":
            at = word.end()
            continue
        at, arguments = word.end(), None
        if text.startswith("<", at):
            end = template_end(text, at)
            if end is None:
                return None
            arguments = tuple(split_list(text[at + 1 : end - 1]))
            at = end + len(text[end:]) - len(text[end:].lstrip())
        if at == len(text):
            return Name(tuple(scope), word[1], arguments, is_global)
        if not text.startswith("::", at):
            return None
        scope.append(word[1])
        at += 2


def _bare(text: str) -> str:
    wrapper = load().spellings.kernel_name_macro
    before = None
    while before != text:
        before = text
        text = text.strip().removeprefix("&").strip()
        if cast := _CAST.match(text):
            text = text[cast.end() :]
        elif cast := _NAMED_CAST.match(text):
            end = template_end(text, cast.end() - 1)
            text = text[end:] if end is not None else text
        elif text.startswith(wrapper):
            text = text[len(wrapper) :]
        elif text.startswith("(") and text.endswith(")") and _closes(text):
            text = text[1:-1]
    return text


def _closes(text: str) -> bool:
    """Whether the first parenthesis is closed by the last character."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char in _OPENING) - (char in _CLOSING)
        if depth == 0:
            return at == len(text) - 1
    return False
