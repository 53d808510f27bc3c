"""Demangled kernel names made short enough to read in a table.

`void rocprim::detail::kernel<rocprim::config<256, 4, 16, 2>, int>(int*)` becomes
`rocprim::…::kernel<rocprim::config<…>, int>`: without the return type, the parameters, anonymous
namespaces, the middle of a long path and what is inside the template arguments' own
arguments, if that is long.
"""

from __future__ import annotations

from functools import lru_cache

_OPEN, _CLOSE = "<([{", ">)]}"
_LONGEST = 1 << 14
_SHORT = 12


@lru_cache(maxsize=4096)
def shorten(name: str) -> str:
    """A short form of a demangled name; a name that does not parse is returned unchanged."""
    if len(name) > _LONGEST:
        return name[:_LONGEST] + "…"
    if name.endswith("]") and " [clone " in name:
        name = name[: name.rindex(" [clone ")]
    name = name.removesuffix(" const").replace("(anonymous namespace)::", "")
    depths = _depths(name)
    if depths is None:
        return name
    start, end = _core(name, depths)
    return _short_path(_flat(name[start:end], depths[start:end])) if start < end else name


def _depths(name: str) -> list[int] | None:
    """Depth of brackets at each character; None if they do not match."""
    depth, depths = 0, []
    for index, character in enumerate(name):
        before = name[index - 1] if index else ""
        if character in _OPEN and not (character == "<" and before in "<r"):
            depths.append(depth)
            depth += 1
            continue
        if character in _CLOSE and not (character == ">" and before == "-"):
            depth -= 1
            if depth < 0:
                return None
        depths.append(depth)
    return depths if depth == 0 else None


def _core(name: str, depths: list[int]) -> tuple[int, int]:
    """The span of the name itself: behind the return type, before the parameters."""
    end = len(name)
    if name.endswith(")") and "operator()" not in name[-12:]:
        end = max(i for i in range(len(name)) if depths[i] == 0 and name[i] == "(")
        if end == 0:
            return 0, len(name)
    start = 0
    for index in range(end):
        if depths[index] == 0 and name[index] == " " and not name.startswith("(", index + 1):
            start = index + 1
    return start, end


def _flat(name: str, depths: list[int]) -> str:
    """Long template arguments of template arguments become an ellipsis: two instances differ in
    `complex<double>`, but not in a configuration of ten numbers."""
    parts: list[str] = []
    hidden = ""
    for character, depth in zip(name, depths, strict=True):
        if depth >= 2:
            hidden += character
            continue
        parts.append("…" if len(hidden) > _SHORT else hidden)
        parts.append(character)
        hidden = ""
    return "".join(parts)


def _short_path(name: str) -> str:
    """`a::b::c::d<…>` becomes `a::…::d<…>`."""
    depth, cuts = 0, []
    for index, character in enumerate(name):
        depth += (character in _OPEN) - (character in _CLOSE)
        if depth == 0 and name.startswith("::", index):
            cuts.append(index)
    if len(cuts) < 2 or cuts[-1] - cuts[0] <= _SHORT // 2:
        return name
    return f"{name[: cuts[0]]}::…{name[cuts[-1] :]}"
