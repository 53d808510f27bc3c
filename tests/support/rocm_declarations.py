"""What the headers of a ROCm release declare, as hip-python and rocm-bindings have it for Cython.

Each is made from the headers of its release; C++ (templates, device code) and macros that are no
numbers are not in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tests.support.remote_headers import headers, rocm_pins

_BLOCK = re.compile(r'(?:cdef|ctypedef) (enum|struct|union)(?: (\w+))?(?: ".*")?:?')
_NAMES = (
    re.compile(r"cdef .*?[ *](\w+)\(.*\).*"),
    re.compile(r"cdef (?:const )?\w+ (\w+)"),
    re.compile(r"ctypedef .*\(\s*\*\s*(\w+)\).*"),
    re.compile(r'ctypedef .*?(\w+)(?: ".*")?'),
)


@cache
def declared(release: str) -> dict[str, frozenset[str]]:
    """Library (`hip`, `hipblas`, `rccl`, …) -> its names in a release; all are read once."""
    found: dict[str, frozenset[str]] = {}
    for pin in rocm_pins()[release]:
        for path in headers(pin).rglob("c*.pxd"):
            library = re.sub(r"^cy?", "", path.stem)
            found[library] = frozenset(_names(path.read_text("utf-8")))
    return found


def _names(text: str) -> Iterator[str]:
    inside, depth = "", 0
    for line in text.splitlines():
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if inside and indent > depth:
            if inside == "enum":
                yield re.split(r"\W", words)[0]
            continue
        inside = ""
        block = _BLOCK.fullmatch(words)
        if block:
            inside, depth = (block[1] if words.endswith(":") else ""), indent
            yield from filter(None, [block[2]])
        else:
            yield from [match[1] for each in _NAMES if (match := each.fullmatch(words))][:1]
