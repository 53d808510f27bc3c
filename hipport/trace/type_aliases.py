"""Names that the sources of a tree give to types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.lazy_regex import regex
from hipport.source.text.source_text import Code

_USING = regex(r"\busing\s+(\w+)\s*=\s*([^;{}=]+);")
_TYPEDEF = regex(r"\btypedef\s+([^;{}()\[\]]{1,400}?)\b(\w{1,200})\s*;")
_DEFINE = regex(r"[ \t]*(\w+)[ \t]+([A-Za-z_][\w:]*(?:[ \t]+[A-Za-z_][\w:]*){0,4}[ \t]*\**)\s*\Z")


def aliases_in(code: Code) -> Iterator[tuple[str, str]]:
    """The names of types in a file, and what each stands for."""
    if code.mentions(("using",)):
        for match in _USING.finditer(code.code):
            yield match[1], match[2].strip()
    if code.mentions(("typedef",)):
        for match in _TYPEDEF.finditer(code.code):
            yield match[2], match[1].strip()
    for directive in code.directives:
        if directive.keyword == "define":
            defined = _DEFINE.match(code.code, *directive.body)
            if defined:
                yield defined[1], defined[2].strip()


def agreed(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Those names that stand for one thing in the whole tree."""
    found: dict[str, str] = {}
    doubtful: set[str] = set()
    for name, meaning in pairs:
        if found.setdefault(name, meaning) != meaning:
            doubtful.add(name)
    return {name: meaning for name, meaning in found.items() if name not in doubtful}
