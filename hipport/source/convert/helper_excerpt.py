"""The part of a helper header that a kernel in a string needs: it cannot include the header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from hipport.lazy_regex import regex

_NVIDIA = "#elif defined(__CUDACC__) && !defined(__HIP_PLATFORM_AMD__)"
_WORD = regex(r"[A-Za-z_]\w*")
_MADE_BY_MACRO = regex(r"(?P<macro>HIPPORT_\w+)\((?P<name>\w+)")
_NAMED = regex(
    r"#\s*(?:define|undef)\s+(?P<macro>\w+)|\bstruct\s+(?P<type>\w+)|(?P<function>\w+)\s*\("
)
_KEYWORDS = frozenset(("__attribute__", "decltype", "defined"))


def excerpt(header: str, names: Iterable[str]) -> str:
    """The functions of these names with all that they use, for AMD's and NVIDIA's compilers.

    The header has two parts for device code, between its tests for these compilers; in each a
    function ends with a brace at the end of a line, and a macro that makes one has its own line.
    """
    _, opening, rest = header.partition("\n#if defined(__HIPCC_RTC__) ||")
    condition, _, rest = rest.partition("\n")
    amd, _, rest = rest.partition(f"\n{_NVIDIA}\n")
    nvidia = rest.partition("\n#else\n")[0]
    wanted = frozenset(names)
    lines = [
        f"{opening.strip()}{condition}",
        *_needed(amd, wanted),
        _NVIDIA,
        *_needed(nvidia, wanted),
        "#endif",
        "",
    ]
    return "\n".join(lines)


def _needed(part: str, wanted: frozenset[str]) -> Iterator[str]:
    """The lines of a part that define what is wanted, and what these use in turn."""
    pieces = _definitions(part)
    every = frozenset().union(*(names for names, _ in pieces))
    kept = wanted
    while True:
        used = {
            word
            for names, piece in pieces
            if not names.isdisjoint(kept)
            for word in _WORD.findall(piece)
        }
        more = kept | (used & every)
        if more == kept:
            break
        kept = more
    for names, piece in pieces:
        if not names or not names.isdisjoint(kept):
            yield piece


@lru_cache(maxsize=2)
def _definitions(part: str) -> list[tuple[frozenset[str], str]]:
    """Each piece of a part, after the names that it defines."""
    return [(_names(piece), piece) for piece in _pieces(part)]


def _pieces(part: str) -> Iterator[str]:
    """The definitions and directives of a part, without comments and blank lines."""
    piece: list[str] = []
    for line in part.split("\n"):
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        piece.append(line.split(" // ")[0])
        is_directive = piece[0].startswith("#")
        is_whole = not line.endswith("\\") if is_directive else line.startswith("}")
        is_one_line = len(piece) == 1 and line.endswith(("}", "};", "{", ")")) and not is_directive
        opens_function = is_one_line and line.endswith(")") and not _MADE_BY_MACRO.match(line)
        if is_whole or (is_one_line and not opens_function):
            yield "\n".join(piece)
            piece = []


def _names(piece: str) -> frozenset[str]:
    """What a piece defines; nothing for what frames the others."""
    made = _MADE_BY_MACRO.match(piece)
    if made:
        return frozenset((made["name"],))
    if piece.startswith(("#if", "#endif", "#else", "namespace", "}")):
        return frozenset()
    found = (match[match.lastgroup or 0] for match in _NAMED.finditer(piece))
    name = next((each for each in found if each not in _KEYWORDS), "")
    return frozenset((name,)) if name else frozenset()
